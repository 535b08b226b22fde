import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM, type Served, startMomo } from "../support/momo.ts";
import { until } from "../support/waiting.ts";
import { demand } from "./ledger.ts";
import { mountSmall, run, whyNoMount } from "./mount.ts";
import { type Scenario, stopInTime, type Trial } from "./scenario.ts";

/** A full disk has an effect only when a log has to grow, which may take many payments. */
const MOST_ROUNDS_UNTIL_FULL = 250;

/** A disk that can be made full, and have space again. */
interface SmallDisk {
  /** The command that runs momo on the small disk. */
  readonly program: readonly string[];
  fill(server: Served): void;
  free(server: Served): void;
}

export const fullFileSystem: Scenario = fullDisk("a full disk of 6 MB", whyNoMount, ({ folder }) => {
  mountSmall(folder);
  const filler = join(folder, "filler");
  return {
    program: PROGRAM,
    fill: () => void run(["dd", "if=/dev/zero", `of=${filler}`, "bs=4k"]),
    free: () => rmSync(filler),
  };
});

const whyNoLimit = () => (Bun.which("prlimit") ? "" : "there is no prlimit");

export const limitedFiles: Scenario = fullDisk("a limit on the size of files", whyNoLimit, ({ data }) => {
  const limit = ({ ready }: Served, bytes: number | "unlimited") =>
    run(["prlimit", "--pid", String(ready.pid), `--fsize=${bytes}:`]);
  return {
    // The signal ends a program that does not ignore it.
    program: ["sh", "-c", 'trap "" XFSZ; exec "$@"', "sh", ...PROGRAM],
    fill(server) {
      if (!limit(server, statSync(join(data, "momo.db-wal")).size)) throw new Error("prlimit has failed");
    },
    // The limit ends with the process.
    free: (server) => void limit(server, "unlimited"),
  };
});

/**
 * The disk runs full under load: payments are refused with 500 in the API's own shape, reading goes on, and everything works as
 * soon as there is space again. In every second round the server is stopped while the disk is full.
 */
function fullDisk(title: string, impossible: () => string, makeDisk: (trial: Trial) => SmallDisk): Scenario {
  return {
    title,
    promise: `${title}: 500 in the API's own shape, nothing stored, and payments again when there is space`,
    shortRounds: 2,
    impossible,
    rounds: (kills) => Math.ceil(kills / 10),
    async play(trial) {
      const { program, fill, free } = makeDisk(trial);
      await trial.eachRound(async (round) => {
        const server = await trial.serve({ program });
        await trial.demandPayments(server);
        fill(server);
        for (let count = 0; (await trial.pay(server)) === 0; count += 1) {
          demand(count < MOST_ROUNDS_UNTIL_FULL, () => "no payment was refused although the disk is full");
        }
        await demandReadiness(server, /^503 .*disk/);
        await demandReading(server);
        demandOneLine(server);
        if (round % 2 === 0) {
          await stopInTime(server);
          await startOnFullDisk(trial);
          free(server);
          return;
        }
        free(server);
        await demandReadiness(server, /^200 /);
        await trial.demandPayments(server);
        await trial.demandFinal(server);
        await stopInTime(server);
      });
      return "";
    },
  };
}

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
  const isOne = lines.length === 1 && /^momo: the database fails: the disk .*; .* the disk of /.test(lines[0] ?? "");
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
