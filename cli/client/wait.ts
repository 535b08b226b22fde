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

/** The exit code of a command that waited. */
export const exitCodeOf = (answer: Answer): number => EXIT_OF_STATUS[statusOf(answer)];

function statusOf({ status }: Answer): Status {
  const known = STATUSES.find((candidate) => candidate === status);
  if (!known) throw new Failure("unexpected", "the service answered without a status that it can have");
  return known;
}

/**
 * Polls as the specification recommends (§4.4) until the payment is final or the time is up.
 * @param first the last known answer, or null to poll at once
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
  // A failed poll tells nothing about the payment. Only the last one counts.
  let failure: Failure | null = null;
  for (;;) {
    const leftMs = untilMs - systemClock.nowMs();
    if (failure && leftMs <= 0) throw failure;
    if (statusOf(answer) !== "pending" || leftMs <= 0) return answer;
    await sleep(Math.min(flags.interval, leftMs));
    try {
      answer = await check();
      failure = null;
    } catch (error) {
      if (!isBadPoll(error)) throw error;
      failure = error;
    }
  }
}

const isBadPoll = (error: unknown): error is Failure =>
  error instanceof LostAnswer || (error instanceof Failure && error.code === "refused");
