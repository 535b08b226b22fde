import { openStore } from "../../src/store/sqlite/sqlite.ts";

/**
 * A separate process. It waits for a word on stdin, opens the store in its argument, adds a merchant, prints its name, and
 * closes the store when stdin ends.
 */
const [file = "", name = ""] = Bun.argv.slice(2);
const words = Bun.stdin.stream().getReader();
process.stdout.write("ready\n");
await words.read();
const store = openStore(file);
const merchant = await store.merchants.addMerchant(name, 1);
process.stdout.write(`${merchant?.name}\n`);
while (!(await words.read()).done);
store.close();
