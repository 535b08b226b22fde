// Runs the client of the file that is named, in the time of a history. Each line of the standard input is a call, or the
// world of a new client.
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , file] = process.argv;
const { createClient, fileStore, MomoError } = await import(file);

function create({ url, key, secret, account, folder }) {
  const files = fileStore(folder);
  return createClient({
    baseUrl: `${url}/v2`,
    apiKey: key,
    apiSecret: secret,
    paymentAccountId: account,
    store: {
      ...files,
      async add(name, order, options) {
        if (existsSync(`${folder}/full`)) throw new Error("ENOSPC: no space left on device");
        files.add(name, order, options);
        if (!name.includes("~")) await (await fetch(`${url}/still/`)).text();
      },
    },
    timeoutMs: 1_000_000,
    now: () => 1000 * Number(readFileSync(`${folder}/now`, "utf8")),
    sleep: async (ms) => (await fetch(`${url}/sleep/${ms / 1000}`)).text(),
  });
}

async function run(momo, { job, name, args }) {
  let said;
  try {
    const result = await momo[name](...args);
    said = Array.isArray(result) ? { orders: result } : { order: result };
  } catch (error) {
    const isOwn = error instanceof MomoError;
    said = isOwn ? { error: { kind: error.kind, mayHavePaid: error.mayHavePaid } } : String(error.stack);
  }
  console.log(JSON.stringify({ job, said }));
}

let momo;
for await (const line of createInterface({ input: process.stdin })) {
  const { world, ...call } = JSON.parse(line);
  if (world) momo = create(world);
  else void run(momo, call);
}
