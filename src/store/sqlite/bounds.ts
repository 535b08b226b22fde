import type { Database } from "bun:sqlite";
import { MAX_DURATION_MS } from "../../domain/duration.ts";
import { MAX_FIXED_CENTS } from "../../domain/fee.ts";
import { foldCase } from "../../domain/filter.ts";
import { MAX_ACCOUNTS, MAX_KEYS, MAX_MERCHANTS, MAX_NAME_LENGTH, MAX_REVOKED_KEYS } from "../../domain/merchant.ts";
import { CROCKFORD } from "../../domain/random.ts";
import { RESULT_CODES } from "../../domain/result-codes.ts";
import { MAX_DESCRIPTION_LENGTH, MAX_REFERENCE_LENGTH } from "../../domain/transaction.ts";
import { SAME_NUMBERS } from "./order.ts";

/**
 * Refuses values that the API would never store, but the schema's CHECKs allow: for databases that come from elsewhere. Each bound
 * is SQL that is true or null for every row that momo wrote.
 */
interface Bound {
  readonly column: string;
  readonly holds: string;
  readonly rule: string;
}

/** Far below the highest number that codes and receipts allow, so that enough numbers are left for the next payments. */
export const MAX_ID = 10_000_000_000;

/** momo's clock ends a day earlier, and a prompt lasts for a day at most. */
const LAST_MS = Date.UTC(9999, 11, 31);

const MAX_IDENTIFIER_LENGTH = 100;
const MAX_MEMO_BYTES = 1000;
const MAX_BYTES_OF_CHARACTER = 4;

const whole = (column: string, least: number, most: number): Bound => ({
  column,
  holds: `${column} BETWEEN ${least} AND ${most}`,
  rule: `from ${least} to ${most}`,
});

const id = whole("id", 1, MAX_ID);

const instant = (column: string): Bound => ({
  ...whole(column, 0, LAST_MS),
  rule: "milliseconds since 1970, before the year 10000",
});

/** Counts bytes, because `length` stops at the first NUL of a text. */
const bytes = (column: string, most: number): Bound => ({
  column,
  holds: `octet_length(${column}) <= ${most}`,
  rule: `at most ${most} bytes`,
});

/** The control characters, and the line and paragraph separators, without NUL, which ends a pattern. */
const CONTROLS = ["char(1)||'-'||char(31)", "char(127)||'-'||char(159)", "char(8232)||char(8233)"].join("||");

const name = (column: string): Bound => ({
  column,
  holds: `length(${column}) <= ${MAX_NAME_LENGTH} AND instr(CAST(${column} AS BLOB), x'00') = 0
    AND ${column} NOT GLOB '*['||${CONTROLS}||']*' AND trim(${column}) <> ''`,
  rule: `1 to ${MAX_NAME_LENGTH} characters on one line`,
});

const identifier = (column: string, characters = "0-9A-Za-z_"): Bound => ({
  column,
  // A text with a NUL, or with a letter of another alphabet, is longer in bytes.
  holds: `length(${column}) BETWEEN 1 AND ${MAX_IDENTIFIER_LENGTH} AND octet_length(${column}) = length(${column})
    AND ${column} NOT GLOB '*[^${characters}]*'`,
  rule: `1 to ${MAX_IDENTIFIER_LENGTH} characters of ${characters}`,
});

const BOUNDS: Readonly<Record<string, readonly Bound[]>> = {
  merchants: [id, name("name"), instant("created_at_ms")],
  payment_accounts: [id, name("name"), instant("created_at_ms")],
  api_keys: [id, identifier("api_key", "0-9a-z_"), name("label"), instant("created_at_ms"), instant("revoked_at_ms")],
  numbering: [whole("last_forgotten", 0, MAX_ID)],
  transactions: [
    id,
    whole("number", 1, MAX_ID),
    {
      column: "payment_account_id",
      holds: `EXISTS (SELECT 1 FROM payment_accounts AS account
        WHERE account.id = payment_account_id AND account.merchant_id = transactions.merchant_id)`,
      rule: "an account of the same merchant",
    },
    {
      column: "fee_cents",
      holds: `fee_cents <= amount_cents + ${MAX_FIXED_CENTS}`,
      rule: "at most the fee of the highest tariff",
    },
    bytes("reference", MAX_BYTES_OF_CHARACTER * MAX_REFERENCE_LENGTH),
    bytes("description", MAX_BYTES_OF_CHARACTER * MAX_DESCRIPTION_LENGTH),
    identifier("secret", CROCKFORD),
    identifier("receipt_number"),
    whole("result_code", 0, 999_999),
    {
      column: "result_desc",
      holds: `result_code IS NULL OR result_desc IS NOT NULL OR result_code IN (${Object.keys(RESULT_CODES).join(", ")})`,
      rule: "set, because its result code has no standard text",
    },
    bytes("result_desc", MAX_MEMO_BYTES),
    instant("created_at_ms"),
    {
      column: "expires_at_ms",
      holds: `expires_at_ms <= ${LAST_MS} AND expires_at_ms - created_at_ms <= ${MAX_DURATION_MS}`,
      rule: "at most a day after created_at_ms",
    },
    instant("completed_at_ms"),
    instant("check_at_ms"),
    bytes("memo", MAX_MEMO_BYTES),
  ],
};

/** The bounds on numbers of rows, each as a query for a count. */
const COUNTS: readonly { readonly of: string; readonly counts: string; readonly most: number }[] = [
  { of: "merchants", counts: "SELECT count(*) FROM merchants", most: MAX_MERCHANTS },
  { of: "transactions with the number of another one", counts: SAME_NUMBERS, most: 0 },
  { of: "databases without a key for request ids", counts: "SELECT 1 - count(*) FROM numbering", most: 0 },
  ...[
    { of: "payment accounts of a merchant", from: "payment_accounts", most: MAX_ACCOUNTS },
    { of: "keys in force of a merchant", from: "api_keys WHERE revoked_at_ms IS NULL", most: MAX_KEYS },
    { of: "revoked keys of a merchant", from: "api_keys WHERE revoked_at_ms IS NOT NULL", most: MAX_REVOKED_KEYS },
  ].map(({ of, from, most }) => ({
    of,
    counts: `SELECT max(count) FROM (SELECT count(*) AS count FROM ${from} GROUP BY merchant_id)`,
    most,
  })),
];

/**
 * Looks for values that momo would never store, in a database of the newest schema.
 * @param isMemo whether one of our providers writes such memos
 * @returns table, column and value of the first one, and what would be right; null if there is none
 */
export function findOutOfBounds(client: Database, isMemo: (memo: string) => boolean): string | null {
  for (const { of, counts, most } of COUNTS) {
    const count = Number(client.query(counts).values()[0]?.[0]);
    if (count > most) return `there are ${count} ${of}; at most ${most} are allowed`;
  }
  for (const [table, bounds] of Object.entries(BOUNDS)) {
    const broken = firstBroken(client, table, bounds);
    if (broken) return broken;
  }
  return firstFolded(client) ?? firstMemo(client, isMemo);
}

const SHOWN = 40;

function firstBroken(client: Database, table: string, bounds: readonly Bound[]): string | null {
  const cases = (result: (bound: Bound, index: number) => string) =>
    `CASE ${bounds.map((bound, index) => `WHEN NOT (${bound.holds}) THEN ${result(bound, index)}`).join(" ")} END`;
  const select = `SELECT ${cases((_, index) => String(index))}, ${cases(({ column }) => `substr(quote(${column}), 1, ${SHOWN})`)}
    FROM ${table} WHERE NOT (${bounds.map(({ holds }) => `(${holds})`).join(" AND ")}) LIMIT 1`;
  const [found] = client.query(select).values();
  const bound = found && bounds[Number(found[0])];
  return bound ? `${table}.${bound.column} is ${found[1]}, and must be ${bound.rule}` : null;
}

/** The text that the search compares. SQL folds only the letters of ASCII. */
function firstFolded(client: Database): string | null {
  const rows = client.query<{ reference: string; folded: string }, []>(
    `SELECT reference, coalesce(reference_folded, reference) AS folded FROM transactions
    WHERE coalesce(reference_folded, reference) <> upper(reference)`,
  );
  for (const { reference, folded } of rows.iterate()) {
    if (folded !== foldCase(reference)) {
      return `transactions.reference_folded is ${shown(folded)}, and must be the reference in capitals`;
    }
  }
  return null;
}

function firstMemo(client: Database, isMemo: (memo: string) => boolean): string | null {
  for (const { memo } of client.query<{ memo: string }, []>("SELECT memo FROM transactions").iterate()) {
    if (!isMemo(memo)) return `transactions.memo is ${shown(memo)}, and must be a memo of a provider`;
  }
  return null;
}

const shown = (text: string): string => `'${text.slice(0, SHOWN)}'`;
