import type { TransactionFilter } from "../../domain/filter.ts";
import { endOfDayMs, startOfDayMs } from "../../domain/timestamp.ts";
import type { SearchRanges } from "../list-query.ts";
import { codeOfKind, codeOfStatus } from "../rows.ts";
import { BLOCK_BITS } from "./totals.ts";

/** The conditions of the list, as SQL. */

/** A condition in SQL, and its parameters. Bun caches the prepared statement of each text. */
export type Condition = readonly [sql: string, parameters: Readonly<Record<string, string | number>>];

const joined =
  (by: "AND" | "OR") =>
  (...conditions: readonly (Condition | false | null)[]): Condition => {
    const given = conditions.filter((one) => one !== false && one !== null);
    return [given.map(([sql]) => `(${sql})`).join(` ${by} `), Object.assign({}, ...given.map(([, values]) => values))];
  };
export const all: ReturnType<typeof joined> = joined("AND");
const any = joined("OR");

export const isIn = (block: number): Condition => [
  "id BETWEEN $first AND $last",
  { first: block * 2 ** BLOCK_BITS, last: (block + 1) * 2 ** BLOCK_BITS - 1 },
];

/** The numbers are one parameter, so that the statement is the same for any count. */
export const isAmong = (name: string, ids: readonly number[]): Condition => [
  `id IN (SELECT value FROM json_each($${name}))`,
  { [name]: JSON.stringify(ids) },
];

/** The kind and the status of a filter: columns of the transactions and of the totals. */
export const ofKind = (merchantId: number, { kind, status }: TransactionFilter): Condition =>
  all(
    ["merchant_id = $merchantId", { merchantId }],
    kind !== undefined && ["kind = $kind", { kind: codeOfKind(kind) }],
    status !== undefined && ["status = $status", { status: codeOfStatus(status) }],
  );

/** Which rows a list shows, by all members of a filter except `search` and `id`. */
export const selectionOf = (merchantId: number, filter: TransactionFilter): Condition =>
  all(
    ofKind(merchantId, filter),
    filter.fromDay !== undefined && ["created_at_ms >= $fromMs", { fromMs: startOfDayMs(filter.fromDay) }],
    filter.toDay !== undefined && ["created_at_ms < $beforeMs", { beforeMs: endOfDayMs(filter.toDay) }],
  );

const FOLDED = "coalesce(reference_folded, reference)";

/** Narrows a selection to what a search finds. `whole` are the rows that have the searched text as an identifier. */
export const searched = (
  selection: Condition,
  { phone, reference }: SearchRanges,
  whole: readonly number[],
): Condition =>
  all(
    selection,
    any(
      [`${FOLDED} >= $start AND ${FOLDED} < $end`, { start: reference.from, end: reference.before }],
      phone && ["phone >= $phoneFrom AND phone < $phoneBefore", { phoneFrom: phone.from, phoneBefore: phone.before }],
      whole.length > 0 && isAmong("whole", whole),
    ),
  );
