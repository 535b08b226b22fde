import { openEngine } from "./postgres.ts";

/** A separate process: claims the payments that are due by an instant, prints how many, and never decides. */
const [url = "", untilMs = ""] = Bun.argv.slice(2);
const store = await openEngine(url, { replica: "holder" });
await store.transactions.resolveDue(Number(untilMs), 500, async (due) => {
  process.stdout.write(`holds ${due.length}\n`);
  await new Promise(() => {});
  return [];
});
