import type { DataDirectory } from "../files/data-directory.ts";
import type { RunningSandbox } from "./run-sandbox.ts";

/** What `serve --json` and the ready file contain. */
export interface ReadyRecord {
  readonly base_url: string;
  readonly control_url: string;
  readonly console_url: string;
  readonly id: string;
  readonly pid: number;
  readonly data: string;
  readonly payment_account_id: number;
  readonly seed?: string;
  /** Null if another server on the database made the key: only that server knows the secret. */
  readonly api_key: string | null;
  readonly api_secret: string | null;
  /** Only a token that momo made: one that was given stays where it is. */
  readonly control_token?: string;
}

export function readyRecord(
  { id, baseUrl, controlUrl, credentials, paymentAccountId }: RunningSandbox,
  directory: DataDirectory,
  newToken: string | null,
  seed: string | null,
): ReadyRecord {
  return {
    base_url: baseUrl,
    control_url: controlUrl,
    console_url: `${controlUrl}/`,
    id,
    pid: process.pid,
    data: directory.path,
    payment_account_id: paymentAccountId,
    ...(seed !== null && { seed }),
    api_key: credentials?.api_key ?? null,
    api_secret: credentials?.api_secret ?? null,
    ...(newToken !== null && { control_token: newToken }),
  };
}
