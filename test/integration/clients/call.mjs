// Calls the client of the file that is named, with the environment and the call of its arguments, or else with those of
// each line of the standard input. A line of its output is the result or the error of a call.
import { createInterface } from "node:readline";

const [, , file, ...words] = process.argv;
const { createClient, fileStore, MomoError } = await import(file);

async function run({ env, call: [name, ...args] }) {
  try {
    const momo = createClient({
      baseUrl: env.MOMO_BASE_URL,
      apiKey: env.MOMO_API_KEY,
      apiSecret: env.MOMO_API_SECRET,
      paymentAccountId: env.MOMO_PAYMENT_ACCOUNT_ID,
      store: fileStore(env.MOMO_ORDERS),
    });
    return await momo[name](...args);
  } catch (error) {
    if (!(error instanceof MomoError)) throw error;
    return { error: { code: error.kind, message: error.message, may_have_paid: error.mayHavePaid } };
  }
}

if (words.length > 0) console.log(JSON.stringify(await run({ env: process.env, call: words })));
else
  for await (const line of createInterface({ input: process.stdin }))
    console.log(JSON.stringify(await run(JSON.parse(line))));
