import { checkService } from "../../../sandbox/check/check.ts";
import type { PaymentToMake } from "../../../sandbox/check/check-run.ts";
import type { Checked, CheckReport } from "../../../sandbox/check/result.ts";
import { type Received, type Send, STRANGER } from "../../../sandbox/check/service.ts";
import { inWords } from "../../../sandbox/check/words.ts";
import { STATUSES } from "../../../src/domain/transaction.ts";
import type { Scene } from "../../support/scene.ts";

/** What a row says, in words. */
export const seenOf = ({ fact }: Checked): string => (fact === null ? "" : inWords(fact));

/** Changes what a service answers: a deviation that a check must find. */
export type Deviation = (answer: Received, request: Parameters<Send>[0]) => Received | Promise<Received>;

export const withText =
  (change: (text: string) => string): Deviation =>
  (answer) => ({ ...answer, text: change(answer.text) });

const HEADERS_OF = {
  owner: (scene: Scene) => scene.caller.headers,
  stranger: () => ({ "X-API-Key": STRANGER.key, "X-API-Secret": STRANGER.secret }),
  nobody: () => ({}),
};

/** Sends the requests of a check to the real handler of a scene. */
export const sendTo =
  (scene: Scene, deviate: Deviation = (answer) => answer): Send =>
  async (request) => {
    const { method, path, headers, body, as } = request;
    const init = { method, headers: { ...headers, ...HEADERS_OF[as](scene) }, ...(body !== null && { body }) };
    const response = await scene.handle(new Request(`http://momo/v2${path}`, init));
    return deviate({ status: response.status, headers: response.headers, text: await response.text() }, request);
  };

/** What a service that ignores a parameter of the list does not hold. */
export const IGNORED: readonly [parameter: string, sentences: readonly string[]][] = [
  ["page", ["list.next-page"]],
  ["limit", ["list.limit-one", "list.limit-most"]],
  ["type", ["list.by-type"]],
  ["status", STATUSES.map((status) => `list.status-${status}`)],
  ["date_from", ["list.dates"]],
  ["date_to", ["list.dates"]],
  ["search", ["list.search"]],
  ["id", ["list.by-id"]],
];

/** Checks the service of a scene, with as many payments as the checks need. */
export const checkScene = (
  scene: Scene,
  deviate?: Deviation,
  payment: Partial<PaymentToMake> | null = {},
  baseUrl = "http://momo/v2",
): Promise<CheckReport> => checkWith(scene, sendTo(scene, deviate), payment, baseUrl);

/**
 * Checks a scene that stands still, often, and without a payment: no request changes anything, so that the answers to the first check
 * serve for all. They take most of its time.
 */
export function checkReads(scene: Scene): (deviate: Deviation) => Promise<CheckReport> {
  const send = sendTo(scene);
  const answers = new Map<string, ReturnType<Send>>();
  return (deviate) =>
    checkWith(
      scene,
      async (request) => {
        const sent = JSON.stringify(request);
        const answer = answers.get(sent) ?? send(request);
        answers.set(sent, answer);
        return deviate(await answer, request);
      },
      null,
    );
}

function checkWith(
  scene: Scene,
  send: Send,
  payment: Partial<PaymentToMake> | null,
  baseUrl = "http://momo/v2",
): Promise<CheckReport> {
  return checkService({
    baseUrl,
    send,
    credentials: Object.values(scene.caller.headers),
    clock: scene.clock,
    stopwatch: () => scene.clock.nowMs(),
    sleep: (durationMs) => scene.advance(durationMs),
    budget: 1000,
    pauseMs: 0,
    isCareful: true,
    payment: payment && {
      phone: "254712345678",
      amount: 100,
      accountId: scene.caller.accountId,
      maxPushes: 20,
      ...payment,
    },
  });
}

/** Starts payments with all outcomes, and leaves some pending. */
export async function fillScene(scene: Scene): Promise<void> {
  const outcomes = ["completed", "insufficient_funds", "cancelled", "silent", "completed", "wrong_pin"];
  for (const [turn, outcome] of outcomes.entries()) {
    await scene.start({ amount: 150 + turn * 20 }, { headers: { "X-Sandbox-Outcome": outcome } });
  }
  await scene.advance(120_000);
  await scene.start({ amount: 75 }, { headers: { "X-Sandbox-Outcome": "manual" } });
}
