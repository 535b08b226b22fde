import { succeed } from "../../src/http/reply.ts";
import { originOf } from "../../src/http/request.ts";
import type { ControlCall, ServerFacts } from "./context.ts";
import { CONTROL_PATH } from "./path.ts";

/** `GET /_momo/server`: what a line to paste needs, without a secret. The address is the one that the caller has used. */
export const showServer: ControlCall = async (request, { service, server, version }) => {
  const { registry } = service;
  const merchant = await registry.firstMerchant();
  const [account] = await registry.listAccounts(merchant.id);
  const keys = (await registry.listKeys(merchant.id)).map(({ apiKey }) => apiKey);
  const own = server.credentials();
  return succeed(`momo ${version}`, {
    base_url: merchantOrigin(request, server) + server.basePaths[0],
    control_url: controlOrigin(request) + CONTROL_PATH,
    version,
    name: server.name ?? null,
    default_merchant_id: merchant.id,
    payment_account_id: own?.paymentAccountId ?? account?.id ?? null,
    // Where the own key was revoked, another one in force.
    api_key: own && keys.includes(own.apiKey) ? own.apiKey : (keys[0] ?? null),
    accept: server.accept,
    response_form: server.form,
    prompt_timeout_ms: server.promptLifetimeMs,
    data: server.data,
  });
};

/** The merchant API's address. On a port of its own it is reached without the proxy through which the control API may be. */
export function merchantOrigin(request: Request, { merchantPort }: ServerFacts): string {
  const port = merchantPort();
  const origin = controlOrigin(request);
  return port === null ? origin : `http://${origin.replace(/^https?:\/\//, "").replace(/:[0-9]*$/, "")}:${port}`;
}

const controlOrigin = (request: Request): string => originOf(request) || "http://127.0.0.1";
