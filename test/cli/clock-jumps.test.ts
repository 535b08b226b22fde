import { afterAll, expect, test } from "bun:test";
import { PROGRAM } from "../crash/clock-back.ts";
import { cleanUp } from "../support/cleanup.ts";
import { type Served, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const HOUR_MS = 3_600_000;

const serve = (jumpsMs: readonly number[], args: readonly string[] = []) =>
  serveMomo(args, { program: PROGRAM, env: { CLOCK_JUMPS_MS: jumpsMs.join(",") } });

/** The host's clock jumps. */
async function jump({ ready }: Served): Promise<void> {
  process.kill(ready.pid, "SIGUSR2");
  await Bun.sleep(200);
}

async function pay({ ready, post }: Served, outcome: string): Promise<string> {
  const order = { payment_account_id: ready.payment_account_id, phone: "0712345678", amount: 5 };
  const answer = await post("/stkpush.php", order, { "X-Sandbox-Outcome": outcome });
  return String(((await answer.json()) as { checkout_request_id: string }).checkout_request_id);
}

const json = async (answer: Promise<Response>) => (await answer).json() as Promise<Record<string, unknown>>;

const waitFor = ({ ready }: Served, checkout_request_id: string) =>
  json(
    fetch(`${ready.control_url}/wait`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ checkout_request_id, timeout: "1h" }),
    }),
  );

test.concurrent("and it ends also where nobody asks, after a few seconds", async () => {
  const server = await serve([HOUR_MS / 2]);
  const waited = waitFor(server, await pay(server, "silent"));
  await Bun.sleep(200);
  await jump(server);
  expect(await waited).toMatchObject({ transaction: { status: "expired" } });
});
