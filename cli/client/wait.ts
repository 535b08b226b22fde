import { timeLeft } from "../../src/domain/duration.ts";
import { sleep, stopwatch } from "../../src/system.ts";
import type { Io } from "../io.ts";
import { EXIT, Failure } from "../terminal/failure.ts";
import type { OutputOptions } from "../terminal/output.ts";
import { printPayment, statusOf } from "../terminal/payment-lines.ts";
import { openStatusLine, type StatusLine } from "../terminal/status-line.ts";
import { ABOUT_PAYMENT, type Client, type OptionalControl, openOptionalControl, timeIn } from "./client.ts";
import { checkoutIdOf, isRecord } from "./find.ts";
import { type Answer, LostAnswer } from "./request.ts";
import { commandFor, type TargetFlags } from "./target.ts";

export interface WaitFlags {
  readonly wait?: true;
  readonly interval: number;
  readonly timeout: number;
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
  const untilMs = stopwatch() + flags.timeout;
  const order = { checkout_request_id: checkoutRequestId };
  const poll = () => untilAnswered(() => client.post("/status.php", order, ABOUT_PAYMENT), flags.interval, untilMs);
  let answer = first ?? (await poll());
  for (;;) {
    const leftMs = untilMs - stopwatch();
    if (statusOf(answer) !== "pending" || leftMs <= 0) return answer;
    await sleep(Math.min(flags.interval, leftMs));
    answer = await poll();
  }
}

/** Repeats a read that fails, because that tells nothing about the payment. Only the last failure counts. */
async function untilAnswered<T>(read: () => Promise<T>, intervalMs: number, untilMs: number): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      const leftMs = untilMs - stopwatch();
      const isPassing = error instanceof LostAnswer || (error instanceof Failure && error.code === "refused");
      if (!isPassing || leftMs <= 0) throw error;
      await sleep(Math.min(intervalMs, leftMs));
    }
  }
}

/**
 * Waits for a payment, prints its outcome, and sets the exit code. A person sees the progress, and how to go on after an interruption.
 * @param name its number or its request id
 * @param first the last known answer, or null to poll at once
 */
export async function watchPayment(
  io: Io,
  client: Client,
  name: string,
  flags: TargetFlags & WaitFlags & OutputOptions,
  first: Answer | null,
): Promise<void> {
  const untilMs = stopwatch() + flags.timeout;
  const next = commandFor(flags, "status", name, "--wait");
  const ended = new AbortController();
  const line = openStatusLine(io);
  const takeBack = io.onSignal((exitCode) => {
    line.clear();
    // Also without a terminal: otherwise the id of the payment is lost.
    io.tellCommand("The payment goes on. Wait again with:", next);
    process.exit(exitCode);
  });
  const found = untilAnswered(() => checkoutIdOf(client, name), flags.interval, untilMs);
  if (io.stderr.isTerminal() && !flags.quiet) {
    // Progress is optional.
    void showProgress(io, found, openOptionalControl(io, flags), line, ended.signal).catch(() => {});
  }
  const waited = found.then((id) => waitForOutcome(client, id, { ...flags, timeout: untilMs - stopwatch() }, first));
  const outcome = await waited.finally(() => {
    ended.abort();
    line.clear();
    takeBack();
  });
  printPayment(io, outcome, flags, "status");
  if (outcome.status === "pending" && io.stderr.isTerminal()) io.tellCommand("Still pending. Wait again with:", next);
  const status = statusOf(outcome);
  io.exitCode = status === "completed" ? EXIT.done : EXIT[status];
}

/** How often to read the sandbox's time, because its clock may be frozen or moved. */
const ASK_EACH_SECONDS = 3;

async function showProgress(
  { clock }: Io,
  found: Promise<string>,
  control: OptionalControl,
  line: StatusLine,
  ended: AbortSignal,
) {
  const waiting = "Waiting for the PIN …";
  line.show(waiting);
  const checkoutRequestId = await found;
  let prompt: Record<string, unknown> | null = null;
  let saidFrozen = false;
  let aheadMs = 0;
  for (let second = 0; !ended.aborted; second += 1) {
    if (second % ASK_EACH_SECONDS === 0) {
      // A busy sandbox may not answer in time: then the next round tries again.
      if (!prompt) {
        const story = await control(`/transactions/${encodeURIComponent(checkoutRequestId)}`);
        if (ended.aborted) return;
        prompt = isRecord(story?.prompt) ? story.prompt : null;
        const isPending = isRecord(story?.transaction) && story.transaction.status === "pending";
        const isManual = isRecord(story?.decided_by) && story.decided_by.outcome === "manual";
        if (isPending && isManual)
          line.note(`The prompt waits for an answer: give it with momo phone ${prompt?.phone}.`);
        else if (second === 0 && !line.isLive) line.note(waiting);
      }
      const { nowMs, isFrozen } = timeIn(await control("/clock"), clock.nowMs());
      if (ended.aborted) return;
      if (isFrozen && !saidFrozen) {
        line.note("The sandbox's clock is frozen: momo clock resume starts it again.");
      }
      saidFrozen = isFrozen;
      aheadMs = nowMs - clock.nowMs();
    }
    const leftMs = Number(prompt?.expires_at_ms) - clock.nowMs() - aheadMs;
    if (saidFrozen) line.show(`${waiting} the clock is frozen`);
    else line.show(Number.isNaN(leftMs) ? waiting : `${waiting} ${timeLeft(leftMs)} left`);
    await sleep(1000, ended);
  }
}
