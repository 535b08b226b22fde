import { authenticate } from "../../src/service/authenticate.ts";
import type { Store } from "../../src/store/store.ts";
import type { CredentialsRecord } from "./records.ts";

/** Whether the key of a record is good in a database, and its merchant's: not revoked, and not another database's. */
export async function isInForce(store: Pick<Store, "merchants">, record: CredentialsRecord): Promise<boolean> {
  const owner = await authenticate(store, record.api_key, record.api_secret).catch(() => null);
  return owner === record.merchant_id;
}
