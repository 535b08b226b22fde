import type { LogListener } from "../../sandbox/request-log.ts";
import type { DeliveryListener } from "../../sandbox/webhooks/outbox.ts";
import { sleep, systemClock } from "../../src/system.ts";
import { deliveryLine } from "./delivery-line.ts";
import { createLineWriter } from "./line-writer.ts";
import type { LogFormat } from "./log-format.ts";
import { faultText, stderr } from "./output.ts";
import { faultLine, requestLine } from "./request-line.ts";

/** What a server tells of its work, on stderr. */
export interface RequestOutput {
  readonly onRequest: LogListener;
  readonly onDelivery: DeliveryListener;
  readonly reportFault: (error: unknown) => void;
  /** Writes what is left. Resolves to whether it was read: a reader that stands still must not hold the process. */
  readonly end: () => Promise<boolean>;
}

/** How long the end waits for the reader. */
const END_GRACE_MS = 300;

export function createRequestOutput(format: LogFormat): RequestOutput {
  const { nowMs } = systemClock;
  const { write, end } = createLineWriter(
    systemClock,
    (text, done) => stderr().write(text, () => done()),
    (lost) => faultLine(format, `${lost} lines are left out here: nobody read them in time`, nowMs()),
  );
  return {
    onRequest: (request) => write(requestLine(format, request, nowMs())),
    onDelivery: (delivery) => write(deliveryLine(format, delivery, nowMs())),
    reportFault: (error) => write(faultLine(format, faultText(error), nowMs())),
    async end() {
      const taken = new AbortController();
      await Promise.race([end().then(() => taken.abort()), sleep(END_GRACE_MS, taken.signal)]);
      return taken.signal.aborted;
    },
  };
}
