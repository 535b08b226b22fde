import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { Finding } from "../../../sandbox/audit/shape.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { openScene } from "../../support/scene.ts";
import { callsOf, drawn, type Order, order, SEED, textIn } from "./drawn-clients.ts";

/** Correct clients live under drawn outcomes, faults, moves of the clock and resets, and are never accused. */

const scene = await openScene();
afterAll(async () => {
  await scene.close();
  await cleanUp();
});

const { call, ask, push } = callsOf(scene);

async function look({ reference, phone, amount }: Order): Promise<{ id: string; status: string } | null> {
  const answer = await call("GET", `/transactions.php?search=${encodeURIComponent(reference)}`);
  const rows = (answer?.status === 200 ? answer.body.transactions : []) as Record<string, unknown>[];
  const own = rows.find((row) => row.phone === phone.replace(/^0/, "254") && row.amount === amount);
  return own ? { id: String(own.checkout_request_id), status: String(own.status) } : null;
}

const isFinal = (status: string | null | undefined) => status != null && status !== "pending";

async function poll(id: string, everyMs: () => number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    await scene.advance(everyMs());
    if (isFinal(await ask(id))) return;
  }
  throw new Error("the payment does not end");
}

async function pushOnce(one: Order): Promise<string | null> {
  const answer = await push(one);
  const id = textIn(answer, "checkout_request_id");
  if (id !== null || (answer !== null && answer.status < 500)) return id;
  for (let tries = 0; tries < 20; tries += 1) {
    await scene.advance(5000);
    const found = await look(one);
    if (found) return found.id;
  }
  return null;
}

/** How correct clients follow a payment to its end. */
const STYLES: Readonly<Record<string, (one: Order, everyMs: () => number) => Promise<void>>> = {
  async "polls in the request"(one, everyMs) {
    const id = await pushOnce(one);
    if (id) await poll(id, everyMs);
  },
  async "a worker"(one) {
    const id = await pushOnce(one);
    if (id) await poll(id, () => 5000);
  },
  async "a look because of a webhook, later a poll"(one, everyMs) {
    const id = await pushOnce(one);
    if (!id) return;
    await scene.advance(65_000);
    if (!isFinal(await ask(id))) await poll(id, everyMs);
  },
  async "the list alone"(one, everyMs) {
    if (!(await pushOnce(one))) return;
    for (let tries = 0; tries < 200; tries += 1) {
      await scene.advance(everyMs());
      if (isFinal((await look(one))?.status)) return;
    }
    throw new Error("the payment does not end");
  },
  async "a page that polls, and is loaded again after the end"(one) {
    const id = await pushOnce(one);
    if (!id) return;
    await poll(id, () => 3000);
    for (const waitMs of [2000, 4000]) {
      await scene.advance(waitMs);
      await ask(id);
    }
  },
  async "a job each minute"(one) {
    const id = await pushOnce(one);
    if (id) await poll(id, () => 60_000);
  },
  async "a job that asks again at once after a failure"(one, everyMs) {
    const id = await pushOnce(one);
    if (!id) return;
    for (let tries = 0; tries < 200; tries += 1) {
      const status = await ask(id);
      if (isFinal(status)) return;
      if (status === "pending") await scene.advance(everyMs());
    }
  },
};

const outcome = fc.oneof(
  fc.integer({ min: 0, max: 70 }).map((seconds) => `completed; after=${seconds}s`),
  fc.constantFrom("wrong_pin", "cancelled", "expired", "silent", "unreachable", "insufficient_funds", "refused"),
);

const fault = fc.record({
  path: fc.constantFrom("/stkpush.php", "/status.php", "/transactions.php"),
  kind: fc.constantFrom("error" as const, "disconnect" as const),
  times: fc.integer({ min: 1, max: 3 }),
  status: fc.constantFrom(500, 502, 503),
  carried_out: fc.boolean(),
});

const life = fc.record({
  style: fc.constantFrom(...Object.keys(STYLES)),
  one: order,
  outcome,
  everyMs: fc.integer({ min: 3000, max: 5000 }),
  movesMs: fc.array(fc.constantFrom(0, 0, 1000, 60_000, 3_600_000, 400 * 86_400_000), { maxLength: 5 }),
  faults: fc.array(fault, { maxLength: 3 }),
});

/** Those that are not notes, after the run is over and after a reset. */
async function mistakes(query = "?over=true"): Promise<string[]> {
  const { findings } = (await scene.control("GET", `/audit${query}`)) as unknown as { findings: Finding[] };
  return findings
    .filter(({ severity }) => severity !== "note")
    .map(({ severity, kind, message }) => `${severity} ${kind}: ${message}`);
}

test(`correct clients of ${Object.keys(STYLES).length} styles are never accused (seed ${SEED})`, async () => {
  const lives = fc.array(life, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(lives, async (clients) => {
      await scene.renew();
      await scene.control("DELETE", "/audit");
      for (const client of clients) {
        const isError = ({ kind }: { kind: string }) => kind === "error";
        const faults = client.faults.map(({ status, carried_out, ...one }) =>
          isError(one) ? { ...one, status, carried_out } : one,
        );
        await scene.control("PUT", "/faults", { faults });
        await scene.control("PUT", "/rules", {
          rules: [{ match: {}, outcome: client.outcome.split(";")[0], ...afterOf(client.outcome) }],
        });
        const moves = [...client.movesMs];
        // The test moves the clock between two requests of the client.
        const everyMs = () => client.everyMs + (moves.pop() ?? 0);
        await STYLES[client.style]?.(client.one, everyMs);
      }
      expect(await mistakes()).toEqual([]);
      await scene.control("POST", "/reset");
      expect(await mistakes("")).toEqual([]);
    }),
    drawn(60),
  );
}, 400_000);

const afterOf = (text: string) => {
  const [, after] = /after=(\w+)/.exec(text) ?? [];
  return after === undefined ? {} : { after };
};
