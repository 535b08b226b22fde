import { transactionView } from "../../sandbox/control/views.ts";
import type { LogListener } from "../../sandbox/request-log.ts";
import type { DeliveryListener } from "../../sandbox/webhooks/outbox.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import { sleep, systemClock } from "../../src/system.ts";
import { deliveryLine } from "./delivery-line.ts";
import { createLineWriter } from "./line-writer.ts";
import type { LogFormat } from "./options.ts";
import { faultText, isErrorTerminal, lineOf, stderr } from "./output.ts";
import { paymentLine } from "./payment-lines.ts";
import { jsonText } from "./plain.ts";
import { faultLine, requestLine } from "./request-line.ts";

/** The log of a server on stderr. */
export interface RequestOutput {
  readonly onRequest: LogListener;
  readonly onTransaction: (transaction: Transaction) => void;
  readonly onDelivery: DeliveryListener;
  readonly reportFault: (error: unknown) => void;
  /** Writes the rest. Resolves to whether it was read in time: a reader that does not read must not keep the process alive. */
  readonly end: () => Promise<boolean>;
}

/** How long `end` waits for the reader. */
const END_GRACE_MS = 300;

export function createRequestOutput(format: LogFormat, width: number): RequestOutput {
  const { nowMs } = systemClock;
  const { write, end } = createLineWriter(
    systemClock,
    (text, done) => stderr().write(text, () => done()),
    (lost) => faultLine(format, `${lost} lines are left out here: nobody read them in time`, nowMs()),
  );
  return {
    onRequest: (request) => write(requestLine(format, request, nowMs())),
    onTransaction(transaction) {
      const payment = transactionView(transaction);
      if (format === "json") write(jsonText({ time: new Date(nowMs()).toISOString(), level: "info", ...payment }));
      else write(lineOf(paymentLine(payment, nowMs(), width), isErrorTerminal));
    },
    onDelivery: (delivery) => write(deliveryLine(format, delivery, nowMs())),
    reportFault: (error) => write(faultLine(format, faultText(error), nowMs())),
    async end() {
      const taken = new AbortController();
      await Promise.race([end().then(() => taken.abort()), sleep(END_GRACE_MS, taken.signal)]);
      return taken.signal.aborted;
    },
  };
}
