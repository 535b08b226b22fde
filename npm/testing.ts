import { addressOf } from "./address.ts";
import { type Control, controlAt } from "./control.ts";
import type { AuditReport, DeliveryRecord, RequestRecord, TransactionRecord } from "./records.ts";
import { startExecutable } from "./sandbox-process.ts";
import type { ConnectSandbox, SandboxAddress, SandboxOptions, StartSandbox, TestSandbox } from "./test-sandbox.ts";

/** A sandbox for tests in Node, Bun and Deno. */

export type * from "./records.ts";
export type * from "./test-sandbox.ts";

export const startSandbox: StartSandbox = async (options = {}) => {
  const { ready, ending, stop } = await startExecutable(flagsOf(options));
  const control = controlAt({ url: ready.control_url, headers: { "X-Momo-Server": ready.id }, ending });
  const address = {
    baseUrl: ready.base_url,
    controlUrl: ready.control_url,
    apiKey: ready.api_key,
    apiSecret: ready.api_secret,
    paymentAccountId: ready.payment_account_id,
  };
  const sandbox = sandboxOf(address, control, stop);
  if (options.frozen) await sandbox.clock.freeze();
  return sandbox;
};

export const connectSandbox: ConnectSandbox = async (given = {}) => {
  const { controlToken, ...address } = addressOf(given);
  const headers: Record<string, string> = controlToken === "" ? {} : { Authorization: `Bearer ${controlToken}` };
  const control = controlAt({ url: address.controlUrl, headers, ending: () => null });
  await control.send("GET", "/clock"); // a wrong address or token is refused now
  return sandboxOf(address, control, async () => {});
};

function sandboxOf(
  address: Omit<SandboxAddress, "controlToken">,
  { send, list }: Control,
  stop: () => Promise<void>,
): TestSandbox {
  const tell = async (method: string, path: string, body?: object) => void (await send(method, path, body));
  const snapshot = (name: string) => `/snapshots/${encodeURIComponent(name)}`;
  return {
    ...address,
    headers: { "X-API-Key": address.apiKey, "X-API-Secret": address.apiSecret },
    rules: {
      add: async (...rules) => (await send<Added>("POST", "/rules", { rules })).ids,
      remove: (id) => tell("DELETE", `/rules/${id}`),
      clear: () => tell("DELETE", "/rules"),
    },
    faults: {
      add: async (...faults) => (await send<Added>("POST", "/faults", { faults })).ids,
      remove: (id) => tell("DELETE", `/faults/${id}`),
      set: async (faults, seed) => (await send<{ seed: number }>("PUT", "/faults", { faults, seed })).seed,
      clear: () => tell("DELETE", "/faults"),
    },
    webhook: {
      set: (webhook) => tell("PUT", "/webhook", webhook),
      clear: () => tell("DELETE", "/webhook"),
      deliveries: () => list<DeliveryRecord>("/webhook", "deliveries"),
      resend: async (id) =>
        (await send<{ delivery: DeliveryRecord }>("POST", `/webhook/deliveries/${id}/resend`, {})).delivery,
    },
    clock: {
      freeze: () => tell("POST", "/clock", { freeze: true }),
      advance: (duration) => tell("POST", "/clock", { advance: textOf(duration) }),
      advanceTo: (time) => tell("POST", "/clock", { to: time }),
      resume: () => tell("POST", "/clock", { resume: true }),
    },
    answer: async (id, answer) =>
      (await send<OneTransaction>("POST", `/prompts/${encodeURIComponent(id)}/answer`, answer)).transaction,
    wait: async (payment, until = "final", timeout = "10s") => {
      const { reference, checkoutRequestId } = { reference: undefined, checkoutRequestId: undefined, ...payment };
      if (reference === undefined && checkoutRequestId === undefined)
        throw new TypeError(`wait takes { checkoutRequestId } or { reference }; it is ${JSON.stringify(payment)}`);
      const question = { reference, checkout_request_id: checkoutRequestId, until, timeout };
      return (await send<OneTransaction>("POST", "/wait", question)).transaction;
    },
    requests: () => list<RequestRecord>("/requests", "requests"),
    audit: () => send<AuditReport>("GET", "/audit?over=true"),
    forgetFindings: () => tell("DELETE", "/audit"),
    snapshot: (name) => tell("PUT", snapshot(name), {}),
    restore: (name) => tell("POST", `${snapshot(name)}/restore`, {}),
    reset: () => tell("POST", "/reset", {}),
    stop,
  };
}

/** Code under test sleeps for milliseconds, whole or not. */
const textOf = (duration: string | number): string =>
  typeof duration === "number" ? `${Math.ceil(duration)}ms` : duration;

/** `promptTimeout` is `--prompt-timeout`. @throws TypeError for a value from JavaScript that cannot be right */
function flagsOf(given: SandboxOptions): string[] {
  if (typeof given !== "object" || given === null)
    throw new TypeError(`the options must be an object; they are ${given}`);
  const { frozen = false, ...options } = given;
  if (typeof frozen !== "boolean") throw new TypeError(`frozen must be true or false; it is ${JSON.stringify(frozen)}`);
  const flags: string[] = [];
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    // A rule or a fault is an object: it is sent to the sandbox when it runs.
    if (!["string", "number"].includes(typeof value))
      throw new TypeError(`${name} must be a string or a number; it is ${JSON.stringify(value)}`);
    flags.push(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}=${value}`);
  }
  return flags;
}

type Added = { readonly ids: number[] };

type OneTransaction = { readonly transaction: TransactionRecord };
