import { Database } from "bun:sqlite";

/** Loaded before momo: each commit and each checkpoint takes as long as SLOW_DISK_MS says, like on a slow disk. */
const slowMs = Number(process.env.SLOW_DISK_MS);
const never = new Int32Array(new SharedArrayBuffer(4));
const wait = () => void Atomics.wait(never, 0, 0, slowMs);

const makeTransaction = Database.prototype.transaction;
Database.prototype.transaction = function slowTransaction(this: Database, work: never) {
  const { deferred, immediate } = makeTransaction.call(this, work);
  const slowly = (...args: never[]) => {
    const result = (immediate as (...given: never[]) => unknown)(...args);
    wait();
    return result;
  };
  return Object.assign(slowly, { deferred, immediate: slowly });
} as never;

const runSql = Database.prototype.run;
Database.prototype.run = function slowRun(this: Database, ...args: never) {
  const [sql] = args as string[];
  if (/wal_checkpoint/.test(sql ?? "")) wait();
  return runSql.apply(this, args);
} as never;
