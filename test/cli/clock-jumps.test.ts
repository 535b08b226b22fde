import { afterAll, expect, test } from "bun:test";
import { PROGRAM } from "../crash/clock-back.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
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

test.concurrent("the clock jumps forward, as after a sleep: whoever reads sees what is past its deadline as expired, at once", async () => {
  const server = await serve([HOUR_MS]);
  const id = await pay(server, "silent");
  await jump(server);
  expect(await json(server.post("/status.php", { checkout_request_id: id }))).toMatchObject({ status: "expired" });
  expect(await json(fetch(`${server.ready.control_url}/prompts`))).toMatchObject({ prompts: [] });
  const list = await json(server.get("/transactions.php?status=pending"));
  expect(list).toMatchObject({ transactions: [], summary: { pending_count: 0 } });
});

test.concurrent("and it ends also where nobody asks, after a few seconds", async () => {
  const server = await serve([HOUR_MS / 2]);
  const waited = waitFor(server, await pay(server, "silent"));
  await Bun.sleep(200);
  await jump(server);
  expect(await waited).toMatchObject({ transaction: { status: "expired" } });
});

test.concurrent("the clock goes back by two hours: an outcome comes when it would have come", async () => {
  const server = await serve([-2 * HOUR_MS]);
  const id = await pay(server, "completed; after=1s");
  await jump(server);
  expect(await waitFor(server, id)).toMatchObject({ transaction: { status: "completed" } });
});

test.concurrent("after -2 h and +3 h a payment of 60 s is not pending", async () => {
  const server = await serve([-2 * HOUR_MS, 3 * HOUR_MS]);
  const id = await pay(server, "silent");
  await jump(server);
  expect(await json(server.post("/status.php", { checkout_request_id: id }))).toMatchObject({ status: "pending" });
  await jump(server);
  expect(await json(server.post("/status.php", { checkout_request_id: id }))).toMatchObject({ status: "expired" });
});

test.concurrent("the clock was set back while no server ran: what was pending is not held up", async () => {
  const data = ["--data", `${newFolder()}/data`, "--prompt-timeout", "2s"];
  const before = await serve([], data);
  const id = await pay(before, "silent");
  await before.kill();
  const after = await serveMomo(data, { program: PROGRAM, env: { CLOCK_BEHIND_MS: String(2 * HOUR_MS) } });
  expect(await waitFor(after, id)).toMatchObject({ transaction: { status: "expired" } });
});
