import type { ApiKey } from "../../domain/credentials.ts";
import {
  MAX_ACCOUNTS,
  MAX_KEYS,
  MAX_MERCHANTS,
  MAX_REVOKED_KEYS,
  type Merchant,
  type PaymentAccount,
} from "../../domain/merchant.ts";
import { type AccountRow, toAccount } from "../rows.ts";
import type { MerchantStore, NewAccount } from "../store.ts";
import type { Attempts } from "./attempts.ts";
import type { Query } from "./options.ts";
import { createRecent } from "./recent.ts";

interface KeyRow extends Omit<ApiKey, "secretHash"> {
  readonly secretHash: string;
}

const MERCHANT = "id::float8 AS id, name";
const ACCOUNT = `id::float8 AS id, merchant_id::float8 AS "merchantId", name, fee_basis_points AS "basisPoints",
  fee_fixed_cents AS "fixedCents"`;
const KEY = `api_key AS "apiKey", encode(secret_hash, 'hex') AS "secretHash", merchant_id::float8 AS "merchantId", label,
  revoked_at_ms::float8 AS "revokedAtMs"`;

const FORGET_OLD_KEYS = `DELETE FROM api_keys WHERE id IN (
  SELECT id FROM api_keys WHERE merchant_id = (SELECT merchant_id FROM api_keys WHERE api_key = $1::text) AND revoked_at_ms IS NOT NULL
  ORDER BY revoked_at_ms DESC, id DESC OFFSET ${MAX_REVOKED_KEYS})`;

interface Parts {
  readonly attempts: Attempts;
  readonly stopwatch: () => number;
}

/** Runs statements in one transaction, which may run twice. */
type Write = <T>(work: (query: Query, mayBeWritten: boolean) => Promise<T>) => Promise<T>;

/**
 * Merchants, with their payment accounts and keys. Each new row has its number before it is inserted, so that a statement without an
 * answer can be sent again. An insert first locks the row to which it belongs, because it checks a count.
 */
export function createMerchantStore({ attempts, stopwatch }: Parts): MerchantStore {
  const lookups = createLookups(attempts, stopwatch);
  const write: Write = async (work) => {
    return attempts.write(
      async ({ query, script }, mayBeWritten) => {
        await script("BEGIN ISOLATION LEVEL READ COMMITTED");
        const done = await work(query, mayBeWritten);
        await script("COMMIT");
        return done;
      },
      { inTransaction: true },
    );
  };
  const numberFor = async (table: "merchants" | "payment_accounts") => {
    const taken = await attempts.write(({ query }) =>
      query<{ id: number }>(`SELECT nextval('${table}_id_seq')::float8 AS id`),
    );
    return taken[0]?.id ?? 0;
  };
  const insertMerchant = async (name: string, nowMs: number) =>
    addMerchant(write, await numberFor("merchants"), name, nowMs);
  const insertAccount = async (account: NewAccount, nowMs: number) =>
    addPaymentAccount(write, { ...account, id: account.id ?? (await numberFor("payment_accounts")) }, nowMs);
  return {
    ...lookups.reads,
    async addFirst({ name, account, key }, nowMs) {
      const merchantId = (await insertMerchant(name, nowMs))?.id ?? 0;
      const added = await insertAccount({ ...account, merchantId }, nowMs);
      if (!added || !(await addKey(write, { ...key, merchantId }, nowMs))) {
        throw new Error("the first merchant could not be stored");
      }
      return added;
    },
    addMerchant: insertMerchant,
    addPaymentAccount: insertAccount,
    addKey: (key, nowMs) => addKey(write, key, nowMs),
    async revokeKey(apiKey, nowMs) {
      const revoked = await revokeKey(write, apiKey, nowMs);
      lookups.keys.forget(apiKey);
      return revoked;
    },
    async setTariff(accountId, { basisPoints, fixedCents }) {
      const update =
        "UPDATE payment_accounts SET fee_basis_points = $1::int, fee_fixed_cents = $2::int WHERE id = $3::bigint";
      await write((query) => query(update, [basisPoints, fixedCents, accountId]));
      lookups.accounts.forget(accountId);
    },
  };
}

function createLookups(attempts: Attempts, stopwatch: () => number) {
  const read = <Row>(text: string, parameters: readonly unknown[] = []) =>
    attempts.read(({ query }) => query<Row>(text, parameters));
  const first = async <Row>(text: string, parameters: readonly unknown[] = []) =>
    (await read<Row>(text, parameters))[0] ?? null;
  const keys = createRecent(stopwatch, async (apiKey: string) => {
    const row = await first<KeyRow>(`SELECT ${KEY} FROM api_keys WHERE api_key = $1::text`, [apiKey]);
    return row && toKey(row);
  });
  const accounts = createRecent(stopwatch, async (id: number) => {
    const row = await first<AccountRow>(`SELECT ${ACCOUNT} FROM payment_accounts WHERE id = $1::bigint`, [id]);
    return row && toAccount(row);
  });
  const ofMerchant = "WHERE merchant_id = $1::bigint ORDER BY id";
  const reads = {
    findKey: keys.find,
    findPaymentAccount: accounts.find,
    findMerchant: (id: number) => first<Merchant>(`SELECT ${MERCHANT} FROM merchants WHERE id = $1::bigint`, [id]),
    findFirstMerchant: () => first<Merchant>(`SELECT ${MERCHANT} FROM merchants ORDER BY id LIMIT 1`),
    listMerchants: () => read<Merchant>(`SELECT ${MERCHANT} FROM merchants ORDER BY id`),
    listPaymentAccounts: async (merchantId: number) =>
      (await read<AccountRow>(`SELECT ${ACCOUNT} FROM payment_accounts ${ofMerchant}`, [merchantId])).map(toAccount),
    listKeys: async (merchantId: number) =>
      (await read<KeyRow>(`SELECT ${KEY} FROM api_keys ${ofMerchant}`, [merchantId])).map(toKey),
  };
  return { reads, keys, accounts };
}

function addMerchant(write: Write, id: number, name: string, nowMs: number): Promise<Merchant | null> {
  return write(async (query) => {
    await query("SELECT 1 FROM numbering FOR UPDATE");
    await query(
      `INSERT INTO merchants SELECT $1::bigint, $2::text, $3::bigint
      WHERE (SELECT count(*) FROM merchants) < ${MAX_MERCHANTS} ON CONFLICT (id) DO NOTHING`,
      [id, name, nowMs],
    );
    const [row] = await query<Merchant>(`SELECT ${MERCHANT} FROM merchants WHERE id = $1::bigint`, [id]);
    return row ?? null;
  });
}

function addPaymentAccount(
  write: Write,
  { id, merchantId, name, tariff }: PaymentAccount,
  nowMs: number,
): Promise<PaymentAccount | null> {
  return write(async (query) => {
    await lockMerchant(query, merchantId);
    await query(
      `INSERT INTO payment_accounts SELECT $1::bigint, $2::bigint, $3::text, $4::int, $5::int, $6::bigint
      WHERE (SELECT count(*) FROM payment_accounts WHERE merchant_id = $2::bigint) < ${MAX_ACCOUNTS}
      ON CONFLICT (id) DO NOTHING`,
      [id, merchantId, name, tariff.basisPoints, tariff.fixedCents, nowMs],
    );
    // The next numbers follow an id that was given.
    await query(
      "SELECT setval('payment_accounts_id_seq', greatest($1::bigint, last_value)) FROM payment_accounts_id_seq",
      [id],
    );
    const [row] = await query<AccountRow>(`SELECT ${ACCOUNT} FROM payment_accounts WHERE id = $1::bigint`, [id]);
    return row ? toAccount(row) : null;
  });
}

function addKey(
  write: Write,
  { apiKey, secretHash, merchantId, label }: Omit<ApiKey, "revokedAtMs">,
  nowMs: number,
): Promise<boolean> {
  const hash = Buffer.from(secretHash).toString("hex");
  return write(async (query, mayBeWritten) => {
    await lockMerchant(query, merchantId);
    const [own] = await query<KeyRow>(`SELECT ${KEY} FROM api_keys WHERE api_key = $1::text`, [apiKey]);
    if (mayBeWritten && own?.secretHash === hash) return true;
    const added = await query(
      `INSERT INTO api_keys (api_key, secret_hash, merchant_id, label, created_at_ms)
      SELECT $1::text, decode($2::text, 'hex'), $3::bigint, $4::text, $5::bigint
      WHERE (SELECT count(*) FROM api_keys WHERE merchant_id = $3::bigint AND revoked_at_ms IS NULL) < ${MAX_KEYS}
      RETURNING id`,
      [apiKey, hash, merchantId, label, nowMs],
    );
    return added.length === 1;
  });
}

function revokeKey(write: Write, apiKey: string, nowMs: number): Promise<boolean> {
  return write(async (query, mayBeWritten) => {
    const [changed] = await query(
      `UPDATE api_keys SET revoked_at_ms = $2::bigint WHERE api_key = $1::text
      AND (revoked_at_ms IS NULL OR ($3::boolean AND revoked_at_ms = $2::bigint)) RETURNING id`,
      [apiKey, nowMs, mayBeWritten],
    );
    if (changed) await query(FORGET_OLD_KEYS, [apiKey]);
    return changed !== undefined;
  });
}

const lockMerchant = (query: Query, id: number) =>
  query("SELECT 1 FROM merchants WHERE id = $1::bigint FOR UPDATE", [id]);

const toKey = ({ secretHash, ...key }: KeyRow): ApiKey => ({ ...key, secretHash: Buffer.from(secretHash, "hex") });
