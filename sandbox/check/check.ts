import { formatTimestamp } from "../../src/domain/timestamp.ts";
import { type Profile, profileSchema } from "../../src/http/profile.ts";
import { ANSWER_CHECKS } from "./answers.ts";
import { isObject, type Json } from "./bounded.ts";
import { type Checking, NO_TRANSACTIONS, type PaymentToMake } from "./facts.ts";
import { PAYMENT_CHECKS, pushNotes } from "./payment.ts";
import { type Checked, type CheckReport, type Evidence, isLikeMomo } from "./result.ts";
import { type Exchange, Service, type ServiceOptions, Skip, Stopped, shownAnswer } from "./service.ts";
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

/**
 * Holds a service against the specification, sentence by sentence. It never throws for what the service does, and what it returns has
 * no secret: values that came are hidden in all texts at the end, because the service may repeat one before it names it.
 */
export async function checkService(options: CheckOptions): Promise<CheckReport> {
  const service = new Service(options);
  const { payment } = options;
  const checking: Checking = { service, payment, pushesLeft: payment?.maxPushes ?? 0, pushed: new Set() };
  const startedAt = formatTimestamp(options.clock.nowMs());
  const checked: Checked[] = [];
  let stopped: string | null = null;
  const { pathname } = new URL(options.baseUrl);
  const found: Profile[] = [{ base_path: pathname.replace(/\/$/, "") }];
  /** The profile of each silent sentence; null if it has no room for all of it, or was not checked. */
  const recorded = new Map<string, Profile | null>();
  for (const check of ORDER) {
    const { id, section, sentence, momo = null } = check;
    const row = { id, section, sentence, momo };
    try {
      const isAboutAnswers = ANSWER_CHECKS.includes(check);
      if (stopped !== null && !isAboutAnswers) throw new Skip("the check had ended");
      const { exchange, wrong = null, does = "", profile, isTooMuch = false, part } = await check.look(checking);
      const verdict = momo !== null ? "recorded" : wrong === null ? "holds" : "fails";
      if (exchange?.status === 401 && service.requests === 1) stopped = CREDENTIALS_REFUSED;
      checked.push({
        ...row,
        verdict,
        seen: momo === null ? (wrong ?? "") : does,
        evidence: exchange && evidenceOf(exchange, part),
      });
      if (profile) found.push(profile);
      if (momo !== null) recorded.set(id, isTooMuch ? null : (profile ?? {}));
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof Stopped) stopped = message;
      // A mistake of this program must not cost the report: a payment may have been made.
      else if (!(error instanceof Skip)) stopped = `momo failed: ${message}`;
      checked.push({ ...row, verdict: "skipped", seen: message, evidence: null });
    }
    const last = checked.at(-1);
    if (last) options.onChecked?.(last, service.requests);
  }
  const shown = new Map<string, string>();
  /** Many sentences share an answer, and hiding takes long. */
  function show(text: string, most = MOST_SHOWN): string {
    const known = shown.get(text) ?? service.secrets.hide(text, most);
    shown.set(text, known);
    return known;
  }
  const profile = profileOf(found, service);
  const rows = checked.map(({ seen, evidence, ...row }) => ({
    ...row,
    seen: show(seen),
    evidence: evidence && { ...evidence, curl: show(evidence.curl, 1000), answer: show(evidence.answer) },
  }));
  return {
    target: options.baseUrl,
    startedAt,
    requests: service.requests,
    stopped: stopped && show(stopped),
    notes: [...pushNotes(checking), ...notesOf(service.exchanges, profile)].map((note) => show(note)),
    checked: rows,
    profile,
    notImitated: rows
      .filter((row) => row.verdict === "fails" || !isImitated(row, recorded.get(row.id) ?? null, profile))
      .map(({ id }) => id),
  };
}

/** The answer of an exchange, or the part of it that shows something. */
const evidenceOf = ({ evidence }: Exchange, part: Json | undefined): Evidence =>
  part ? { ...evidence, answer: `…${shownAnswer(part, "")}…` } : evidence;

/** Whether momo does the same as the service, with the whole profile. @param part of this sentence */
function isImitated(row: Checked, part: Profile | null, whole: Profile): boolean {
  if (row.momo === null) return true;
  if (part === null) return false;
  const isRefused = row.momo === "refused with 400" && row.seen.startsWith("refused with ");
  const bad = row.section === "§4.3" && isObject(whole.bad_filter) ? whole.bad_filter.status : 400;
  if (isRefused && !row.seen.startsWith(`refused with ${bad}`)) return false;
  const names = Object.keys(part) as (keyof Profile)[];
  // Refusals are alike if their status is: their texts name the input.
  const isSame = (one: unknown, other: unknown) =>
    one === other || (isObject(one) && isObject(other) && one.status === other.status);
  return names.length === 0 ? isRefused || isLikeMomo(row) : names.every((name) => isSame(part[name], whole[name]));
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

function notesOf(exchanges: readonly Exchange[], { base_path }: Profile): string[] {
  const [first] = exchanges;
  if (!first) return [];
  const { headers, atMs } = first;
  const offsetMs = Date.parse(headers.get("Date") ?? "") - atMs;
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const clock = `the service's clock is ${minutes} minutes ${offsetMs > 0 ? "ahead of" : "behind"} this one`;
  const isOff = Math.abs(offsetMs) > MOST_OFFSET_MS;
  const last = exchanges.findLast(
    ({ sent }) => sent.path === first.sent.path && sent.as === "owner" && sent.body === null,
  );
  const rows = last?.json?.transactions ?? last?.json?.data;
  const isEmpty = Array.isArray(rows) && rows.length === 0;
  return [
    ...(isOff ? [clock] : []),
    ...(isEmpty ? [EMPTY_ACCOUNT] : []),
    ...(base_path === undefined ? [NO_BASE_PATH] : []),
  ];
}

const NO_BASE_PATH = "momo serve does not imitate the base path: it must be a path such as /v2";
const EMPTY_ACCOUNT = `${NO_TRANSACTIONS}, so most of the list is not checked: start payments there first, or give --pay`;
