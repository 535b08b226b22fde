import { z } from "zod";
import { invalid } from "../../src/domain/error.ts";
import { MAX_GIVEN_ACCOUNT_ID, type Merchant, type PaymentAccount, parseName } from "../../src/domain/merchant.ts";
import { formatTariff, parseTariff } from "../../src/domain/money.ts";
import { queryNumber } from "../../src/http/input.ts";
import { succeed } from "../../src/http/reply.ts";
import type { KnownKey } from "../../src/service/registry.ts";
import { type Calls, call, type RegistryContext } from "./context.ts";
import { bodyOf, MAX_QUERY_ID, readWith } from "./input.ts";
import { replyWithList } from "./paging.ts";
import * as shapes from "./shapes/registry.ts";

const merchant_id = z.int().min(1).optional();
const name = readWith(z.string(), (text) => parseName(text));
const tariff = z.string().describe("a tariff, such as 1%, 10 or 1.5%+10");

const merchantBody = bodyOf(z.strictObject({ name }), { name: "Another Shop" });
const accountBody = bodyOf(
  z.strictObject({
    name,
    id: z.int().min(1).max(MAX_GIVEN_ACCOUNT_ID).optional(),
    fee: readWith(tariff, (text) => parseTariff(text)).optional(),
    merchant_id,
  }),
  { name: "Till 2", id: 77, fee: "1.5%+10" },
);
const keyBody = bodyOf(z.strictObject({ label: name, merchant_id }), { label: "staging" });

/** A merchant, by its id or one of its keys; by default the first. */
export const merchantQuery = z.object({
  api_key: z.string().optional().describe("a key of the merchant, instead of its id"),
  merchant_id: queryNumber("must be a whole number, the id of a merchant", {
    min: 1,
    max: MAX_QUERY_ID,
  }).optional(),
});

const NOT_BOTH = "give merchant_id or api_key, not both";

/** @throws Refusal `not_found` if there is no such merchant, or no such key */
export async function merchantOf(
  { service: { registry } }: RegistryContext,
  { merchant_id, api_key }: z.output<typeof merchantQuery>,
): Promise<Merchant> {
  if (merchant_id !== undefined && api_key !== undefined) throw invalid(NOT_BOTH, [{ path: "", rule: NOT_BOTH }]);
  if (api_key !== undefined) return registry.requireMerchant(await registry.ownerOfKey(api_key));
  return merchant_id === undefined ? registry.firstMerchant() : registry.requireMerchant(merchant_id);
}

const idOf = async ({ service }: RegistryContext, id?: number) => id ?? (await service.registry.firstMerchant()).id;

const ofMerchant = { query: merchantQuery };

/** Merchants, accounts and keys, each list oldest first. */
export const REGISTRY_CALLS: Calls<RegistryContext> = {
  "/merchants": {
    GET: call({ merchants: z.array(shapes.merchant) }, {}, async ({ service, realClock }) => {
      const merchants = await service.registry.listMerchants();
      return replyWithList("merchants", "merchant", merchants, realClock, merchantView);
    }),
    POST: call(shapes.merchant, { body: merchantBody }, async ({ service }, { body }) => {
      const merchant = await service.registry.registerMerchant(body.name);
      return succeed("the merchant is registered", merchantView(merchant));
    }),
  },
  "/accounts": {
    GET: call({ accounts: z.array(shapes.account) }, ofMerchant, async (context, { query }) => {
      const { id } = await merchantOf(context, query);
      const accounts = await context.service.registry.listAccounts(id);
      return replyWithList("accounts", "payment account", accounts, context.realClock, accountView);
    }),
    POST: call(shapes.account, { body: accountBody }, async (context, { body }) => {
      const owner = await idOf(context, body.merchant_id);
      const account = await context.service.registry.openAccount(owner, body.name, body.fee, body.id);
      return succeed("the payment account is open", accountView(account));
    }),
  },
  "/keys": {
    GET: call({ keys: z.array(shapes.key) }, ofMerchant, async (context, { query }) => {
      const { id } = await merchantOf(context, query);
      const keys = await context.service.registry.listKeys(id);
      return replyWithList("keys", "key", keys, context.realClock, keyView);
    }),
    POST: call(shapes.keyMade, { body: keyBody }, async (context, { body: { label, merchant_id } }) => {
      const key = await context.service.registry.issueKey(await idOf(context, merchant_id), label);
      const made: shapes.KeyMade = {
        api_key: key.apiKey,
        api_secret: key.apiSecret,
        merchant_id: key.merchantId,
        label: key.label,
      };
      return succeed("the key is made; its secret is not shown again", made);
    }),
  },
  "/keys/API_KEY": {
    DELETE: call({ api_key: z.string(), revoked: z.literal(true) }, {}, async ({ service }, { id }) => {
      await service.registry.revokeKey(id);
      return succeed("the key is revoked", { api_key: id, revoked: true });
    }),
  },
};

const merchantView = ({ id, name }: Merchant): shapes.MerchantOnWire => ({ id, name });

const accountView = ({ id, merchantId, name, tariff }: PaymentAccount): shapes.AccountOnWire => ({
  id,
  merchant_id: merchantId,
  name,
  fee: formatTariff(tariff),
});

const keyView = ({ apiKey, merchantId, label, revoked }: KnownKey): shapes.KeyOnWire => ({
  api_key: apiKey,
  merchant_id: merchantId,
  label,
  revoked,
});
