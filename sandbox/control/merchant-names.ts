import type { Registry } from "../../src/service/registry.ts";

export type MerchantNames = ReturnType<typeof createMerchantNames>;

/** A cache of the names of merchants, which never change. */
export function createMerchantNames(registry: Pick<Registry, "requireMerchant">) {
  const names = new Map<number, string>();
  return {
    async of(merchantId: number): Promise<string> {
      const known = names.get(merchantId);
      if (known !== undefined) return known;
      const { name } = await registry.requireMerchant(merchantId);
      names.set(merchantId, name);
      return name;
    },
  };
}
