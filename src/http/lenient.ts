import type { z } from "zod";
import { shown } from "../domain/error.ts";
import { FILTER_NAMES, type FilterName, filterOf, wholeNumber } from "../domain/filters.ts";
import { MAX_PAGE_LIMIT } from "../domain/list.ts";
import { roundToCents } from "../domain/money.ts";
import { typedPhone } from "../domain/phone.ts";
import type { checkStatusSchema, ListInput, startPaymentSchema } from "./input.ts";
import { digitsIn } from "./parse-input.ts";
import { codingOf, isJson, type Leniency, objectIn, parseJson, readParameters } from "./request.ts";

/**
 * The lenient form accepts what the real services accept and the specification does not promise. It corrects values before the
 * schemas check them, and records the received values. The schemas check all other rules.
 */

/** Digits, with or without decimals: no sign, exponent or separator of thousands. */
const DECIMAL = /^[0-9]+(?:\.[0-9]+)?$/;

const decimal = (read: (decimal: string) => number) => (value: unknown) => {
  const text = typeof value === "string" ? value.trim() : typeof value === "number" ? String(value) : "";
  return DECIMAL.test(text) ? read(text) : value;
};

const toPhone = (value: unknown): unknown =>
  typeof value === "string" || Number.isSafeInteger(value) ? (typedPhone(String(value)) ?? value) : value;

function toOptionalText(value: unknown, sent: string): unknown {
  if (value === null) return undefined;
  return typeof value === "number" ? sent : value;
}

const trimmed = (value: unknown) => (typeof value === "string" ? value.trim() : value);

/** The text of a page or a limit. */
const toWhole = (value: unknown) => (typeof value === "string" && value !== "" ? wholeNumber(value) : undefined);

/** Leaves out a filter that is empty or has an unknown value. */
function toFilter(name: FilterName): Correction {
  const { parse, lenient, isStrict } = filterOf(name);
  return (value) => {
    const text = String(value);
    const corrected = lenient?.(text) ?? text;
    if (parse(corrected) !== null || (isStrict && text !== "")) return corrected;
    return undefined;
  };
}

/** What it counts as: undefined if it counts as absent, unchanged if there is nothing to correct. */
type Correction = (value: unknown, sent: string) => unknown;

/** The corrections of all members and parameters. */
const NORMALISED: Readonly<Record<string, Correction>> = {
  payment_account_id: decimal(Number),
  amount: decimal(roundToCents),
  phone: toPhone,
  reference: toOptionalText,
  description: toOptionalText,
  checkout_request_id: trimmed,
  page(value) {
    const page = toWhole(value);
    return Number(page) < 1 ? "1" : page;
  },
  limit(value) {
    const limit = toWhole(value);
    return Number(limit) > MAX_PAGE_LIMIT ? String(MAX_PAGE_LIMIT) : limit;
  },
  ...Object.fromEntries(FILTER_NAMES.map((name) => [name, toFilter(name)])),
} satisfies Record<
  | keyof z.output<typeof startPaymentSchema>
  | keyof z.output<typeof checkStatusSchema>
  | Exclude<keyof ListInput, FilterName>,
  Correction
>;

/**
 * Corrects an input where its schema needs it.
 * @param leniencies gets an entry for each correction
 * @param corrects which members are corrected
 * @param digits has the numbers as they were sent: 12345678901234567890 and 1e999 would be others
 */
export function normalise(
  input: object,
  schema: z.ZodObject,
  leniencies: Leniency[],
  digits: Readonly<Record<string, unknown>> = {},
  corrects: (member: string) => boolean = () => true,
): object {
  const normalised: Record<string, unknown> = { ...input };
  for (const [member, memberSchema] of Object.entries(schema.shape)) {
    const correct = NORMALISED[member];
    if (!correct || !Object.hasOwn(input, member) || !corrects(member)) continue;
    const value = normalised[member];
    const sent = typeof value === "number" ? String(digits[member] ?? value) : "";
    const right = correct(value, sent);
    // A value that is still wrong stays unchanged, so that the refusal shows it as it was sent.
    if (right === value || !memberSchema.safeParse(right).success) continue;
    leniencies.push({ member, came: typeof value === "number" ? sent : shown(value) });
    if (right === undefined) delete normalised[member];
    else normalised[member] = right;
  }
  return normalised;
}

/** JSON with the content type of a form: `curl -d` sends this. */
const LOOKS_LIKE_JSON = /^[[{]/;

/**
 * The members of a body: of a JSON object with any content type, or of a form.
 * @param leniencies gets an entry for each thing that the strict form does not accept
 * @throws Refusal `invalid` if it is neither
 */
export function readLenientBody(text: string, headers: Headers, schema: z.ZodObject, leniencies: Leniency[]): object {
  const type = headers.get("Content-Type");
  if (!isJson(type)) leniencies.push({ member: "Content-Type", came: type === null ? "none" : shown(type) });
  const coding = codingOf(headers);
  if (coding !== null) leniencies.push({ member: "Content-Encoding", came: shown(coding) });
  const [space = ""] = /^\s*/.exec(text) ?? [];
  if (space.includes("\u{FEFF}")) leniencies.push({ member: "body", came: "a byte order mark" });
  else if (/[^\t\n\r ]/.test(space)) leniencies.push({ member: "body", came: "white space that JSON does not have" });
  const content = text.slice(space.length);
  const isForm = /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type ?? "") && !LOOKS_LIKE_JSON.test(content);
  const names = Object.keys(schema.shape);
  if (isForm) return normalise(readParameters(content, names, "the form in the body"), schema, leniencies);
  return normalise(objectIn(parseJson(content)), schema, leniencies, digitsIn(content));
}
