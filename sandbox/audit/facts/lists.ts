import { FILTER_NAMES, filterOf, type ListedRow } from "../../../src/domain/filters.ts";
import { numberOfCode, numberOfReceipt } from "../../../src/domain/identifiers.ts";
import { foldCase } from "../../../src/domain/list.ts";
import { parametersIn } from "../../../src/domain/parameters.ts";
import { parsePhonePrefix, typedPhone } from "../../../src/domain/phone.ts";
import { clean, messageOf } from "../words.ts";
import type { ListRequest, Payment } from "./payment.ts";
import type { ClientRequest } from "./request.ts";

/** The pages of one list that were read. */
export interface Listing {
  /** Without the page. */
  readonly query: string;
  /** Of the first page that was read, and when. */
  readonly requestId: number;
  readonly atMs: number;
  readonly read: Set<unknown>;
  pages: number;
}

export function listRequest(request: ClientRequest, rows: readonly ListedRow[]): ListRequest {
  const { call, arrived, answered } = request;
  return {
    requestId: call.id,
    arrived,
    answered: answered.order,
    atMs: answered.atMs,
    realMs: answered.realMs,
    search: parametersIn(request.query).get("search"),
    shown: rows.map(({ id }) => id),
    refusal: refusalIn(request),
  };
}

function refusalIn({ call, isDelivered }: ClientRequest): string | null {
  if (call.status === 200 && isDelivered) return null;
  return call.status === null || !call.isDelivered
    ? "its answer was lost"
    : `${call.status} “${clean(messageOf(call))}”`;
}

/** Parameters that other services have, in lower case and letters only, and the one that stands for each here. */
const MEANT: readonly (readonly [pattern: RegExp | undefined, parameter: string])[] = [
  ...FILTER_NAMES.map((name) => [filterOf(name).others, name] as const),
  [/^(?:perpage|pagesize|pagelimit|size|count|take|top|max|maxresults|limits?)$/, "limit"],
  [/^(?:offset|pageoffset|start|skip|pageno|pagenumber|pageindex|currentpage|cursor)$/, "page"],
];

/** The parameter that one which does not exist stands for; null if there is none. */
export function meantBy(name: string): string | null {
  const letters = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  return MEANT.find(([pattern]) => pattern?.test(letters))?.[1] ?? null;
}

/** A parameter that the service ignores, and that stands for one that it has. */
export interface IgnoredFilter {
  readonly name: string;
  /** The right one. */
  readonly meant: string;
  readonly values: readonly string[];
}

export function ignoredFiltersIn({ query, inputs }: ClientRequest): readonly IgnoredFilter[] {
  const parameters = parametersIn(query);
  const found: IgnoredFilter[] = [];
  for (const name of new Set(parameters.keys())) {
    const meant = inputs?.includes(name) === false ? meantBy(name) : null;
    // Beside the right one it does no harm.
    if (meant !== null && !parameters.has(meant)) found.push({ name, meant, values: parameters.getAll(name) });
  }
  return found;
}

/** Whether a filter would have left out a row. False for values that momo does not know. */
export function leavesOut({ meant, values }: IgnoredFilter, row: ListedRow, payment: Payment): boolean {
  if (meant === "search") return values.every((value) => value !== "" && !isFoundBy(value, payment));
  const name = FILTER_NAMES.find((filter) => filter === meant);
  if (name === undefined) return false;
  const { parse, fits } = filterOf(name);
  // Several values are alternatives. An instant counts as its day.
  const texts = values.flatMap((value) => value.split(",")).map((text) => DAY_OF_INSTANT.exec(text)?.[0] ?? text);
  return texts.map(parse).every((value) => value !== null && fits(value, row) === false);
}

const DAY_OF_INSTANT = /^\d{4}-\d\d-\d\d(?!\d)/;

/** Whether a search for a text finds a payment. */
function isFoundBy(text: string, payment: Payment): boolean {
  const { number, reference, phone: own, checkoutRequestId, merchantRequestId } = payment;
  const phone = typedPhone(text)?.replace(/^0/, "254") ?? parsePhonePrefix(text);
  return (
    (phone !== null && own.startsWith(phone)) ||
    (reference !== null && foldCase(reference).startsWith(foldCase(text))) ||
    [checkoutRequestId, merchantRequestId].includes(text) ||
    [numberOfCode(text), numberOfReceipt(text)].includes(number)
  );
}
