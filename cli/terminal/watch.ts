import { timeLeft } from "../../src/domain/duration.ts";
import { sleep, systemClock } from "../../src/system.ts";
import { type Beside, timeIn } from "../client/beside.ts";
import { isRecord } from "../client/find.ts";
import { isErrorTerminal, tell } from "./output.ts";
import { whenInterrupted } from "./signals.ts";
import { openStatusLine, type StatusLine } from "./status-line.ts";

/** What a person sees while a command waits for a payment, and how to go on after an interruption. */

interface Watched {
  readonly checkoutRequestId: string;
  readonly beside: Beside;
  /** The command that continues the wait. */
  readonly next: string;
  readonly isQuiet: boolean;
}

export interface Watch {
  /** Stops showing progress. */
  end(): void;
  /** Says how to continue, if the payment is still pending. */
  tellNext(): void;
}

export function watchPayment(watched: Watched): Watch {
  const ended = new AbortController();
  const line = openStatusLine();
  const takeBack = whenInterrupted(() => {
    line.clear();
    // Also without a terminal: otherwise the id of the payment is lost.
    tell(`The payment goes on. Wait again with: ${watched.next}`);
  });
  if (isErrorTerminal() && !watched.isQuiet) {
    void showProgress(watched, line, ended.signal).catch(() => {}); // progress is optional
  }
  return {
    end() {
      ended.abort();
      line.clear();
      takeBack();
    },
    tellNext() {
      if (isErrorTerminal()) tell(`Still pending. Wait again with: ${watched.next}`);
    },
  };
}

/** How often to ask the sandbox for its time, because somebody may freeze or move its clock. */
const ASK_EACH_SECONDS = 3;

async function showProgress({ checkoutRequestId, beside }: Watched, line: StatusLine, ended: AbortSignal) {
  const waiting = "Waiting for the customer to enter the PIN …";
  line.show(waiting);
  let prompt: Record<string, unknown> | null = null;
  let saidFrozen = false;
  let aheadMs = 0;
  for (let second = 0; !ended.aborted; second += 1) {
    if (second % ASK_EACH_SECONDS === 0) {
      // A busy sandbox may not have answered in time: then it is asked again.
      if (!prompt) {
        const story = await beside.get(`/transactions/${encodeURIComponent(checkoutRequestId)}`);
        if (ended.aborted) return;
        prompt = isRecord(story?.prompt) ? story.prompt : null;
        const isManual = isRecord(story?.decided_by) && story.decided_by.outcome === "manual";
        if (isManual) line.note(`The prompt waits for somebody: momo phone ${prompt?.phone} answers it.`);
        else if (second === 0 && !line.isLive) line.note(waiting);
      }
      const { nowMs, isFrozen } = timeIn(await beside.get("/clock"), systemClock.nowMs());
      if (ended.aborted) return;
      if (isFrozen && !saidFrozen) {
        line.note("The sandbox's clock stands still: momo clock resume lets it go on.");
      }
      saidFrozen = isFrozen;
      aheadMs = nowMs - systemClock.nowMs();
    }
    const leftMs = Number(prompt?.expires_at_ms) - systemClock.nowMs() - aheadMs;
    if (saidFrozen) line.show(`${waiting} the clock stands still`);
    else line.show(Number.isNaN(leftMs) ? waiting : `${waiting} ${timeLeft(leftMs)} left`);
    await sleep(1000, ended);
  }
}
