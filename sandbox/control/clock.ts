import { z } from "zod";
import { parseDuration } from "../../src/domain/duration.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import { type Reply, succeed } from "../../src/http/reply.ts";
import type { ControlCall, ControlContext } from "./context.ts";
import { readBody, readWith } from "./input.ts";

const only = (member: string) => ({ error: `must be true; leave ${member} out otherwise` });

const clockSchema = z
  .strictObject({
    freeze: z.literal(true, only("freeze")).optional(),
    resume: z.literal(true, only("resume")).optional(),
    advance: readWith(z.string(), (text) => parseDuration(text, "it")).optional(),
  })
  .refine(({ freeze, resume }) => !(freeze && resume), { error: "give freeze or resume, not both" })
  .refine((moves) => Object.keys(moves).length > 0, { error: 'give "freeze":true, "advance":"90s" or "resume":true' });

/** `GET /_momo/clock`: what time it is for momo. */
export const showClock: ControlCall = async (_request, context) => answer(context);

/**
 * `POST /_momo/clock`: stops it, moves it forward, lets it go on; in this order where several are given. All that falls due by
 * an advance is resolved when this answers.
 */
export const setClock: ControlCall = async (request, context, { keepOpen }) => {
  const { freeze, advance, resume } = await readBody(clockSchema, request);
  const { clock, service } = context;
  if (freeze) clock.freeze();
  if (advance !== undefined) clock.advance(advance);
  if (resume) clock.resume();
  context.rememberClock();
  keepOpen(request);
  await service.resolver.settle();
  return answer(context);
};

function answer({ clock }: ControlContext): Reply {
  const nowMs = clock.nowMs();
  const now = formatTimestamp(nowMs);
  return succeed(`it is ${now} in Nairobi${clock.isFrozen ? ", and stays so" : ""}`, {
    now,
    now_ms: nowMs,
    frozen: clock.isFrozen,
  });
}
