import type { Issue, Refusal } from "../wire.ts";

/** A refusal of the API, split into the problems of each field of a form, and the rest. */
export interface Problems {
  readonly fields: Readonly<Record<string, string>>;
  readonly rest: string | null;
}

export const NO_PROBLEMS: Problems = { fields: {}, rest: null };

/** What a field takes, and the form of the values whose problem is another one: the API says which. */
type Takes = readonly [words: string, form?: RegExp];

const DURATION: Takes = ["a time up to a day, such as 3s, 2m or 1h", /^"[0-9]+(?:ms|s|m|h)"$/];
const NUMBER = /^-?[0-9.]+$/;
const TEXT: Takes = ["it must not be empty", /^".+"$/];
const DAY: Takes = ["a day, such as 2026-11-30", /^"[0-9]{4}-[0-9]{2}-[0-9]{2}"$/];

/** In the words of a person, by the names of members. The API's rules are for programs; those of other members are shown as they are. */
const TAKES: ReadonlyMap<string, Takes> = new Map<string, Takes>(
  Object.entries({
    phone: ["a Kenyan number, such as 0712 345 678", /[*]/], // a rule also takes the start of a phone
    amount: ["a number from 1 to 999,999,999.99 with at most two decimals, such as 99.50"],
    payment_account_id: ["the id of an account, such as 1", NUMBER],
    times: ["a whole number, such as 3", NUMBER],
    after: DURATION,
    delay: DURATION,
    pin: ["The PIN has 4 to 6 digits"],
    to: ["that time has passed: only a snapshot or a reset leads back"],
    advance: ["The clock goes ahead by 400 days at most"],
    date_from: DAY,
    date_to: DAY,
    id: ["a whole number, such as 12"],
    status: ["an HTTP status, such as 503", NUMBER],
    probability: ["a number up to 1: 0.5 is every second request", NUMBER],
    per_minute: ["a whole number, such as 20", NUMBER],
    fee: ["a tariff, such as 1% or 1.5%+10"],
    name: TEXT,
    label: TEXT,
  }),
);

/** The words of a person for what the field takes, if the value has another form. */
function wordsFor({ received = "" }: Issue, name: string): string | undefined {
  // Days in the wrong order come without a value.
  if (name === "date_from" && received === "") return "it must not be after the day of “To”";
  const [words, form] = TAKES.get(name) ?? [];
  return form?.test(received) ? undefined : words;
}

/** @param names the members that have a field on the form. A field of a rule stands for `match.phone` and `rules[0].match.phone`. */
export function problemsOf({ message, issues }: Refusal, names: readonly string[]): Problems {
  const fields: Record<string, string> = {};
  const others: string[] = [];
  for (const issue of issues) {
    const name = issue.path.replace(/^.*\./, "");
    const words = wordsFor(issue, name);
    const text = (words ?? issue.rule) + (issue.received === undefined ? "" : `; it is ${issue.received}`);
    if (names.includes(name)) fields[name] ??= text;
    else others.push(issue.path === "" || words !== undefined ? text : `${issue.path}: ${text}`);
  }
  return { fields, rest: issues.length === 0 ? message : others.join("; ") || null };
}
