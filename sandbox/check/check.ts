import { isDeepStrictEqual } from "node:util";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import { type Profile, profileSchema } from "../../src/http/profile.ts";
import { ANSWER_CHECKS } from "./answers.ts";
import type { Json } from "./bounded.ts";
import type { Check, CheckRun, PaymentToMake } from "./check-run.ts";
import type { Fact, Note, Stop } from "./fact.ts";
import { FILTER_CHECKS } from "./filters.ts";
import { MEMBER_CHECKS } from "./members.ts";
import { LIST_ANSWERED, PAGE_CHECKS } from "./pages.ts";
import { PAYMENT_CHECKS, pushNotes } from "./payment.ts";
import { REFUSAL_CHECKS } from "./refusals.ts";
import type { Checked, CheckReport, Evidence } from "./result.ts";
import { type Exchange, Service, type ServiceOptions, Skip, Stopped, shownAnswer } from "./service.ts";
import { SILENT_CHECKS } from "./silent.ts";
import { SUMMARY_CHECKS } from "./summary.ts";

export interface CheckOptions extends ServiceOptions {
  readonly payment: PaymentToMake | null;
  /** Called after each sentence. */
  readonly onChecked?: (checked: Checked, requests: number) => void;
}

/** More than this, and timestamps of the service cannot be compared with ours. */
const MOST_OFFSET_MS = 5 * 60_000;

/** A payment only where the list is answered; then the account has a transaction. What is about all answers comes last. */
const CHECKS: readonly Check[] = [
  LIST_ANSWERED,
  ...PAYMENT_CHECKS,
  ...MEMBER_CHECKS,
  ...PAGE_CHECKS,
  ...FILTER_CHECKS,
  ...SUMMARY_CHECKS,
  ...REFUSAL_CHECKS,
  ...SILENT_CHECKS,
  ...ANSWER_CHECKS,
];

/**
 * Holds a service against the specification, sentence by sentence. It never throws for what the service does, and what it returns has
 * no secret: values that came are hidden at the end, because the service may repeat one before it names it.
 */
export async function checkService(options: CheckOptions): Promise<CheckReport> {
  const service = new Service(options);
  const { payment } = options;
  const checkRun: CheckRun = { service, payment, pushesLeft: payment?.maxPushes ?? 0, pushed: new Set() };
  const startedAt = formatTimestamp(options.clock.nowMs());
  const checked: Checked[] = [];
  let stopped: Stop | null = null;
  const { pathname } = new URL(options.baseUrl);
  const found: Profile[] = [{ base_path: pathname.replace(/\/$/, "") }];
  for (const check of CHECKS) {
    const { id, section, sentence, breaks, momo } = check;
    const row = { id, section, sentence, breaks, momo: momo?.({}) ?? null };
    let result: Checked;
    try {
      const isAboutAnswers = ANSWER_CHECKS.includes(check);
      if (stopped !== null && !isAboutAnswers) throw new Skip({ kind: "ended" });
      const { exchange, fact, profile, part } = await check.run(checkRun);
      const verdict = momo ? "recorded" : fact === null ? "holds" : "fails";
      // With credentials that are refused, nothing can be checked.
      if (exchange?.status === 401 && service.requests === 1) stopped = { kind: "credentials_refused" };
      result = { ...row, verdict, fact, evidence: exchange && evidenceOf(exchange, part) };
      if (profile) found.push(profile);
    } catch (error) {
      if (error instanceof Stopped) stopped = error.fact;
      // A mistake of this program must not cost the report: a payment may have been made.
      else if (!(error instanceof Skip)) stopped = { kind: "bug", error: String((error as Error).message) };
      const fact: Fact = error instanceof Skip ? error.fact : (stopped ?? { kind: "ended" });
      result = { ...row, verdict: "skipped", fact, evidence: null };
    }
    checked.push(result);
    options.onChecked?.(result, service.requests);
  }
  const profile = profileOf(found, service);
  const notImitated = CHECKS.filter((check, turn) => !isImitated(checked[turn] as Checked, check, profile));
  const show = hiding(service);
  return {
    target: options.baseUrl,
    startedAt,
    requests: service.requests,
    stopped: stopped && show(stopped),
    notes: show([...pushNotes(checkRun), ...notesOf(service.exchanges, profile)]),
    checked: checked.map(({ fact, evidence, ...row }) => ({
      ...row,
      fact: show(fact),
      evidence: evidence && {
        ...evidence,
        curl: service.secrets.hide(evidence.curl, 1000),
        answer: show(evidence.answer),
      },
    })),
    profile,
    notImitated: notImitated.map(({ id }) => id),
  };
}

/** Members of facts that have a word of momo. */
const OWN_WORDS = ["kind", "order", "form", "answers"];

/** Hides secrets in all texts of a value. Many sentences share an answer, and hiding takes long. */
function hiding({ secrets }: Service): <Value>(value: Value) => Value {
  const known = new Map<string, string>();
  function hideText(text: string): string {
    const hidden = known.get(text) ?? secrets.hide(text, MOST_SHOWN);
    known.set(text, hidden);
    return hidden;
  }
  function hide(value: unknown): unknown {
    if (typeof value === "string") return hideText(value);
    if (Array.isArray(value)) return value.map(hide);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, OWN_WORDS.includes(name) ? member : hide(member)]),
    );
  }
  return <Value>(value: Value) => hide(value) as Value;
}

/** The answer of an exchange, or the part of it that shows something. */
const evidenceOf = ({ evidence }: Exchange, part: Json | undefined): Evidence =>
  part ? { ...evidence, answer: `…${shownAnswer(part, "")}…` } : evidence;

/** Whether momo does the same as the service, with the whole profile. */
function isImitated({ verdict, fact }: Checked, { momo }: Check, profile: Profile): boolean {
  if (momo === undefined) return verdict !== "fails";
  return verdict === "recorded" && isDeepStrictEqual(fact, momo(profile));
}

/** Of a text that a service has a part in. */
const MOST_SHOWN = 400;

/** The parts that `momo serve --profile` takes, without secrets. */
function profileOf(found: readonly Profile[], { secrets }: Service): Profile {
  const hide = (name: string, value: unknown) =>
    typeof value === "string" ? secrets.hide(value, 500).slice(0, name === "message" ? 500 : 200) : value;
  const parts = found.map((part) => profileSchema.safeParse(JSON.parse(JSON.stringify(part), hide)));
  let profile: Profile = {};
  // The first check that finds a member is the one that asks for it.
  for (const { data } of parts) profile = { ...profile, ...data, ...profile };
  return profile;
}

function notesOf(exchanges: readonly Exchange[], { base_path }: Profile): Note[] {
  const [first] = exchanges;
  if (!first) return [];
  const notes: Note[] = [];
  const offsetMs = Date.parse(first.headers.get("Date") ?? "") - first.atMs;
  if (Math.abs(offsetMs) > MOST_OFFSET_MS) {
    const minutes = Math.round(Math.abs(offsetMs) / 60_000);
    notes.push({ kind: "clock_apart", minutes, isAhead: offsetMs > 0 });
  }
  const last = exchanges.findLast(
    ({ sent }) => sent.path === first.sent.path && sent.as === "owner" && sent.body === null,
  );
  const rows = last?.json?.transactions ?? last?.json?.data;
  if (Array.isArray(rows) && rows.length === 0) notes.push({ kind: "empty_account" });
  if (base_path === undefined) notes.push({ kind: "base_path" });
  return notes;
}
