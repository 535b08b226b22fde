// Calls the client of the file that is named, with the environment and the call of its arguments, or else with those of
// each line of the standard input. A line of its output is the result or the error of a call.
import { createInterface } from "node:readline";

const [, , file, ...words] = process.argv;
const { createClient, fileStore, MomoError } = await import(file);

const ms = (seconds) => (seconds === undefined ? seconds : 1000 * seconds);

/** With `nowMs`, the clock shows that. It goes back by an hour in each pause, which takes no time; the result has their sum. */
async function run({ env, call: [name, ...args], options: { timeout, interval, deadline, nowMs } = {} }) {
  let slept = 0;
  async function sleep(durationMs) {
    slept += durationMs / 1000;
    nowMs -= 3_600_000;
  }
  try {
    const momo = createClient({
      baseUrl: env.MOMO_BASE_URL,
      apiKey: env.MOMO_API_KEY,
      apiSecret: env.MOMO_API_SECRET,
      paymentAccountId: env.MOMO_PAYMENT_ACCOUNT_ID,
      store: fileStore(env.MOMO_ORDERS),
      timeoutMs: ms(timeout),
      intervalMs: ms(interval),
      deadlineMs: ms(deadline),
      ...(nowMs && { now: () => nowMs, sleep }),
    });
    const result = await momo[name](...args);
    return nowMs ? { ...result, slept } : result;
  } catch (error) {
    if (!(error instanceof MomoError)) throw error;
    return { error: { code: error.kind, message: error.message, may_have_paid: error.mayHavePaid } };
  }
}

if (words.length > 0) console.log(JSON.stringify(await run({ env: process.env, call: words })));
else
  for await (const line of createInterface({ input: process.stdin }))
    console.log(JSON.stringify(await run(JSON.parse(line))));
