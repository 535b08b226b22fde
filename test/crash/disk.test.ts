import { Database } from "bun:sqlite";
import { afterAll } from "bun:test";
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cleanUp } from "../support/cleanup.ts";
import { runMomo, type Served, startMomo } from "../support/momo.ts";
import { demand } from "../support/reconcile.ts";
import { until } from "../support/waiting.ts";
import { isRoot, mountSmall, run, stopInTime, type Trial, testByTrial, whyNoMount } from "./trial.ts";

afterAll(cleanUp);

/** A full disk has an effect only when a log has to grow, which may take many payments. */
const MOST_ROUNDS_UNTIL_FULL = 250;

// In every second round the server is stopped while the disk is full.
testByTrial(
  "a full disk: 500 in the API's own shape, nothing stored, and payments again when there is space",
  { rounds: 2, impossible: whyNoMount() },
  async (trial) => {
    mountSmall(trial.folder);
    const filler = join(trial.folder, "filler");
    await trial.eachRound(async (round) => {
      const server = await trial.serve();
      await trial.demandPayments(server);
      run("dd", "if=/dev/zero", `of=${filler}`, "bs=4k");
      for (let count = 0; (await trial.pay(server)) === 0; count += 1) {
        demand(count < MOST_ROUNDS_UNTIL_FULL, () => "no payment was refused although the disk is full");
      }
      await demandReadiness(server, /^503 .*disk/);
      await demandReading(server);
      demandOneLine(server);
      if (round % 2 === 0) {
        await stopInTime(server);
        await startOnFullDisk(trial);
        rmSync(filler);
        return;
      }
      rmSync(filler);
      await demandReadiness(server, /^200 /);
      await trial.demandPayments(server);
      await trial.demandFinal(server);
      await stopInTime(server);
    });
  },
);

async function demandReadiness({ ready }: Served, wanted: RegExp): Promise<void> {
  const answer = async () => {
    const response = await fetch(`${ready.control_url}/ready`);
    return `${response.status} ${((await response.json()) as { message: string }).message}`;
  };
  await until(answer, (said) => wanted.test(said));
}

/** However many payments fail, the log has one line, with the cause and what helps. */
function demandOneLine({ child }: Served): void {
  const lines = child.stderr.text.trimEnd().split("\n");
  const isOne =
    lines.length === 1 &&
    /^momo: the database fails: the disk is full \(.*\); free some space on that disk: /.test(lines[0] ?? "");
  demand(isOne, () => `the log of a full disk: ${lines.join(" | ")}`);
}

/** Reading goes on; but a list fails if it would show a payment as pending after its deadline. */
async function demandReading(server: Served): Promise<void> {
  const list = await server.get("/transactions.php");
  const { message } = (await list.json()) as { message: string };
  const isHonest = list.status === 200 || (list.status === 500 && message === "internal server error");
  demand(isHonest, () => `a full disk keeps the list from being read: ${list.status} ${message}`);
  const { status } = await fetch(`${server.ready.control_url}/accounts`);
  demand(status === 200, () => `a full disk keeps the accounts from being read: ${status}`);
}

/** Expects that the server starts, or that it says in its own words why not. */
async function startOnFullDisk({ flags }: Trial): Promise<void> {
  const child = startMomo(["serve", "--port", "0", ...flags]);
  const serves = await child.stdout.until(/Ready/).then(
    () => true,
    () => false, // It has ended.
  );
  if (serves) child.signal("SIGKILL");
  const exitCode = await child.exited;
  const lines = child.stderr.text.trimEnd().split("\n");
  const isRefused = exitCode === 1 && lines.length <= 2 && lines[0]?.startsWith("momo: ") === true;
  demand(isRefused || serves, () => `on a full disk: exit code ${exitCode}, ${child.stderr.text}`);
}

testByTrial(
  "a read-only database: two lines that say so, exit code 1, and nothing changed",
  { rounds: 1, impossible: isRoot() ? whyNoMount() : "" },
  async (trial) => {
    const protect = isRoot() ? protectByMount(trial) : protectByMode(trial);
    await trial.eachRound(async (round) => {
      const server = await trial.serve();
      await trial.demandPayments(server);
      // In every other round, prompts are still pending.
      if (round % 2 === 0) await trial.demandFinal(server);
      await stopInTime(server);
      protect(true);
      const refused = await runMomo(["serve", "--port", "0", ...trial.flags]);
      protect(false);
      const lines = refused.stderr.trimEnd().split("\n");
      const isSaid = lines.length <= 2 && lines[0]?.includes(trial.data) && lines.at(-1)?.includes("--data");
      demand(refused.exitCode === 1 && Boolean(isSaid), () => `exit code ${refused.exitCode}: ${refused.stderr}`);
    });
  },
);

function protectByMode({ data }: Trial) {
  return (on: boolean) => {
    for (const name of readdirSync(data)) chmodSync(join(data, name), on ? 0o400 : 0o600);
    chmodSync(data, on ? 0o500 : 0o700);
  };
}

/** Root may write whatever the mode says. */
function protectByMount({ folder }: Trial) {
  mountSmall(folder);
  return (on: boolean) => {
    const options = `remount,${on ? "ro" : "rw"}`;
    if (!run("mount", "-o", options, folder)) throw new Error(`mount -o ${options} ${folder} has failed`);
  };
}

/** Much longer than momo waits for the lock, in every second round, because outcomes can wait before payments; else shorter. */
const LONG_MS = 4000;
const SHORT_MS = 300;

testByTrial(
  "a locked database: payments wait a second, then 500; the server still stops in time",
  { rounds: 2 },
  async (trial) => {
    const server = await trial.serve();
    await trial.eachRound(async (round) => {
      const isLong = round % 2 === 0;
      const release = holdWriteLock(trial);
      const sinceMs = performance.now();
      const held = Bun.sleep(isLong ? LONG_MS : SHORT_MS).then(release);
      const refused = await trial.pay(server);
      await held;
      // On a busy machine the short lock may be held longer than momo waits.
      const isShort = performance.now() - sinceMs < 1000;
      demand(isLong ? refused > 0 : refused === 0 || !isShort, () => `${refused} payments were refused`);
      await trial.demandPayments(server);
      await trial.demandFinal(server);
    });
    const release = holdWriteLock(trial);
    const waiting = trial.pay(server).catch(() => {}); // the server may end before it answers
    await Bun.sleep(100);
    await stopInTime(server);
    release();
    await waiting;
  },
);

function holdWriteLock({ data }: Trial): () => void {
  const holder = new Database(join(data, "momo.db"));
  holder.run("PRAGMA busy_timeout = 5000"); // momo may be writing
  holder.run("BEGIN IMMEDIATE");
  return () => {
    holder.run("ROLLBACK");
    holder.close();
  };
}
