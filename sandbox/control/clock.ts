import { z } from "zod";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import { type Reply, succeed } from "../../src/http/reply.ts";
import type { ControlCall, ControlContext } from "./context.ts";
import { duration, readBody } from "./input.ts";
import type { ClockReading } from "./shapes/steering.ts";

export const showClock: ControlCall = async (_request, context) => answer(context);

const only = (member: string) => ({ error: `must be true; leave ${member} out otherwise` });

export const clockRequest = z
  .strictObject({
    freeze: z.literal(true, only("freeze")).optional(),
    resume: z.literal(true, only("resume")).optional(),
    advance: duration.optional(),
  })
  .refine(({ freeze, resume }) => !(freeze && resume), { error: "give freeze or resume, not both" })
  .refine((moves) => Object.keys(moves).length > 0, { error: 'give "freeze":true, "advance":"90s" or "resume":true' });

/**
 * `POST /_momo/clock`: freezes, advances or resumes, in this order if several are given. Payments that an advance makes
 * due are resolved before the answer.
 */
export const setClock: ControlCall = async (request, context, { keepOpen }) => {
  const { freeze, advance, resume } = await readBody(clockRequest, request);
  const { clock, service, steering } = context;
  await steering.change(() => {
    if (freeze) clock.freeze();
    if (advance !== undefined) clock.advance(advance);
    if (resume) clock.resume();
  });
  context.rememberClock();
  keepOpen(request);
  await service.resolver.resolveDue();
  return answer(context);
};

function answer({ clock }: ControlContext): Reply {
  const nowMs = clock.nowMs();
  const now = formatTimestamp(nowMs);
  const reading: ClockReading = { now, now_ms: nowMs, frozen: clock.isFrozen };
  return succeed(`it is ${now} in Nairobi${clock.isFrozen ? "; the clock is frozen" : ""}`, reading);
}
