import type { Refusal } from "../wire.ts";

/** A refusal of the API, split into the problems of each field of a form, and the rest. */
export interface Problems {
  readonly fields: Readonly<Record<string, string>>;
  readonly rest: string | null;
}

export const NO_PROBLEMS: Problems = { fields: {}, rest: null };

/** @param names the members that have a field on the form. A field of a rule stands for `match.phone` and `rules[0].match.phone`. */
export function problemsOf({ message, issues }: Refusal, names: readonly string[]): Problems {
  const fields: Record<string, string> = {};
  const others: string[] = [];
  for (const { path, rule, received } of issues) {
    const text = rule + (received === undefined ? "" : `; it is ${received}`);
    const name = path.replace(/^.*\./, "");
    if (names.includes(name)) fields[name] = name in fields ? `${fields[name]}; ${text}` : text;
    else others.push(path === "" ? text : `${path}: ${text}`);
  }
  return { fields, rest: issues.length === 0 ? message : others.join("; ") || null };
}
