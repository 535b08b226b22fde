import type { Refusal } from "../wire.ts";

/** A refusal of the API, split into the problems of each field of a form, and the rest. */
export interface Problems {
  readonly fields: Readonly<Record<string, string>>;
  readonly rest: string | null;
}

export const NO_PROBLEMS: Problems = { fields: {}, rest: null };

const DURATION = "a time up to a day, such as 3s, 2m or 1h";

/** What a person types into the field of a member. The API's rules are for programs; those of other members are shown as they are. */
const WORDS: Readonly<Record<string, string>> = {
  phone: "a Kenyan number, such as 0712 345 678",
  amount: "a number from 1 to 999,999,999.99, such as 500",
  payment_account_id: "the id of an account, such as 1",
  times: "a whole number, such as 3",
  after: DURATION,
  delay: DURATION,
  pin: "The PIN has 4 to 6 digits",
  to: "that time has passed, and the clock only goes forward; “Set back …” goes back",
  advance: "The clock goes ahead by 400 days at most.",
  date_from: "a day that is not after To",
  date_to: "a day, such as 2026-11-30",
  id: "a whole number, such as 12",
  status: "400 to 599, such as 503",
  probability: "more than 0 and at most 1: 0.5 is every second request",
  per_minute: "a whole number from 1 to 1,000",
  fee: "a tariff, such as 1% or 1.5%+10",
};

/** @param names the members that have a field on the form. A field of a rule stands for `match.phone` and `rules[0].match.phone`. */
export function problemsOf({ message, issues }: Refusal, names: readonly string[]): Problems {
  const fields: Record<string, string> = {};
  const others: string[] = [];
  for (const { path, rule, received } of issues) {
    const name = path.replace(/^.*\./, "");
    const text = rule + (received === undefined ? "" : `; it is ${received}`);
    if (names.includes(name)) fields[name] ??= WORDS[name] ?? text;
    else others.push(WORDS[name] ?? (path === "" ? text : `${path}: ${text}`));
  }
  return { fields, rest: issues.length === 0 ? message : others.join("; ") || null };
}
