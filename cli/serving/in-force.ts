import { authenticate } from "../../src/service/authenticate.ts";
import type { Store } from "../../src/store/store.ts";
import type { CredentialsRecord } from "./records.ts";

/** Whether a record's key is valid in a database: it exists, is not revoked, and is the merchant's. */
export async function isInForce(store: Pick<Store, "merchants">, record: CredentialsRecord): Promise<boolean> {
  const owner = await authenticate(store, record.api_key, record.api_secret).catch(() => null);
  return owner === record.merchant_id;
}
