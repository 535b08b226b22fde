import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { Profile } from "../../src/http/profile.ts";
import { ANSWER_CHECKS } from "./answers.ts";
import type { Checking, PaymentToMake } from "./facts.ts";
import { PAYMENT_CHECKS } from "./payment.ts";
import type { Checked, CheckReport } from "./result.ts";
import { type Exchange, redacted, Service, type ServiceOptions, Skip, Stopped } from "./service.ts";
import { SILENT_CHECKS } from "./silent.ts";
import { STATED_CHECKS } from "./stated.ts";

export interface CheckOptions extends ServiceOptions {
  readonly payment: PaymentToMake | null;
  /** Called after each sentence. */
  readonly onChecked?: (checked: Checked, requests: number) => void;
}

/** More than this, and timestamps of the service cannot be compared with ours. */
const MOST_OFFSET_MS = 5 * 60_000;

/** A payment only where the list is answered; then the account has a transaction. What is about all answers comes last. */
const ORDER = [
  ...STATED_CHECKS.slice(0, 1),
  ...PAYMENT_CHECKS,
  ...STATED_CHECKS.slice(1),
  ...SILENT_CHECKS,
  ...ANSWER_CHECKS,
];

/** With credentials that are refused, nothing can be checked. */
export const CREDENTIALS_REFUSED = "the credentials are refused";

/** Holds a service against the specification, sentence by sentence. It never throws for what the service does. */
export async function checkService(options: CheckOptions): Promise<CheckReport> {
  const service = new Service(options);
  const { payment } = options;
  const checking: Checking = { service, payment, pushesLeft: payment?.maxPushes ?? 0, pushed: new Set() };
  const startedAt = formatTimestamp(options.clock.nowMs());
  const checked: Checked[] = [];
  let stopped: string | null = null;
  const { pathname } = new URL(options.baseUrl);
  const profile: Profile = { base_path: pathname.replace(/\/$/, "") };
  for (const check of ORDER) {
    const { id, section, sentence, momo = null } = check;
    const row = { id, section, sentence, momo };
    try {
      const isAboutAnswers = ANSWER_CHECKS.includes(check);
      if (stopped !== null && !isAboutAnswers) throw new Skip("the check had ended");
      const { exchange, wrong = null, does = "", profile: part } = await check.look(checking);
      const verdict = momo !== null ? "recorded" : wrong === null ? "holds" : "fails";
      if (exchange?.status === 401 && service.requests === 1) stopped = CREDENTIALS_REFUSED;
      checked.push({
        ...row,
        verdict,
        seen: redacted(momo === null ? (wrong ?? "") : does),
        evidence: exchange?.evidence ?? null,
      });
      Object.assign(profile, part);
    } catch (error) {
      if (error instanceof Stopped) stopped = error.message;
      else if (!(error instanceof Skip)) throw error;
      checked.push({ ...row, verdict: "skipped", seen: error.message, evidence: null });
    }
    const last = checked.at(-1);
    if (last) options.onChecked?.(last, service.requests);
  }
  return {
    target: options.baseUrl,
    startedAt,
    requests: service.requests,
    stopped,
    notes: notesOf(service.exchanges),
    checked,
    profile,
  };
}

function notesOf([first]: readonly Exchange[]): string[] {
  if (!first) return [];
  const { headers, atMs } = first;
  const offsetMs = Date.parse(headers.get("Date") ?? "") - atMs;
  if (!(Math.abs(offsetMs) > MOST_OFFSET_MS)) return [];
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  return [`the service's clock is ${minutes} minutes ${offsetMs > 0 ? "ahead of" : "behind"} this one`];
}
