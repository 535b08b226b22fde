import { type Day, formatDay, parseDay } from "./timestamp.ts";
import { KINDS, STATUSES } from "./transaction.ts";

/**
 * The filters of the list (§4.3), by the names of their parameters. Both APIs and their description, the lenient form, the command, the
 * page, the tool and the audit read this table. Only `src/store/list-query.ts` has a line of its own for each filter.
 */

const MAX_SEARCH_LENGTH = 100;

/** What is said about a filter with values of one type. */
interface Filter<Value> {
  /** What it selects: the help of the command, and the description of the parameter. */
  readonly words: string;
  /** @returns null if the text is no value of this filter */
  parse(text: string): Value | null;
  /** What a text must be that can be parsed. */
  readonly rule: string;
  /** The JSON Schema of the parameter, and of the value in `filters_applied`. */
  readonly schema: { readonly type: "string" | "integer" | "number" } & Readonly<Record<string, unknown>>;
  /** A value that selects the payment of the examples. */
  readonly example: string | number;
  /** All values, if they are a few words. */
  readonly choices?: readonly string[];
  /** The value in `filters_applied`, if it is not the value itself. */
  shown?(value: Value): string | number;
  /** The text that the lenient form reads instead. */
  lenient?(text: string): string;
  /** Whether the lenient form refuses a text that is no value. It leaves out the filter otherwise. */
  readonly isStrict?: true;
  /** The option of `momo list`. */
  readonly flag: `--${string} <${string}>`;
  /** The field of the page, whose empty form is the empty text. */
  readonly field: {
    readonly label: string;
    readonly type?: "date";
    readonly size?: number;
    readonly inputMode?: "numeric";
  };
  /** The parameters of other services that stand for this one, in lower case and letters only. */
  readonly others?: RegExp;
  /** Whether it selects a transaction; null if what a row of the list shows does not tell. */
  fits(value: Value, row: ListedRow): boolean | null;
}

/** What all forms of the list show of a transaction (§4.3). */
export interface ListedRow {
  readonly id: number;
  /** In capitals. */
  readonly type: string;
  readonly status: string;
  /** In KES. */
  readonly amount: number;
  readonly phone: string;
  /** In Nairobi. */
  readonly created_at: string;
}

const dayOf = ({ created_at }: ListedRow): string => created_at.slice(0, "YYYY-MM-DD".length);

/** One of a few words, in any letter case. */
const oneOf = <Word extends string>(words: readonly Word[]) => ({
  parse: (text: string) => words.find((word) => word === text.toLowerCase()) ?? null,
  rule: `must be one of ${words.join(", ")}`,
  schema: { type: "string", enum: words } as const,
  choices: words,
});

const day = {
  parse: parseDay,
  shown: formatDay,
  rule: "must be a day of the calendar, written YYYY-MM-DD",
  schema: { type: "string", format: "date" },
} as const;

const dayField = (label: string) => ({ label, type: "date" }) as const;

/** An entry, whose functions have the type of its values. */
const filter = <Value>(entry: Filter<Value>): Filter<Value> => entry;

export const FILTERS = {
  type: filter({
    ...oneOf(KINDS),
    words: "only payments of this kind, in any letter case",
    example: "api",
    flag: "--type <type>",
    field: { label: "Kind (type)" },
    others: /^(?:filter)?(?:kind|types|transactiontype|paymenttype)$/,
    fits: (kind, row) => row.type.toLowerCase() === kind,
  }),
  status: filter({
    ...oneOf(STATUSES),
    words: "only payments with this status, in any letter case",
    example: "completed",
    flag: "--status <status>",
    field: { label: "Status" },
    others: /^(?:filter)?(?:status(?:es)?|state|paymentstatus|transactionstatus)$/,
    fits: (status, row) => row.status === status,
  }),
  date_from: filter<Day>({
    ...day,
    words: "first day, YYYY-MM-DD, in Nairobi",
    example: "2026-11-01",
    flag: "--from <day>",
    field: dayField("From"),
    others:
      /^(?:startdate|datestart|from|fromdate|datefrom|since|after|createdafter|begin|begindate|startat|starttime|createdatfrom|createdfrom|day|date)$/,
    fits: (first, row) => dayOf(row) >= formatDay(first),
  }),
  date_to: filter<Day>({
    ...day,
    words: "last day, YYYY-MM-DD, in Nairobi",
    example: "2026-11-30",
    flag: "--to <day>",
    field: dayField("To"),
    others: /^(?:enddate|dateend|to|todate|dateto|until|before|createdbefore|end|endat|endtime|createdatto|createdto)$/,
    fits: (last, row) => dayOf(row) <= formatDay(last),
  }),
  search: filter({
    words: "start of a phone or reference, or a whole code, receipt number or request id",
    parse: parseSearch,
    rule: `must be a string of 1 to ${MAX_SEARCH_LENGTH} characters`,
    schema: { type: "string", minLength: 1, maxLength: MAX_SEARCH_LENGTH },
    example: "0712",
    // It may be meant: without it, the list would have other payments.
    isStrict: true,
    flag: "--search <prefix>",
    field: { label: "Search" },
    others: /^(?:q|query|keyword|term|filter|phone|phonenumber|msisdn|mobile)$/,
    fits: () => null,
  }),
  id: filter({
    words: "one transaction, by its number",
    // Any integer: a number that no transaction has is not found.
    parse: (text) => (/^-?[0-9]{1,30}$/.test(text) ? Number(text) : null),
    rule: "must be a whole number",
    schema: { type: "integer" },
    example: 1,
    lenient: wholeNumber,
    flag: "--id <payment>",
    field: { label: "Number (id)", inputMode: "numeric", size: 6 },
    fits: (id, row) => row.id === id,
  }),
};

export type FilterName = keyof typeof FILTERS;

export const FILTER_NAMES = Object.keys(FILTERS) as readonly FilterName[];

export const FILTERS_IN_WORDS = `${FILTER_NAMES.slice(0, -1).join(", ")} and ${FILTER_NAMES.at(-1)}`;

/** The value of a filter. */
type ValueOf<Name extends FilterName> = NonNullable<ReturnType<(typeof FILTERS)[Name]["parse"]>>;

/** Selects transactions of a merchant. An absent filter selects all. */
export type TransactionFilter = { readonly [Name in FilterName]?: ValueOf<Name> | undefined } & {
  /** Whether the search also finds references that end with it, after a separator: of `INV/2026/0042`, people remember `0042`. */
  readonly findsEnds?: boolean | undefined;
  /** The zone of the days, if it is not that of Nairobi. */
  readonly dayOffsetMs?: number | undefined;
};

/** A filter of any type. */
export const filterOf = (name: FilterName) => FILTERS[name] as Filter<unknown>;

/** The value of a filter as `filters_applied` has it. */
export function shownFilter(name: FilterName, value: unknown): unknown {
  const { shown } = filterOf(name);
  return shown === undefined ? value : shown(value);
}

function parseSearch(text: string): string | null {
  // Characters, not UTF-16 units: an emoji is one.
  const length = text.length > MAX_SEARCH_LENGTH ? [...text].length : text.length;
  return length >= 1 && length <= MAX_SEARCH_LENGTH ? text : null;
}

/** A whole number without spaces, leading zeros and zero decimals; another text stays as it is. */
export function wholeNumber(text: string): string {
  const [whole = ""] = /^-?[0-9]{1,30}(?=(?:\.0{1,30})?$)/.exec(text.trim()) ?? [];
  return whole === "" ? text : BigInt(whole).toString();
}
