import { STATUSES, type Status } from "../../src/domain/transaction.ts";
import { sleep, systemClock } from "../../src/system.ts";
import { EXIT, Failure } from "../terminal/failure.ts";
import { type Answer, type Client, LostAnswer, READS } from "./client.ts";

export interface WaitFlags {
  readonly wait?: true;
  readonly interval: number;
  readonly timeout: number;
}

const EXIT_OF_STATUS: Record<Status, number> = {
  completed: EXIT.done,
  failed: EXIT.failed,
  cancelled: EXIT.cancelled,
  expired: EXIT.expired,
  pending: EXIT.pending,
};

/** How a command that waited ends. */
export const exitCodeOf = (answer: Answer): number => EXIT_OF_STATUS[statusOf(answer)];

function statusOf({ status }: Answer): Status {
  const known = STATUSES.find((candidate) => candidate === status);
  if (!known) throw new Failure("unexpected", "the service answered without a status that it can have");
  return known;
}

/**
 * Polls as the specification recommends (§4.4) until the payment is final or the time is up.
 * @param first the answer known already, or null to ask at once
 * @returns the last answer
 */
export async function waitForOutcome(
  client: Client,
  checkoutRequestId: string,
  flags: WaitFlags,
  first: Answer | null,
): Promise<Answer> {
  const untilMs = systemClock.nowMs() + flags.timeout;
  const check = () => client.post("/status.php", { checkout_request_id: checkoutRequestId }, READS);
  let answer = first ?? (await check());
  for (;;) {
    const leftMs = untilMs - systemClock.nowMs();
    if (statusOf(answer) !== "pending" || leftMs <= 0) return answer;
    await sleep(Math.min(flags.interval, leftMs));
    // A bad answer to a poll, or a lost one, says nothing of the payment, unless it is the last.
    answer = await check().catch((error: unknown) => {
      const isBadPoll = error instanceof LostAnswer || (error instanceof Failure && error.code === "refused");
      if (isBadPoll && systemClock.nowMs() < untilMs) return answer;
      throw error;
    });
  }
}
