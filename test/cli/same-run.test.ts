import { afterAll, expect, test } from "bun:test";
import { startSandbox } from "stkpush-sandbox/testing";
import { cleanUp, later } from "../support/cleanup.ts";
import { type Client, createClient } from "../support/client.ts";
import { runMomo, serveMomo } from "../support/momo.ts";
import { type Draw, drawFrom, SEED, TIMES } from "../support/random.ts";

/** The same commands in the same order give the same bytes, with a seed, a clock and a key of one's own. */

afterAll(cleanUp);

/** Nobody takes the webhooks: each is tried again. */
const NOBODY = "http://127.0.0.1:1/";
const KEY = { MOMO_API_KEY: "mk_TheSameKeyInEachRun", MOMO_API_SECRET: `ms_${"TheSameSecret".repeat(4)}` };
const START = "2026-03-31 23:59:50";

type Run = Pick<Client, "get" | "post" | "ask"> & { readonly port: string; readonly apiKey: string };

/** Sends a drawn command. */
function sendNext({ get, post, ask }: Run, draw: Draw, ids: readonly string[]): Promise<Response> {
  const pick = <T>(...all: readonly T[]): T => all[draw(all.length)] as T;
  const id = pick(...ids) ?? "ws_CO_none";
  const pay = () => {
    const reference = pick("ORDER-0001", "ORDER-0002", "A+B", "é");
    const ends = ["completed", "cancelled; after=1s", "failed; code=26", "manual", "refused", "wrong_pin"];
    const order = { payment_account_id: 1, phone: "0712345678", amount: 100, reference };
    return post("/stkpush.php", order, { "X-Sandbox-Outcome": pick(...ends) });
  };
  const poll = () => post("/status.php", { checkout_request_id: id });
  const control = ["requests?limit=5", "webhook", "audit", "prompts", "messages", "rules", `transactions/${id}`];
  const send = pick(
    ...[pay, pay, pay, pay, poll, poll, poll],
    () => get(`/transactions.php${pick("?limit=3", "?status=completed", "?search=ORDER")}`),
    () => ask("GET", `/${pick(...control)}`),
    () => ask("POST", "/clock", { advance: pick("1s", "3s", "1h", "31d") }),
    () => ask("PUT", "/faults", { faults: [{ kind: pick("error", "disconnect"), probability: 0.3, times: 3 }] }),
    () => ask("POST", `/prompts/${id}/answer`, { outcome: "cancelled" }),
    () => ask("POST", "/reset"),
  );
  return send();
}

/** All answers of one run, with the port and the key by a name. */
async function play(run: Run): Promise<string[]> {
  const draw = drawFrom(SEED);
  const answers: string[] = [];
  while (answers.length < 60 * TIMES) {
    const ids = [...new Set(answers.join("\n").match(/ws_CO_\d{14}_[0-9A-Z]{20}/g))];
    const answer = sendNext(run, draw, ids).then(async (response) => `${response.status} ${await response.text()}`);
    answers.push(await answer.catch(() => "no answer"));
  }
  return answers.map((answer) => answer.replaceAll(run.port, "PORT").replaceAll(run.apiKey, "KEY"));
}

async function playExecutable(): Promise<string[]> {
  const flags = ["--ephemeral", "--seed", "a seed", "--clock", START, "--webhook", NOBODY];
  const server = await serveMomo(flags, { env: KEY });
  const { base_url: baseUrl, api_key: apiKey } = server.ready;
  const answers = await play({ ...server, port: new URL(baseUrl).port, apiKey });
  const listed = await runMomo(["list", "--json", "--limit", "100", ...server.at]);
  await server.stop();
  return [...answers, listed.stdout];
}

/** The helper has no keys of one's own: they differ in each run. */
async function playHelper(): Promise<string[]> {
  const sandbox = await startSandbox({ seed: "a seed", clock: START, webhook: NOBODY });
  later(() => sandbox.stop());
  const { baseUrl, apiKey } = sandbox;
  const answers = await play({ ...createClient(sandbox), port: new URL(baseUrl).port, apiKey });
  const { findings } = await sandbox.audit();
  await sandbox.stop();
  return [...answers, JSON.stringify(findings)];
}

test(`with a seed, the same drawn commands give the same bytes again after a reset (seed ${SEED})`, async () => {
  const sandbox = await startSandbox({ seed: "a seed", clock: START, webhook: NOBODY });
  later(() => sandbox.stop());
  const client = createClient(sandbox);
  const playAgain = async () => {
    await sandbox.reset();
    await client.ask("DELETE", "/audit"); // a reset forgets no finding
    return play({ ...client, port: new URL(sandbox.baseUrl).port, apiKey: sandbox.apiKey });
  };
  const first = await playAgain();
  await sandbox.snapshot("one");
  expect(await playAgain()).toEqual(first);
  // A payment after a restore has a number of its own.
  await sandbox.restore("one");
  const before = await client.list();
  const checkoutRequestId = await client.pay();
  expect(before.map((row) => row.checkout_request_id)).not.toContain(checkoutRequestId);
  await sandbox.stop();
});

test.each([
  ["the executable", playExecutable],
  ["the helper", playHelper],
])(`two runs of drawn commands with %s give the same bytes (seed ${SEED})`, async (_name, playOnce) => {
  const [first, second] = await Promise.all([playOnce(), playOnce()]);
  expect(second).toEqual(first);
  expect(first.join()).toContain("ws_CO_31032026235950_");
});
