import { foldCase, type TransactionFilter } from "../../domain/filter.ts";
import { parsePhonePrefix } from "../../domain/phone.ts";
import { endOfDayMs, startOfDayMs } from "../../domain/timestamp.ts";
import { MAX_REFERENCE_LENGTH } from "../../domain/transaction.ts";
import { codeOfKind, codeOfStatus } from "./schema.ts";

/** Which rows a list shows, as a condition of SQL with its parameters. */
export interface Selection {
  readonly where: string;
  readonly parameters: Readonly<Record<string, string | number>>;
  /** The times that the rows were created at. */
  readonly fromMs: number;
  readonly beforeMs: number;
}

const NO_DAY = { fromMs: 0, beforeMs: Number.MAX_SAFE_INTEGER };

/** By all members of a filter but `search` and `id`. */
export function selectionOf(merchantId: number, { kind, status, fromDay, toDay }: TransactionFilter): Selection {
  const fromMs = fromDay === undefined ? NO_DAY.fromMs : startOfDayMs(fromDay);
  const beforeMs = toDay === undefined ? NO_DAY.beforeMs : endOfDayMs(toDay);
  const conditions = ["merchant_id = $merchantId", "created_at_ms >= $fromMs", "created_at_ms < $beforeMs"];
  if (kind) conditions.push("kind = $kind");
  if (status) conditions.push("status = $status");
  return {
    where: conditions.join(" AND "),
    parameters: {
      ...{ merchantId, fromMs, beforeMs },
      ...(kind && { kind: codeOfKind(kind) }),
      ...(status && { status: codeOfStatus(status) }),
    },
    fromMs,
    beforeMs,
  };
}

/** No reference goes on with anything later: this is longer than each, of the last character. */
const LAST_TEXT = "\u{10FFFF}".repeat(MAX_REFERENCE_LENGTH + 1);

const MSISDN_LENGTH = 12;

/** The ranges in which the phones and the references lie that start with a text. */
export interface SearchRanges {
  /** Null where no phone starts so. */
  readonly phone: { readonly from: number; readonly before: number } | null;
  readonly reference: { readonly from: string; readonly before: string };
}

export function rangesOf(search: string): SearchRanges {
  const folded = foldCase(search);
  const prefix = parsePhonePrefix(search);
  const missing = MSISDN_LENGTH - (prefix?.length ?? 0);
  return {
    phone:
      prefix === null || missing < 0
        ? null
        : { from: Number(prefix) * 10 ** missing, before: (Number(prefix) + 1) * 10 ** missing },
    reference: { from: folded, before: folded + LAST_TEXT },
  };
}

/** Narrows a selection to what a search finds, asked of each row. `whole` are the rows that it names by a whole identifier. */
export function searched(
  selection: Selection,
  { phone, reference }: SearchRanges,
  whole: readonly number[],
): Selection {
  const ways = [
    "(coalesce(reference_folded, reference) >= $referenceFrom AND coalesce(reference_folded, reference) < $referenceBefore)",
    ...(phone ? ["(phone >= $phoneFrom AND phone < $phoneBefore)"] : []),
    ...(whole.length > 0 ? ["id IN (SELECT value FROM json_each($whole))"] : []),
  ];
  return {
    ...selection,
    where: `${selection.where} AND (${ways.join(" OR ")})`,
    parameters: {
      ...selection.parameters,
      ...{ referenceFrom: reference.from, referenceBefore: reference.before, whole: JSON.stringify(whole) },
      ...(phone && { phoneFrom: phone.from, phoneBefore: phone.before }),
    },
  };
}
