import { areTotalsTrue } from "../../../src/store/postgres/totals.ts";
import { runSql } from "../../support/postgres.ts";
import type { openShop, Told } from "../../support/shop-receiver.ts";
import { until } from "../../support/waiting.ts";
import type { Answered } from "./load.ts";

export type Shop = Pick<ReturnType<typeof openShop>, "told">;

/** The payments of the database, compared with the answers that the clients got. */
export interface Verdict {
  readonly stored: number;
  /** Answered payments that are missing. */
  readonly lost: number;
  /** References that are stored twice. */
  readonly doubled: number;
  /** Payments that have another number than in their answer. */
  readonly renumbered: number;
  readonly areTotalsTrue: boolean;
  readonly webhooks: Told;
}

export async function audit(url: string, answered: readonly Answered[], shop: Shop): Promise<Verdict> {
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
    webhooks: await shop.told(rows.map(({ id }) => id)),
    areTotalsTrue: await areTotalsTrue((text) => runSql(url, text)),
  };
}
