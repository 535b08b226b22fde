import type { Clock } from "../../src/domain/clock.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import { filtersSchema } from "../../src/http/input.ts";
import { type Calls, call, textReply } from "./context.ts";
import { CSV_HEAD, csvLine } from "./csv.ts";
import { endsQuery, withEnds } from "./input.ts";
import { merchantOf, merchantQuery } from "./registry.ts";

/** How long a client may take for one part: an export holds its point in time in the database. */
const MOST_PAUSE_MS = 60_000;
/** How long it may take as a whole. */
const MOST_MS = 600_000;

export const EXPORT_CALLS: Calls = {
  "/transactions.csv": {
    GET: call(
      null,
      { query: filtersSchema.safeExtend({ ...merchantQuery.shape, ...endsQuery }), texts: ["text/csv"] },
      async (context, { request, query: { merchant_id, api_key, ends, ...filter }, keepOpen }) => {
        const { id } = await merchantOf(context, { merchant_id, api_key });
        keepOpen(request);
        const parts = context.service.exports.read(id, withEnds(filter, ends));
        // A read that fails at once is answered with its refusal.
        const first = (await parts.next()).value ?? [];
        return textReply(csvOf(first, parts, context.realClock, request.signal), "text/csv; charset=utf-8", {
          "Content-Disposition": 'attachment; filename="momo-payments.csv"',
        });
      },
    ),
  },
};

/** Reads a part when the client takes it, so that the memory does not grow with the rows. */
export function csvOf(
  first: readonly Transaction[],
  parts: AsyncGenerator<readonly Transaction[]>,
  realClock: Clock,
  gone: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const endMs = realClock.nowMs() + MOST_MS;
  let text = CSV_HEAD + first.map(csvLine).join("");
  let cancelAlarm = () => {};
  function end(): void {
    cancelAlarm();
    gone.removeEventListener("abort", end);
    void parts.return(undefined);
  }
  gone.addEventListener("abort", end);
  // If the client has already disconnected, no event is fired.
  if (gone.aborted) end();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        cancelAlarm();
        try {
          let part = await parts.next();
          while (!part.done && part.value.length === 0) part = await parts.next();
          if (!part.done) text += part.value.map(csvLine).join("");
          if (text !== "") controller.enqueue(encoder.encode(text));
          text = "";
          if (part.done) {
            end();
            controller.close();
            return;
          }
        } catch (error) {
          end();
          throw error;
        }
        cancelAlarm = realClock.alarm(Math.min(realClock.nowMs() + MOST_PAUSE_MS, endMs), () => {
          end();
          controller.error(new Error("the client did not take the export"));
        });
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}
