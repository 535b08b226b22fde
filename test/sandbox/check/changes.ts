import type { Sent } from "../../../sandbox/check/service.ts";
import type { Deviation } from "./checked.ts";

/** How a service deviates: changes of its answers. */

export type Json = Record<string, unknown>;

export const json = (change: (body: Json, request: Sent) => Json | undefined): Deviation => {
  return (answer, request) => {
    const body = change(JSON.parse(answer.text), request);
    return body === undefined ? answer : { ...answer, text: JSON.stringify(body) };
  };
};
export const rowsOf = ({ transactions }: Json) => (transactions ?? []) as Json[];
export const isList = ({ path }: Sent) => path.startsWith("/transactions.php");
export const isStatus = ({ path }: Sent) => path === "/status.php";

/** Changes each row of the lists. */
export const inLists = (change: (row: Json) => Json) =>
  json((body) => (body.transactions ? { ...body, transactions: rowsOf(body).map(change) } : undefined));

/** Changes each row of the lists, and each status. */
export const everywhere = (change: (row: Json) => Json) =>
  json((body) => {
    if (body.transactions) return { ...body, transactions: rowsOf(body).map(change) };
    return body.checkout_request_id && body.status ? change(body) : undefined;
  });

export const inStatus = (change: Json) =>
  json((body, request) => (isStatus(request) && body.success ? { ...body, ...change } : undefined));
export const inPagination = (change: (pagination: Json) => Json, path = "/transactions.php") =>
  json((body, request) => {
    if (request.path !== path || !body.pagination) return;
    return { ...body, pagination: { ...(body.pagination as Json), ...change(body.pagination as Json) } };
  });
export const when = (status: string, change: Json) => (row: Json) =>
  row.status === status ? { ...row, ...change } : row;

/** A service whose `total_completed_amount` is another sum. */
export const paidAs = (sumOf: (total: number, rows: readonly Json[]) => number): Deviation =>
  json((body, { path }) => {
    const { total_completed_amount: total, ...summary } = (body.summary ?? {}) as Json;
    if (!path.startsWith("/transactions.php") || total === undefined) return undefined;
    const rows = body.transactions as readonly Json[];
    return { ...body, summary: { ...summary, total_completed_amount: sumOf(Number(total), rows) } };
  });
