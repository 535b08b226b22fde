import { z } from "zod";
import { formatTariff, parseTariff } from "../../src/domain/fee.ts";
import { succeed } from "../../src/http/reply.ts";
import type { ControlCall, ControlContext } from "./context.ts";
import { readBody, readWith } from "./input.ts";

const merchantId = z.int().min(1).optional();

/** `POST /_momo/merchants`: registers a merchant. */
export const createMerchant: ControlCall = async (request, { service }) => {
  const { name } = await readBody(z.strictObject({ name: z.string() }), request);
  const merchant = await service.registry.registerMerchant(name);
  return succeed("the merchant is registered", { id: merchant.id, name: merchant.name });
};

const accountSchema = z.strictObject({
  name: z.string(),
  fee: readWith(z.string(), (text) => parseTariff(text, "it")).optional(),
  merchant_id: merchantId,
});

/** `POST /_momo/accounts`: opens a payment account, by default for the first merchant. */
export const createAccount: ControlCall = async (request, context) => {
  const { name, fee, merchant_id } = await readBody(accountSchema, request);
  const account = await context.service.registry.openAccount(await whose(merchant_id, context), name, fee);
  return succeed("the payment account is open", {
    id: account.id,
    merchant_id: account.merchantId,
    name: account.name,
    fee: formatTariff(account.tariff),
  });
};

const keySchema = z.strictObject({ label: z.string(), merchant_id: merchantId });

/** `POST /_momo/keys`: makes a key, by default for the first merchant. Its secret is shown this once. */
export const createKey: ControlCall = async (request, context) => {
  const { label, merchant_id } = await readBody(keySchema, request);
  const key = await context.service.registry.issueKey(await whose(merchant_id, context), label);
  return succeed("the key is made; its secret is not shown again", {
    api_key: key.apiKey,
    api_secret: key.apiSecret,
    merchant_id: key.merchantId,
    label: key.label,
  });
};

async function whose(id: number | undefined, { service }: ControlContext): Promise<number> {
  return id ?? (await service.registry.firstMerchant()).id;
}
