import { invalid } from "../../src/domain/error.ts";
import type { Merchant } from "../../src/domain/merchant.ts";
import { whatCame } from "../../src/domain/what-came.ts";
import { readQuery } from "../../src/http/request.ts";
import type { Service } from "../../src/service/service.ts";

/**
 * The merchant that `?merchant_id=` names, or the first.
 * @throws Refusal `invalid` for what is no id, `not_found` where there is no such merchant
 */
export async function merchantOfQuery(query: string, { registry }: Pick<Service, "registry">): Promise<Merchant> {
  const { merchant_id } = readQuery(query, ["merchant_id"]);
  if (merchant_id === undefined) return registry.firstMerchant();
  if (!/^[1-9][0-9]{0,14}$/.test(merchant_id))
    throw invalid(`merchant_id must be a whole number, the id of a merchant${whatCame(merchant_id)}`);
  return registry.requireMerchant(Number(merchant_id));
}
