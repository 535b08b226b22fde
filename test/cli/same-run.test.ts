import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { startSandbox } from "momo-sandbox/testing";
import { cleanUp, later } from "../support/cleanup.ts";
import { type Client, createClient } from "../support/client.ts";
import { runMomo, serveMomo } from "../support/momo.ts";

/** The same commands in the same order give the same bytes, with a seed, a clock and a key of one's own. */

afterAll(cleanUp);

/** Nobody takes the webhooks: each is tried again. */
const NOBODY = "http://127.0.0.1:1/";
const KEY = { MOMO_API_KEY: "mk_TheSameKeyInEachRun", MOMO_API_SECRET: `ms_${"TheSameSecret".repeat(4)}` };
const START = "2026-03-31 23:59:50";
const TIMES = Number(process.env.MOMO_TEST_TIMES ?? 1);
const SEED = Number(process.env.MOMO_TEST_SEED ?? 19);

type Command = (run: Run, ids: readonly string[]) => Promise<string>;

async function textOf(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  return `${response.status} ${await response.text()}`;
}

const reference = fc.constantFrom("ORDER-0001", "ORDER-0002", "A+B", "é");
const outcome = fc.constantFrom(
  "completed",
  "cancelled; after=1s",
  "failed; code=26",
  "manual",
  "refused",
  "wrong_pin",
);
const nth = fc.nat(20);
const idAt = (ids: readonly string[], index: number) => ids[index % Math.max(1, ids.length)] ?? "ws_CO_none";

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(reference, outcome).map(([text, name]): Command => {
      const order = { payment_account_id: 1, phone: "0712345678", amount: 100, reference: text };
      return ({ post }) => textOf(post("/stkpush.php", order, { "X-Sandbox-Outcome": name }));
    }),
  },
  {
    weight: 3,
    arbitrary: nth.map(
      (index): Command =>
        ({ post }, ids) =>
          textOf(post("/status.php", { checkout_request_id: idAt(ids, index) })),
    ),
  },
  fc.constantFrom("?limit=3", "?status=completed", "?search=ORDER").map(
    (query): Command =>
      ({ get }) =>
        textOf(get(`/transactions.php${query}`)),
  ),
  fc.constantFrom("1s", "3s", "1h", "31d").map(
    (advance): Command =>
      ({ ask }) =>
        textOf(ask("POST", "/clock", { advance })),
  ),
  fc.constantFrom("error", "disconnect").map(
    (kind): Command =>
      ({ ask }) =>
        textOf(ask("PUT", "/faults", { faults: [{ kind, probability: 0.3, times: 3 }] })),
  ),
  nth.map(
    (index): Command =>
      ({ ask }, ids) =>
        textOf(ask("GET", `/transactions/${idAt(ids, index)}`)),
  ),
  nth.map(
    (index): Command =>
      ({ ask }, ids) =>
        textOf(ask("POST", `/prompts/${idAt(ids, index)}/answer`, { outcome: "cancelled" })),
  ),
  fc.constantFrom("/requests?limit=5", "/webhook", "/audit", "/prompts", "/messages", "/rules").map(
    (path): Command =>
      ({ ask }) =>
        textOf(ask("GET", path)),
  ),
  { weight: 1, arbitrary: fc.constant<Command>(({ ask }) => textOf(ask("POST", "/reset"))) },
);

type Run = Pick<Client, "get" | "post" | "ask"> & { readonly port: string; readonly apiKey: string };

const [commands = []] = fc.sample(fc.array(command, { minLength: 60 * TIMES, maxLength: 60 * TIMES, size: "max" }), {
  numRuns: 1,
  seed: SEED,
});

/** All answers of one run, with the port and the key by a name. */
async function play(run: Run): Promise<string[]> {
  const answers: string[] = [];
  for (const one of commands) {
    const ids = [...new Set(answers.join("\n").match(/ws_CO_\d{14}_[0-9A-Z]{20}/g))];
    answers.push(await one(run, ids).catch(() => "no answer"));
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

test.each([
  ["the executable", playExecutable],
  ["the helper", playHelper],
])(`two runs of drawn commands with %s give the same bytes (seed ${SEED})`, async (_name, playOnce) => {
  const [first, second] = await Promise.all([playOnce(), playOnce()]);
  expect(second).toEqual(first);
  expect(first.join()).toContain("ws_CO_31032026235950_");
});
