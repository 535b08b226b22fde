import { openEngine } from "./postgres.ts";

/** A separate process: opens the store at a URL, adds a merchant with a name, and prints the name. */
const [url = "", name = ""] = Bun.argv.slice(2);
const store = await openEngine(url, { replica: name, connections: 2 });
const merchant = await store.merchants.addMerchant(name, 1);
process.stdout.write(`${merchant?.name}\n`);
store.close();
await store.closed();
