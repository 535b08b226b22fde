import { authenticate } from "../../src/service/authenticate.ts";
import type { Store } from "../../src/store/store.ts";
import type { CredentialsRecord } from "./records.ts";

/** Whether a record's key is valid in a database: it exists, is not revoked, and is the merchant's. */
export async function isInForce(store: Pick<Store, "merchants">, record: CredentialsRecord): Promise<boolean> {
  try {
    return (await authenticate(store, record.api_key, record.api_secret)) === record.merchant_id;
  } catch {
    return false;
  }
}
