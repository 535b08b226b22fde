import { parametersIn } from "../../../src/domain/parameters.ts";
import { clean, messageOf } from "../words.ts";
import type { ListRequest } from "./payment.ts";
import type { ClientRequest, Row } from "./request.ts";

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

export function listRequest(request: ClientRequest, rows: readonly Row[]): ListRequest {
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
const MEANT: readonly (readonly [pattern: RegExp, parameter: string])[] = [
  [/^(?:filter)?(?:status(?:es)?|state|paymentstatus|transactionstatus)$/, "status"],
  [/^(?:filter)?(?:kind|types|transactiontype|paymenttype)$/, "type"],
  [/^(?:perpage|pagesize|pagelimit|size|count|take|top|max|maxresults|limits?)$/, "limit"],
  [/^(?:offset|pageoffset|start|skip|pageno|pagenumber|pageindex|currentpage|cursor)$/, "page"],
  [
    /^(?:startdate|datestart|from|fromdate|datefrom|since|after|createdafter|begin|begindate|startat|starttime|createdatfrom|createdfrom|day|date)$/,
    "date_from",
  ],
  [
    /^(?:enddate|dateend|to|todate|dateto|until|before|createdbefore|end|endat|endtime|createdatto|createdto)$/,
    "date_to",
  ],
  [/^(?:q|query|keyword|term|filter|phone|phonenumber|msisdn|mobile)$/, "search"],
];

/** The parameter that one which does not exist stands for; null if there is none. */
export function meantBy(name: string): string | null {
  const letters = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  return MEANT.find(([pattern]) => pattern.test(letters))?.[1] ?? null;
}

/** The first parameter that is ignored, and that would have left out a row. */
export function whatLeavesOut(ignored: readonly (readonly [name: string, value: string])[], row: Row): string | null {
  const found = ignored.find(([name, value]) => {
    const day = String(row.created_at ?? "").slice(0, "YYYY-MM-DD".length);
    switch (meantBy(name)) {
      case "status":
        return value.toLowerCase() !== row.status.toLowerCase();
      case "type":
        return value.toLowerCase() !== String(row.type).toLowerCase();
      case "date_from":
        return day < value;
      case "date_to":
        return day > value.slice(0, day.length);
      default:
        return false;
    }
  });
  return found?.[0] ?? null;
}

/** The parameters of a query that the service ignores, and that stand for those that it has. */
export const ignoredFiltersIn = ({ query, inputs }: ClientRequest): (readonly [name: string, value: string])[] =>
  [...parametersIn(query)].filter(([name]) => inputs?.includes(name) === false && meantBy(name) !== null);
