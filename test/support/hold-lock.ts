import { acquireLock } from "../../src/store/sqlite/sqlite.ts";

/** A separate process that holds the lock in its argument until its stdin ends. */
const release = acquireLock(Bun.argv[2] ?? "");
process.stdout.write("held\n");
for await (const _ of Bun.stdin.stream());
release();
