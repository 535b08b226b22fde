import { z } from "zod";
import { aheadInWords, parseMove } from "../../src/domain/duration.ts";
import { invalid, invalidAt } from "../../src/domain/error.ts";
import { formatTimestamp, INSTANT_FORM, parseInstant } from "../../src/domain/timestamp.ts";
import { type Reply, succeed } from "../../src/http/reply.ts";
import type { ClockState } from "../network/clock.ts";
import { type Calls, type ControlContext, call } from "./context.ts";
import { bodyOf, readWith } from "./input.ts";
import { type ClockReading, clockAnswer } from "./shapes/steering.ts";
import { durationText } from "./shapes/values.ts";

const only = (member: string) => ({ error: `must be true; leave ${member} out otherwise` });

const clockRequest = z
  .strictObject({
    freeze: z.literal(true, only("freeze")).optional(),
    resume: z.literal(true, only("resume")).optional(),
    advance: readWith(durationText, (text) => parseMove(text)).optional(),
    to: readWith(z.string(), readInstant).optional().describe("an instant in Nairobi, or with an offset"),
  })
  .refine(({ advance, to }) => advance === undefined || to === undefined, { error: "give advance or to, not both" })
  .refine(({ freeze, resume }) => !(freeze && resume), { error: "give freeze or resume, not both" })
  .refine((moves) => Object.keys(moves).length > 0, {
    error: 'give "freeze":true, "advance":"90s", "to":"2026-11-27 00:30" or "resume":true',
  });

function readInstant(text: string): number {
  const atMs = parseInstant(text);
  if (atMs === null) throw invalidAt("to", `is not an instant of the calendar: write it as ${INSTANT_FORM}`);
  return atMs;
}

export const CLOCK_CALLS: Calls = {
  "/clock": {
    GET: call(clockAnswer, {}, async (context) => answer(context)),
    /**
     * Several can be given: a refused advance changes nothing. Payments that a move makes due are resolved before the answer, and their
     * webhooks delivered: what a test does next does not depend on the speed of the receiver.
     */
    POST: call(
      clockAnswer,
      { body: bodyOf(clockRequest, { advance: "90s" }) },
      async (context, { request, body: { freeze, advance, to, resume }, keepOpen }) => {
        const { clock, service, steering, webhooks } = context;
        await steering.change(() => {
          if (advance !== undefined) clock.advance(advance);
          if (to !== undefined) clock.advance(distanceTo(to, clock.nowMs()));
          if (freeze) clock.freeze();
          if (resume) clock.resume();
        });
        context.rememberClock();
        keepOpen(request);
        await service.resolver.resolveDue();
        await webhooks.settle();
        return answer(context);
      },
    ),
  },
};

/** @throws Refusal `invalid` for an instant that has passed */
function distanceTo(atMs: number, nowMs: number): number {
  if (atMs >= nowMs) return atMs - nowMs;
  const now = formatTimestamp(nowMs);
  throw invalid(`to has passed: it is ${now} in Nairobi, and the clock only moves forward until a reset or a restore`, [
    { path: "to", rule: "must not have passed" },
  ]);
}

function answer({ clock }: ControlContext): Reply {
  const nowMs = clock.nowMs();
  const now = formatTimestamp(nowMs);
  const reading: ClockReading = { now, now_ms: nowMs, frozen: clock.isFrozen };
  return succeed(`it is ${now} in Nairobi${stateOf(clock.save())}`, reading);
}

function stateOf(state: ClockState): string {
  if ("frozenAtMs" in state) return "; the clock is frozen";
  const ahead = aheadInWords(state.aheadMs);
  return ahead === "" ? "" : `; the clock runs, ${ahead} from this machine's`;
}
