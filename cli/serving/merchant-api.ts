import { type ObserveOptions, observe } from "../../sandbox/control/observe.ts";
import type { FaultPlan } from "../../sandbox/faults.ts";
import type { RequestLog } from "../../sandbox/request-log.ts";
import type { Steering } from "../../sandbox/steering.ts";
import type { Webhooks } from "../../sandbox/webhooks/webhooks.ts";
import { MAX_GIVEN_ACCOUNT_ID } from "../../src/domain/merchant.ts";
import type { Tariff } from "../../src/domain/money.ts";
import { type LoadedLater, loadLater } from "../../src/domain/once.ts";
import type * as api from "../../src/http/api.ts";
import type { BasePaths } from "../../src/http/operation.ts";
import type { Profile } from "../../src/http/profile.ts";
import { fail, respond } from "../../src/http/reply.ts";
import type { Handler } from "../../src/http/request.ts";
import type { Service } from "../../src/service/service.ts";
import { version } from "../version.ts";
import type { ClientAudit } from "./client-audit.ts";

export interface MerchantApiOptions extends Pick<ObserveOptions, "clock" | "realClock" | "stopwatch"> {
  readonly steering: Steering;
  readonly basePaths: BasePaths;
  readonly profile: Profile;
  /** Whether a payment opens its account if there is none, with this tariff. */
  readonly opensAccounts?: boolean;
  readonly tariff?: Tariff | null;
}

export interface MerchantApiParts {
  readonly api: LoadedLater<typeof api>;
  readonly service: Service;
  readonly faults: FaultPlan;
  readonly log: RequestLog;
  readonly audit: ClientAudit;
  readonly webhooks: Webhooks;
  readonly stopping: AbortSignal;
}

/** The merchant API as a client of the sandbox sees it: with faults, the log, and what the webhook and the audit need. */
export function createMerchantApi(options: MerchantApiOptions, parts: MerchantApiParts): Handler {
  const { service, faults, log, audit, webhooks, stopping } = parts;
  const { clock, realClock, stopwatch, basePaths, profile, steering } = options;
  const { reportFault } = service.storing;
  const loaded = loadLater(async () => {
    const { createApi } = await parts.api.load();
    const { tariff = null } = options;
    const opening = options.opensAccounts ? openingAccounts(service, tariff, audit.accountOpened) : service;
    return createApi({
      service: answeringAfterWebhook(opening, webhooks),
      basePaths,
      profile,
      version,
      reportFault,
    });
  });
  const { authenticate } = service;
  const { delays } = audit;
  const time = { clock, realClock, stopwatch };
  const handler = observe(loaded, { faults, steering, log, delays, authenticate, basePaths, stopping, ...time });
  return whenFresh(handler, steering, reportFault);
}

/**
 * The service, but a payment for an account that does not exist opens it first: a program under test has the id of its real account.
 * @param onOpened called with the id
 */
function openingAccounts(service: Service, tariff: Tariff | null, onOpened: (id: number) => void): Service {
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

/** The service, but its answer to a push waits if the webhook must be sent first. */
function answeringAfterWebhook(service: Service, webhooks: Webhooks): Service {
  return {
    ...service,
    async startPayment(merchantId, order) {
      const transaction = await service.startPayment(merchantId, order);
      const held = webhooks.beforeAnswer(transaction.checkoutRequestId);
      if (held) await held;
      return transaction;
    },
  };
}

/** Reads the settings that servers share again before an answer, if those of this server can be out of date. */
function whenFresh(handler: Handler, steering: Steering, reportFault: (error: unknown) => void): Handler {
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
