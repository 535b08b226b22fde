import { transactionView } from "../../sandbox/control/views.ts";
import type { LoggedRequest } from "../../sandbox/request-log.ts";
import type { Delivery } from "../../src/domain/delivery.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import { sleep, systemClock } from "../../src/system.ts";
import { deliveryLine } from "./delivery-line.ts";
import { createLineWriter } from "./line-writer.ts";
import type { LogFormat } from "./options.ts";
import { faultText, isErrorTerminal, lineOf, stderr } from "./output.ts";
import { paymentLine } from "./payment-lines.ts";
import { jsonText, wrapped } from "./plain.ts";
import { messageLine, requestLine } from "./request-line.ts";

export type RequestOutput = ReturnType<typeof createRequestOutput>;

/** How long `end` waits for the reader. */
const END_GRACE_MS = 300;

/** How many refused requests have a line of their own each second. The others are counted. */
const MAX_REFUSALS = 5;
const REFUSALS_MS = 1000;

export const isRefused = ({ status }: LoggedRequest): boolean => (status ?? 0) >= 400;

/** The log of a server on stderr. */
export function createRequestOutput(format: LogFormat, width: number) {
  const { nowMs } = systemClock;
  let refusals = 0;
  const counted = new Map<number | null, number>();
  const { write, end } = createLineWriter(
    systemClock,
    (text, done) => stderr().write(text, () => done()),
    (lost) => messageLine(format, `${lost} lines are left out here: they were not read in time`, nowMs(), "error"),
  );
  const writeLine = (line: string) => write(format === "json" ? line : wrapped(line, width - 2).join("\n  "));
  const writeRequest = (request: LoggedRequest) => writeLine(requestLine(format, request, nowMs()));
  const tellCounted = () => {
    refusals = 0;
    if (counted.size === 0) return;
    const counts = [...counted].map(([status, count]) => `${count} with ${status ?? "no answer"}`);
    counted.clear();
    writeLine(
      messageLine(format, `more requests were refused in the same second: ${counts.join(", ")}`, nowMs(), "info"),
    );
  };
  return {
    onRequest: writeRequest,
    /** For a log without the accepted requests. A burst is a few lines and a count. */
    onRefused(request: LoggedRequest): void {
      if (refusals === 0) systemClock.alarm(nowMs() + REFUSALS_MS, tellCounted);
      refusals += 1;
      if (refusals <= MAX_REFUSALS) writeRequest(request);
      else counted.set(request.status, (counted.get(request.status) ?? 0) + 1);
    },
    onTransaction(transaction: Transaction): void {
      const payment = transactionView(transaction);
      if (format === "json") write(jsonText({ time: new Date(nowMs()).toISOString(), level: "info", ...payment }));
      else writeLine(lineOf(paymentLine(payment, nowMs()), isErrorTerminal));
    },
    onDelivery: (delivery: Delivery) => writeLine(deliveryLine(format, delivery, nowMs())),
    reportFault: (error: unknown) => writeLine(messageLine(format, faultText(error), nowMs(), "error")),
    /** Writes the rest. Resolves to whether it was read in time: a reader that does not read must not keep the process alive. */
    async end(): Promise<boolean> {
      tellCounted();
      const written = new AbortController();
      await Promise.race([end().then(() => written.abort()), sleep(END_GRACE_MS, written.signal)]);
      return written.signal.aborted;
    },
  };
}
