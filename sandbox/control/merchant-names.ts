import type { Registry } from "../../src/service/registry.ts";

/** A cache of the names of merchants, which never change. */
export interface MerchantNames {
  of(merchantId: number): Promise<string>;
}

export function createMerchantNames(registry: Pick<Registry, "requireMerchant">): MerchantNames {
  const names = new Map<number, string>();
  return {
    async of(merchantId) {
      const known = names.get(merchantId);
      if (known !== undefined) return known;
      const { name } = await registry.requireMerchant(merchantId);
      names.set(merchantId, name);
      return name;
    },
  };
}
