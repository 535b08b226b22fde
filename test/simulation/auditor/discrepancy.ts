/** The program differs from the specification. */
export class Discrepancy extends Error {
  override readonly name = "Discrepancy";
}

/** @throws Discrepancy unless `holds` */
export function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Discrepancy(otherwise);
}

/** A value that cannot be predicted, except for its form. */
export class Anything {
  constructor(
    readonly what: string,
    readonly accepts: (value: unknown) => boolean,
  ) {}
}

export const someNumber = new Anything("a number from 1", (value) => Number.isInteger(value) && (value as number) >= 1);
export const someText = new Anything("some text", (value) => typeof value === "string" && value !== "");

/** The first difference: exactly these members with these values are expected. Null if there is none. */
export function difference(actual: unknown, expected: unknown, place = "the answer"): string | null {
  if (expected instanceof Anything) {
    return expected.accepts(actual) ? null : `${place} is ${show(actual)}, which is not ${expected.what}`;
  }
  if (typeof expected !== "object" || expected === null) {
    return Object.is(actual, expected) ? null : `${place} is ${show(actual)}, not ${show(expected)}`;
  }
  if (typeof actual !== "object" || actual === null || Array.isArray(actual) !== Array.isArray(expected)) {
    return `${place} is ${show(actual)}, not ${show(expected)}`;
  }
  for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const at = Array.isArray(expected) ? `${place}[${name}]` : `${place}.${name}`;
    if (!(name in expected)) return `${at} is ${show(actual[name as never])}, and should not be there`;
    if (!(name in actual)) return `${at} is missing`;
    const inner = difference(actual[name as never], expected[name as never], at);
    if (inner !== null) return inner;
  }
  return null;
}

const show = (value: unknown): string => JSON.stringify(value) ?? String(value);
