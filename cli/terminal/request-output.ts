import { transactionView } from "../../sandbox/control/views.ts";
import type { LoggedRequest } from "../../sandbox/request-log.ts";
import type { Delivery } from "../../sandbox/webhooks/delivery-book.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import { sleep, systemClock } from "../../src/system.ts";
import { deliveryLine } from "./delivery-line.ts";
import { createLineWriter } from "./line-writer.ts";
import type { LogFormat } from "./options.ts";
import { faultText, isErrorTerminal, lineOf, stderr } from "./output.ts";
import { paymentLine } from "./payment-lines.ts";
import { jsonText } from "./plain.ts";
import { faultLine, requestLine } from "./request-line.ts";

export type RequestOutput = ReturnType<typeof createRequestOutput>;

/** How long `end` waits for the reader. */
const END_GRACE_MS = 300;

/** The log of a server on stderr. */
export function createRequestOutput(format: LogFormat, width: number) {
  const { nowMs } = systemClock;
  const { write, end } = createLineWriter(
    systemClock,
    (text, done) => stderr().write(text, () => done()),
    (lost) => faultLine(format, `${lost} lines are left out here: they were not read in time`, nowMs()),
  );
  return {
    onRequest: (request: LoggedRequest) => write(requestLine(format, request, nowMs())),
    onTransaction(transaction: Transaction): void {
      const payment = transactionView(transaction);
      if (format === "json") write(jsonText({ time: new Date(nowMs()).toISOString(), level: "info", ...payment }));
      else write(lineOf(paymentLine(payment, nowMs(), width), isErrorTerminal));
    },
    onDelivery: (delivery: Delivery) => write(deliveryLine(format, delivery, nowMs())),
    reportFault: (error: unknown) => write(faultLine(format, faultText(error), nowMs())),
    /** Writes the rest. Resolves to whether it was read in time: a reader that does not read must not keep the process alive. */
    async end(): Promise<boolean> {
      const written = new AbortController();
      await Promise.race([end().then(() => written.abort()), sleep(END_GRACE_MS, written.signal)]);
      return written.signal.aborted;
    },
  };
}
