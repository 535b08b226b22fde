import { openDatabase } from "../../src/store/sqlite/database.ts";
import { acquireLock, isHeld, openStore } from "../../src/store/sqlite/sqlite.ts";
import { type Child, startChild } from "../support/child.ts";
import { openEngine } from "../support/postgres.ts";

/** Separate processes for the tests: the first argument names one. Each prints a line when it has what it holds. */
const PROGRAMS = {
  /** Waits for a word on stdin, opens a store, adds a merchant, and closes the store when stdin ends. */
  async "open-store"(file: string, name: string) {
    const words = Bun.stdin.stream().getReader();
    say("ready");
    await words.read();
    const store = openStore(file);
    const merchant = await store.merchants.addMerchant(name, 1);
    say(merchant?.name);
    while (!(await words.read()).done);
    store.close();
  },
  /** Holds a lock until its stdin ends. */
  async "hold-lock"(file: string) {
    const release = acquireLock(file);
    say("held");
    for await (const _ of Bun.stdin.stream());
    release();
  },
  /** Looks at a lock again and again, until it is killed. */
  async "look-at-lock"(file: string) {
    isHeld(file);
    say("looks");
    for (;;) isHeld(file);
  },
  /** Holds the right to write to a database for half a second. */
  async "hold-write"(file: string) {
    const { client, close } = openDatabase(file);
    client.run("BEGIN IMMEDIATE");
    say("held");
    await Bun.sleep(500);
    client.run("COMMIT");
    close();
  },
  /** Claims the payments that are due by an instant, and never decides. */
  async "hold-claim"(url: string, untilMs: string) {
    const store = await openEngine(url, { replica: "holder" });
    await store.transactions.resolveDue(Number(untilMs), 500, async (due) => {
      say(`holds ${due.length}`);
      await new Promise(() => {});
      return [];
    });
  },
};
type Program = keyof typeof PROGRAMS;

/** Starts one as a process. It ends when its input ends. */
export const startProgram = (name: Program, ...args: string[]): Child =>
  startChild([process.execPath, import.meta.path, name, ...args], {
    env: process.env,
    cwd: import.meta.dir,
    stdin: null,
  });

const say = (line: string | undefined) => process.stdout.write(`${line}\n`);

const [name = "", first = "", second = ""] = Bun.argv.slice(2);
if (import.meta.main) await PROGRAMS[name as Program](first, second);
