import { openEngine } from "./postgres.ts";

/** A process of its own: opens the store at a URL, adds a merchant under its name, and says so. */
const [url = "", name = ""] = Bun.argv.slice(2);
const store = await openEngine(url, { replica: name, connections: 2 });
const merchant = await store.merchants.addMerchant(name, 1);
process.stdout.write(`${merchant?.name}\n`);
store.close();
await store.closed();
