import { z } from "zod";
import { type Merchant, type PaymentAccount, parseName } from "../../src/domain/merchant.ts";
import { formatTariff, parseTariff } from "../../src/domain/money.ts";
import { succeed, succeedWithList } from "../../src/http/reply.ts";
import type { KnownKey } from "../../src/service/registry.ts";
import type { Service } from "../../src/service/service.ts";
import type { ControlCall, ControlContext } from "./context.ts";
import { MAX_QUERY_ID, parseQuery, readBody, readWith, wholeNumber } from "./input.ts";
import { writeTexts } from "./paging.ts";
import type { AccountOnWire, KeyMade, KeyOnWire, MerchantOnWire } from "./shapes/registry.ts";
import { counted } from "./views.ts";

/** `GET /_momo/merchants`: all merchants, oldest first, like the lists below. */
export const listMerchants: ControlCall = async (_request, { service, realClock }) => {
  const merchants = await service.registry.listMerchants();
  const texts = await writeTexts(merchants, realClock, (merchant) => JSON.stringify(merchantView(merchant)));
  return succeedWithList(counted(texts.length, "merchant"), {}, "merchants", texts);
};

/** `GET /_momo/accounts`: the payment accounts of the merchant that `?merchant_id=` names, by default of the first. */
export const listAccounts: ControlCall = async (_request, { service, realClock }, { query }) => {
  const { id } = await merchantOfQuery(query, service);
  const accounts = await service.registry.listAccounts(id);
  const texts = await writeTexts(accounts, realClock, (account) => JSON.stringify(accountView(account)));
  return succeedWithList(counted(texts.length, "payment account"), {}, "accounts", texts);
};

/** `GET /_momo/keys`: the keys of that merchant, also the revoked ones, without their secrets. */
export const listKeys: ControlCall = async (_request, { service, realClock }, { query }) => {
  const { id } = await merchantOfQuery(query, service);
  const keys = await service.registry.listAllKeys(id);
  const texts = await writeTexts(keys, realClock, (key) => JSON.stringify(keyView(key)));
  return succeedWithList(counted(texts.length, "key"), {}, "keys", texts);
};

export const revokeKey: ControlCall = async (_request, { service }, { id }) => {
  await service.registry.revokeKey(id);
  return succeed("the key is revoked", { api_key: id, revoked: true });
};

const merchantId = z.int().min(1).optional();
const name = readWith(z.string(), (text) => parseName(text, "it"));

export const newMerchant = z.strictObject({ name });

export const createMerchant: ControlCall = async (request, { service }) => {
  const { name } = await readBody(newMerchant, request);
  const merchant = await service.registry.registerMerchant(name);
  return succeed("the merchant is registered", merchantView(merchant));
};

export const newAccount = z.strictObject({
  name,
  fee: readWith(z.string().describe("a tariff, such as 1%, 10 or 1.5%+10"), (text) =>
    parseTariff(text, "it"),
  ).optional(),
  merchant_id: merchantId,
});

/** `POST /_momo/accounts`: opens a payment account, by default for the first merchant. */
export const createAccount: ControlCall = async (request, context) => {
  const { name, fee, merchant_id } = await readBody(newAccount, request);
  const account = await context.service.registry.openAccount(await whose(merchant_id, context), name, fee);
  return succeed("the payment account is open", accountView(account));
};

export const newKey = z.strictObject({ label: name, merchant_id: merchantId });

/** `POST /_momo/keys`: makes a key, by default for the first merchant. Its secret is shown only once. */
export const createKey: ControlCall = async (request, context) => {
  const { label, merchant_id } = await readBody(newKey, request);
  const key = await context.service.registry.issueKey(await whose(merchant_id, context), label);
  const made: KeyMade = {
    api_key: key.apiKey,
    api_secret: key.apiSecret,
    merchant_id: key.merchantId,
    label: key.label,
  };
  return succeed("the key is made; its secret is not shown again", made);
};

async function whose(id: number | undefined, { service }: ControlContext): Promise<number> {
  return id ?? (await service.registry.firstMerchant()).id;
}

/** A merchant; by default the first. */
export const merchantQuery = z.object({
  merchant_id: wholeNumber("merchant_id must be a whole number, the id of a merchant", {
    min: 1,
    max: MAX_QUERY_ID,
  }).optional(),
});

/**
 * The merchant that `?merchant_id=` names, or the first.
 * @throws Refusal `invalid` if it is not an id, `not_found` if there is no such merchant
 */
export async function merchantOfQuery(query: string, { registry }: Pick<Service, "registry">): Promise<Merchant> {
  const { merchant_id } = parseQuery(merchantQuery, query);
  return merchant_id === undefined ? registry.firstMerchant() : registry.requireMerchant(merchant_id);
}

/** The records in JSON, as the commands print them. */
const merchantView = ({ id, name }: Merchant): MerchantOnWire => ({ id, name });

const accountView = ({ id, merchantId, name, tariff }: PaymentAccount): AccountOnWire => ({
  id,
  merchant_id: merchantId,
  name,
  fee: formatTariff(tariff),
});

const keyView = ({ apiKey, merchantId, label, revoked }: KnownKey): KeyOnWire => ({
  api_key: apiKey,
  merchant_id: merchantId,
  label,
  revoked,
});
