import { areTotalsTrue } from "../../../src/store/postgres/totals.ts";
import { runSql } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";
import type { Answered } from "./load.ts";

/** The payments of the database, compared with what the clients were told. */
export interface Verdict {
  readonly stored: number;
  /** Payments that were answered, and are not there. */
  readonly lost: number;
  /** References that are there twice. */
  readonly doubled: number;
  /** Payments that are there under another number than their client was told. */
  readonly renumbered: number;
  readonly areTotalsTrue: boolean;
}

export async function audit(url: string, answered: readonly Answered[]): Promise<Verdict> {
  await until(
    () => runSql<{ count: number }>(url, "SELECT count(*)::int AS count FROM transactions WHERE status = 0"),
    ([row]) => row?.count === 0,
  );
  const rows = await runSql<{ reference: string; id: number }>(
    url,
    "SELECT reference, id::float8 AS id FROM transactions ORDER BY id",
  );
  const ids = new Map<string, number[]>();
  for (const { reference, id } of rows) ids.set(reference, [...(ids.get(reference) ?? []), id]);
  const found = answered.map(({ reference, transactionId }) => ({ transactionId, ids: ids.get(reference) ?? [] }));
  return {
    stored: rows.length,
    lost: found.filter((one) => one.ids.length === 0).length,
    doubled: [...ids.values()].filter((one) => one.length > 1).length,
    renumbered: found.filter((one) => one.ids.length > 0 && !one.ids.includes(one.transactionId)).length,
    areTotalsTrue: await areTotalsTrue((text) => runSql(url, text)),
  };
}
