import { counted } from "../../src/domain/counted.ts";

/** What a check of a service says, and how it is written down. */

/** A request and its answer, without credentials, phones and receipts. */
export interface Evidence {
  /** The request, for a shell that has MOMO_API_KEY and MOMO_API_SECRET. */
  readonly curl: string;
  /** Null if no answer came. */
  readonly status: number | null;
  /** The beginning of the body, or why there is none. */
  readonly answer: string;
}

/**
 * A stated sentence `holds` or `fails`. A silent one is `recorded`: the specification does not say what is right. `skipped`: there
 * was nothing to check it with.
 */
export type Verdict = "holds" | "fails" | "recorded" | "skipped";

/** A sentence of the specification, and what became of it. */
export interface Checked {
  readonly id: string;
  /** Such as `§4.3`. */
  readonly section: string;
  readonly sentence: string;
  readonly verdict: Verdict;
  /** What the service does, why the sentence does not hold, or why it was skipped. Empty where it holds. */
  readonly seen: string;
  /** What momo does, where the specification is silent. */
  readonly momo: string | null;
  /** What shows it. */
  readonly evidence: Evidence | null;
}

export interface CheckReport {
  readonly target: string;
  /** In Nairobi. */
  readonly startedAt: string;
  readonly requests: number;
  /** Why not all was checked; null if all was. */
  readonly stopped: string | null;
  /** What else is worth knowing, such as a wrong clock. */
  readonly notes: readonly string[];
  readonly checked: readonly Checked[];
  /** What the service does where the specification is silent, as `momo serve --profile` takes it. */
  readonly profile: object;
  /** The ids of the sentences that the service answers otherwise than `momo serve` with this profile, or of which that is not known. */
  readonly notImitated: readonly string[];
}

/** The sections of the specification. */
export const SECTIONS: Readonly<Record<string, string>> = {
  "§1": "What the service does",
  "§2.1": "Payment account",
  "§2.2": "Transaction",
  "§2.3": "Pagination",
  "§2.4": "Summary",
  "§3": "States and transitions",
  "§4": "Endpoints",
  "§4.1": "Start a payment",
  "§4.2": "Check payment status",
  "§4.3": "List transactions",
  "§4.4": "Polling",
  "§5": "Authentication",
  "§7": "Errors",
  "§8": "Limits",
  "§9": "Versioning",
};

export const countOf = ({ checked }: CheckReport, verdict: Verdict): number =>
  checked.filter((one) => one.verdict === verdict).length;

/** The checked sentences of each section, in the order of the specification. */
export const bySection = ({ checked }: CheckReport): [section: string, checked: Checked[]][] =>
  Object.keys(SECTIONS)
    .map((section): [string, Checked[]] => [section, checked.filter((one) => one.section === section)])
    .filter(([, ofSection]) => ofSection.length > 0);

/** What else is worth knowing, and why the check ended early. */
export const allNotes = ({ notes, stopped }: CheckReport): string[] => [
  ...notes,
  ...(stopped === null ? [] : [`stopped early: ${stopped}`]),
];

/**
 * The sentences in groups: those of one section that fail for the same cause, or were skipped for it, form a group, in the place
 * of the first. Each other sentence is a group of its own.
 */
export const byCause = (checked: readonly Checked[]): Checked[][] => [
  ...Map.groupBy(checked, ({ id, verdict, section, seen }) =>
    verdict === "fails" || verdict === "skipped" ? `${verdict} ${section} ${seen}` : id,
  ).values(),
];

/** The requests and the answers that show it, each once. */
export function evidenceOf(group: readonly Checked[]): string[] {
  const all = group.flatMap(({ evidence }) => evidence ?? []);
  return [...new Set([...all.map(({ curl }) => curl), ...all.map(answerLine)])];
}

/** What `momo serve --profile` does not imitate, in words. */
export function notImitatedIn({ checked, notImitated }: CheckReport): string[] {
  const rows = checked.filter(({ id }) => notImitated.includes(id));
  const fails = rows.filter(({ verdict }) => verdict === "fails").length;
  const silent = rows
    .filter(({ verdict }) => verdict === "recorded")
    .map(({ sentence, seen }) => `${sentence}: ${seen}`);
  const unknown = rows.filter(({ verdict }) => verdict === "skipped");
  return [
    ...silent,
    ...byCause(unknown).map(
      (group) => `${group.map(({ sentence }) => sentence).join("; ")}: not checked, ${group[0]?.seen}`,
    ),
    ...(fails > 0 ? [`${counted(fails, "stated sentence")} that ${fails === 1 ? "does" : "do"} not hold`] : []),
  ];
}

export function summaryOf(report: CheckReport): string {
  const [holds, fails] = [countOf(report, "holds"), countOf(report, "fails")];
  const recorded = counted(countOf(report, "recorded"), "silent one");
  const requests = counted(report.requests, "request");
  return `${holds} of ${holds + fails} stated sentences hold, ${recorded} recorded, ${countOf(report, "skipped")} not checked; ${requests} to ${report.target}`;
}

/** Whether the service does as momo does; it may say more. */
export const isLikeMomo = ({ verdict, seen, momo }: Checked): boolean =>
  momo === null || verdict === "skipped" || seen.startsWith(momo);

export const answerLine = ({ status, answer }: Evidence): string => (status === null ? answer : `${status} ${answer}`);
