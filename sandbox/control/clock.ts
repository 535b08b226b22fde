import { z } from "zod";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import { type Reply, succeed } from "../../src/http/reply.ts";
import { type Calls, type ControlContext, described } from "./context.ts";
import { bodyOf, duration } from "./input.ts";
import { type ClockReading, clockAnswer } from "./shapes/steering.ts";

const only = (member: string) => ({ error: `must be true; leave ${member} out otherwise` });

const clockRequest = z
  .strictObject({
    freeze: z.literal(true, only("freeze")).optional(),
    resume: z.literal(true, only("resume")).optional(),
    advance: duration.optional(),
  })
  .refine(({ freeze, resume }) => !(freeze && resume), { error: "give freeze or resume, not both" })
  .refine((moves) => Object.keys(moves).length > 0, { error: 'give "freeze":true, "advance":"90s" or "resume":true' });

export const CLOCK_CALLS: Calls = {
  "/clock": {
    GET: described("The time of the sandbox", clockAnswer, {}, async (context) => answer(context)),
    /** Several can be given: a refused advance changes nothing. Payments that an advance makes due are resolved before the answer. */
    POST: described(
      "Stop the clock, move it forward, or start it again",
      clockAnswer,
      { body: bodyOf(clockRequest, { advance: "90s" }) },
      async (context, { request, body: { freeze, advance, resume }, keepOpen }) => {
        const { clock, service, steering } = context;
        await steering.change(() => {
          if (advance !== undefined) clock.advance(advance);
          if (freeze) clock.freeze();
          if (resume) clock.resume();
        });
        context.rememberClock();
        keepOpen(request);
        await service.resolver.resolveDue();
        return answer(context);
      },
    ),
  },
};

function answer({ clock }: ControlContext): Reply {
  const nowMs = clock.nowMs();
  const now = formatTimestamp(nowMs);
  const reading: ClockReading = { now, now_ms: nowMs, frozen: clock.isFrozen };
  return succeed(`it is ${now} in Nairobi${clock.isFrozen ? "; the clock is frozen" : ""}`, reading);
}
