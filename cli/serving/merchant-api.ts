import type { Steering } from "../../sandbox/steering.ts";
import type { Webhooks } from "../../sandbox/webhooks/webhooks.ts";
import { Refusal } from "../../src/domain/error.ts";
import { MAX_GIVEN_ACCOUNT_ID } from "../../src/domain/merchant.ts";
import type { Tariff } from "../../src/domain/money.ts";
import { fail, respond } from "../../src/http/reply.ts";
import type { Handler } from "../../src/http/request.ts";
import type { Service } from "../../src/service/service.ts";
import type { ClientAudit } from "./client-audit.ts";

interface ClientServiceParts {
  readonly service: Service;
  readonly webhooks: Webhooks;
  readonly audit: ClientAudit;
  /** Whether a payment opens its account if there is none, with this tariff. */
  readonly opensAccounts: boolean;
  readonly tariff: Tariff | null;
}

/** The service as clients of the sandbox use it: a payment can open its account, and can wait for an early webhook. */
export function serviceForClients({ service, webhooks, audit, opensAccounts, tariff }: ClientServiceParts): Service {
  const { registry } = service;
  return {
    ...service,
    async startPayment(merchantId, order) {
      const id = order.paymentAccountId;
      // A program under test has the id of its real account.
      if (opensAccounts && id >= 1 && id <= MAX_GIVEN_ACCOUNT_ID && !(await registry.hasAccount(id))) {
        await registry.openAccount(merchantId, `Account ${id}`, tariff, id).then(
          () => audit.accountOpened(id),
          unlessConflict, // another payment has opened it meanwhile
        );
      }
      const transaction = await service.startPayment(merchantId, order);
      // If the webhook must be sent first, the answer waits.
      const held = webhooks.beforeAnswer(transaction.checkoutRequestId);
      if (held) await held;
      return transaction;
    },
  };
}

function unlessConflict(error: unknown): void {
  if (!(error instanceof Refusal && error.kind === "conflict")) throw error;
}

/** Reads the settings that servers share again before an answer, if those of this server can be out of date. */
export function whenFresh(handler: Handler, steering: Steering, reportFault: (error: unknown) => void): Handler {
  const refreshFirst: Handler = async (request, keepOpen) => {
    try {
      await steering.refresh();
    } catch (error) {
      reportFault(error);
      return respond(fail(503, "the database cannot be reached: send the request again later"));
    }
    return handler(request, keepOpen);
  };
  return (request, keepOpen) => (steering.isFresh ? handler : refreshFirst)(request, keepOpen);
}
