import { acquireLock } from "../../src/store/sqlite/sqlite.ts";

/** A process of its own that holds the lock its argument names until it ends. */
const release = acquireLock(Bun.argv[2] ?? "");
process.stdout.write("held\n");
for await (const _ of Bun.stdin.stream());
release();
