import type { Tariff } from "../../src/domain/fee.ts";
import { MAX_GIVEN_ACCOUNT_ID } from "../../src/domain/merchant.ts";
import type { Service } from "../../src/service/service.ts";

/**
 * The service, but a payment for an account that does not exist opens it first: a program under test has the id of its real account.
 * @param onOpened called with the id
 */
export function openingAccounts(service: Service, tariff: Tariff | null, onOpened: (id: number) => void): Service {
  return {
    ...service,
    async startPayment(merchantId, order) {
      const id = order.paymentAccountId;
      if (id >= 1 && id <= MAX_GIVEN_ACCOUNT_ID && !(await service.registry.hasAccount(id))) {
        await service.registry.openAccount(merchantId, `Account ${id}`, tariff, id);
        onOpened(id);
      }
      return service.startPayment(merchantId, order);
    },
  };
}
