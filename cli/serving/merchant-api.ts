import { type ObserveOptions, observe } from "../../sandbox/control/observe.ts";
import type { Steering } from "../../sandbox/steering.ts";
import type { Webhooks } from "../../sandbox/webhooks/webhooks.ts";
import { Refusal } from "../../src/domain/error.ts";
import { MAX_GIVEN_ACCOUNT_ID } from "../../src/domain/merchant.ts";
import type { Tariff } from "../../src/domain/money.ts";
import { type LoadedLater, loadLater } from "../../src/domain/once.ts";
import type * as api from "../../src/http/api.ts";
import type { BasePaths } from "../../src/http/paths.ts";
import type { Profile } from "../../src/http/profile.ts";
import { fail, respond } from "../../src/http/reply.ts";
import type { Handler } from "../../src/http/request.ts";
import type { Service } from "../../src/service/service.ts";
import { version } from "../version.ts";
import type { ClientAudit } from "./client-audit.ts";

export interface MerchantSettings {
  readonly basePaths: BasePaths;
  readonly profile: Profile;
  /** Whether a payment opens its account if there is none, with this tariff. */
  readonly opensAccounts?: boolean | undefined;
  readonly tariff?: Tariff | null | undefined;
}

interface Options extends Omit<ObserveOptions, "delayed" | "authenticate" | "steering">, MerchantSettings {
  readonly api: LoadedLater<typeof api>;
  readonly service: Service;
  readonly audit: ClientAudit;
  readonly webhooks: Webhooks;
  readonly steering: Steering;
  readonly reportFault: (error: unknown) => void;
}

/** The merchant API as a client of the sandbox sees it: with faults, the log, and what the webhook and the audit need. */
export function createMerchantApi(options: Options): Handler {
  const { authenticate } = options.service;
  const loaded = loadLater(async () => {
    const { createApi } = await options.api.load();
    return createApi({ ...options, service: serviceFor(options), version });
  });
  return whenFresh(observe(loaded, { ...options, delayed: options.audit.delayed, authenticate }), options);
}

function serviceFor({ service, webhooks, audit, opensAccounts, tariff = null }: Options): Service {
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
function whenFresh(handler: Handler, { steering, reportFault }: Pick<Options, "steering" | "reportFault">): Handler {
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
