import { succeed } from "../../src/http/reply.ts";
import { originOf } from "../../src/http/request.ts";
import { type Calls, CONTROL_PATH, call, ownedBy, type ServerFacts } from "./context.ts";
import { type ServerOnWire, serverAnswer } from "./shapes/server.ts";

/** What commands and snippets need, without a secret. The address is that of the request. */
export const SERVER_CALLS: Calls = {
  "/server": {
    GET: call(serverAnswer, {}, async ({ service: { registry }, server, version, replica }, { request }) => {
      const merchant = await registry.firstMerchant();
      const [account] = await registry.listAccounts(merchant.id);
      const keys = (await registry.listKeys(merchant.id)).flatMap(({ apiKey, revoked }) => (revoked ? [] : [apiKey]));
      const own = server.credentials;
      const facts: ServerOnWire = {
        base_url: merchantOrigin(request, server) + server.basePaths[0],
        control_url: controlOrigin(request) + CONTROL_PATH,
        version,
        name: server.name,
        default_merchant_id: merchant.id,
        payment_account_id: own?.payment_account_id ?? account?.id ?? null,
        // If the sandbox's own key was revoked, another valid key.
        api_key: own && keys.includes(own.api_key) ? own.api_key : (keys[0] ?? null),
        accept: server.profile.accept ?? "strict",
        response_form: server.profile.response_form ?? "full",
        profile: server.profile.name ?? null,
        prompt_timeout_ms: server.promptTimeoutMs,
        seed: server.seed,
        data: server.data,
        ...ownedBy(replica),
      };
      return succeed(`momo ${version}`, facts);
    }),
  },
};

/** The address of the merchant API. If it has its own port, it does not use the proxy of the control API. */
export function merchantOrigin(request: Request, { merchantPort }: ServerFacts): string {
  const port = merchantPort();
  const origin = controlOrigin(request);
  return port === null ? origin : `http://${origin.replace(/^https?:\/\//, "").replace(/:[0-9]*$/, "")}:${port}`;
}

const controlOrigin = (request: Request): string => originOf(request) || "http://127.0.0.1";
