import { timeLeft } from "../../src/domain/duration.ts";
import { sleep, systemClock } from "../../src/system.ts";
import { type Beside, openBeside, timeIn } from "../client/beside.ts";
import type { Answer, Client } from "../client/client.ts";
import { isRecord } from "../client/find.ts";
import { commandFor, type TargetFlags } from "../client/target.ts";
import { exitCodeOf, type WaitFlags, waitForOutcome } from "../client/wait.ts";
import { isErrorTerminal, type OutputOptions, tellCommand } from "./output.ts";
import { printPayment } from "./payment-lines.ts";
import { whenInterrupted } from "./signals.ts";
import { openStatusLine, type StatusLine } from "./status-line.ts";

/**
 * Waits for a payment, prints its outcome, and sets the exit code. A person sees the progress, and how to go on after an interruption.
 * @param first the last known answer, or null to poll at once
 */
export async function watchPayment(
  client: Client,
  checkoutRequestId: string,
  flags: TargetFlags & WaitFlags & OutputOptions,
  first: Answer | null,
): Promise<void> {
  const next = commandFor(flags, "status", checkoutRequestId, "--wait");
  const ended = new AbortController();
  const line = openStatusLine();
  const takeBack = whenInterrupted(() => {
    line.clear();
    // Also without a terminal: otherwise the id of the payment is lost.
    tellCommand("The payment goes on. Wait again with:", next);
  });
  if (isErrorTerminal() && !flags.quiet) {
    // Progress is optional.
    void showProgress(checkoutRequestId, openBeside(flags), line, ended.signal).catch(() => {});
  }
  const outcome = await waitForOutcome(client, checkoutRequestId, flags, first).finally(() => {
    ended.abort();
    line.clear();
    takeBack();
  });
  printPayment(outcome, flags, "status");
  if (outcome.status === "pending" && isErrorTerminal()) tellCommand("Still pending. Wait again with:", next);
  process.exitCode = exitCodeOf(outcome);
}

/** How often to read the sandbox's time, because its clock may be frozen or moved. */
const ASK_EACH_SECONDS = 3;

async function showProgress(checkoutRequestId: string, beside: Beside, line: StatusLine, ended: AbortSignal) {
  const waiting = "Waiting for the PIN …";
  line.show(waiting);
  let prompt: Record<string, unknown> | null = null;
  let saidFrozen = false;
  let aheadMs = 0;
  for (let second = 0; !ended.aborted; second += 1) {
    if (second % ASK_EACH_SECONDS === 0) {
      // A busy sandbox may not answer in time: then the next round tries again.
      if (!prompt) {
        const story = await beside.get(`/transactions/${encodeURIComponent(checkoutRequestId)}`);
        if (ended.aborted) return;
        prompt = isRecord(story?.prompt) ? story.prompt : null;
        const isManual = isRecord(story?.decided_by) && story.decided_by.outcome === "manual";
        if (isManual) line.note(`The prompt waits for an answer: give it with momo phone ${prompt?.phone}.`);
        else if (second === 0 && !line.isLive) line.note(waiting);
      }
      const { nowMs, isFrozen } = timeIn(await beside.get("/clock"), systemClock.nowMs());
      if (ended.aborted) return;
      if (isFrozen && !saidFrozen) {
        line.note("The sandbox's clock is frozen: momo clock resume starts it again.");
      }
      saidFrozen = isFrozen;
      aheadMs = nowMs - systemClock.nowMs();
    }
    const leftMs = Number(prompt?.expires_at_ms) - systemClock.nowMs() - aheadMs;
    if (saidFrozen) line.show(`${waiting} the clock is frozen`);
    else line.show(Number.isNaN(leftMs) ? waiting : `${waiting} ${timeLeft(leftMs)} left`);
    await sleep(1000, ended);
  }
}
