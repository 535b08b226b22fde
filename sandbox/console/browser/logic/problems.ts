/** A refusal of the API, split into the problems of each field of a form, and the rest. */
export interface Problems {
  readonly fields: Readonly<Record<string, string>>;
  readonly rest: string | null;
}

/**
 * The API names the place of each error, as in `match.phone: it must be …; times: …` or `phone must be …; amount is missing …`,
 * and separates errors by semicolons.
 * @param names the members that have a field on the form
 */
export function problemsOf(message: string, names: readonly string[]): Problems {
  const name = names.map((text) => text.replaceAll(".", "\\.")).join("|");
  const start = new RegExp(`(?:^|; )(?:\\w+(?:\\[[0-9]+\\])?\\.)?(${name})(?::| )`, "g");
  const starts = [...message.matchAll(start)];
  const fields: Record<string, string> = {};
  starts.forEach((match, index) => {
    const field = match[1] ?? "";
    const text = message.slice(match.index, starts[index + 1]?.index ?? message.length).replace(/^; /, "");
    fields[field] = fields[field] === undefined ? text : `${fields[field]}; ${text}`;
  });
  const rest = message.slice(0, starts[0]?.index ?? message.length);
  return { fields, rest: rest === "" ? null : rest };
}

/** A typed value for JSON: a number, or else the text, so that the API refuses it. Undefined if the field is empty. */
export function numberOrText(text: string): number | string | undefined {
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text || undefined;
}
