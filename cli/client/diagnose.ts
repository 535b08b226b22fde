import { readFileSync, realpathSync } from "node:fs";
import { delimiter } from "node:path";
import { PROBE_HEADER } from "../../sandbox/control/observe.ts";
import { isLoopback } from "../../sandbox/loopback.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { REDACTED } from "../../src/domain/redact.ts";
import type { Environment } from "../environment.ts";
import { callersExceptions, isException } from "../intercept/hosts.ts";
import type { Io } from "../io.ts";
import { type Failure, NoServer, toFailure } from "../terminal/failure.ts";
import { type Client, controlClient, merchantClient } from "./client.ts";
import { READS, Refused } from "./request.ts";
import { knownControl, resolveTarget, type Target, type TargetFlags } from "./target.ts";

/** Finds the problems that `momo pay` would have. It sends real requests, because a file can be out of date. */

/** What was checked, what was found, and what to do about it; null if there is nothing to do. */
export interface Check {
  readonly check: string;
  readonly finding: string;
  readonly remedy: string | null;
}

export const fine = (check: string, finding: string): Check => ({ check, finding, remedy: null });
export const act = (check: string, finding: string, remedy: string): Check => ({ check, finding, remedy });
export const actOn = (check: string, failure: Failure, remedy = "momo help cli tells more"): Check => {
  const isFault = failure instanceof Refused && failure.status >= 500;
  return act(check, failure.message, failure.hint ?? (isFault ? "the log of the server has the cause" : remedy));
};

/** @param flags the flags of `momo pay`; without a known server, no request is sent */
export async function diagnose(io: Io, flags: TargetFlags): Promise<Check[]> {
  let target: Target;
  try {
    target = resolveTarget(io, flags);
  } catch (error) {
    return error instanceof NoServer ? [] : [actOn("API", toFailure(error))];
  }
  const control = await openControl(io, flags);
  const faults = await faultsOf(control.client);
  const proxy = proxyOf(target, io.environment);
  // A test request would trigger a fault, and use up its `times`.
  if (faults) return [...proxy, faults];
  const findings = [...proxy, ...(await tryKey(target))];
  if (control.failure) findings.push(control.failure);
  if (findings.some(({ remedy }) => remedy !== null)) return findings;
  return [...findings, ...(await tryAccount(target, control.client)), ...(await steeringOf(control.client))];
}

/** A proxy of the environment through which requests to the server go. */
function proxyOf({ baseUrl }: Target, environment: Environment): Check[] {
  const { protocol, hostname, port } = new URL(baseUrl);
  const isTls = protocol === "https:";
  const proxy = (isTls ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy", "HTTP_PROXY"]).find((name) =>
    environment.callersVariable(name),
  );
  const exceptions = callersExceptions(environment);
  const isDirect = exceptions.some((entry) => isException(entry, hostname, Number(port) || (isTls ? 443 : 80)));
  if (!proxy || isDirect || isLoopback(hostname)) return [];
  return [fine("proxy", `requests go through ${proxy} of the environment; NO_PROXY bypasses it`)];
}

const BY_DOCTOR = { [PROBE_HEADER]: "1" };

/** Tries the address and the key with a list of one payment, which changes nothing. */
async function tryKey(target: Target): Promise<Check[]> {
  try {
    await merchantClient(target).get("/transactions.php", { limit: "1" }, { headers: BY_DOCTOR });
    return [fine("API", `${target.baseUrl} answers, and accepts ${target.apiKey}`)];
  } catch (error) {
    const failure = toFailure(error);
    const check = failure.code === "unauthorized" ? "API key" : "API";
    return [actOn(check, failure, "check which server answers there")];
  }
}

/** The control API of the sandbox, if one is known. */
async function openControl(
  io: Io,
  flags: TargetFlags,
): Promise<{ readonly client: Client | null; readonly failure: Check | null }> {
  const target = knownControl(io, flags);
  if (!target) return { client: null, failure: null };
  const client = controlClient(target);
  try {
    await client.get("/clock", {});
    return { client, failure: null };
  } catch (error) {
    const failure = toFailure(error);
    if (failure.code === "refused") return { client: null, failure: null }; // it is stopping
    const check = failure.code === "unauthorized" ? "control token" : "control API";
    return { client: null, failure: actOn(check, failure) };
  }
}

async function faultsOf(control: Client | null): Promise<Check | null> {
  const answer = await control?.get("/faults", {});
  if (!answer || (answer.faults as unknown[]).length === 0) return null;
  const remedy = "momo faults list shows them, momo faults clear removes them";
  return act("faults", `${answer.message}: requests fail or are late on purpose`, remedy);
}

async function tryAccount(target: Target, control: Client | null): Promise<Check[]> {
  const check = "payment account";
  const id = target.paymentAccountId;
  const remedy = "momo accounts list shows them: give one with --account or MOMO_PAYMENT_ACCOUNT_ID";
  if (id === null) return [act(check, "none is known for this server", remedy)];
  // Another service could ask a real customer for money.
  if (!control) return [fine(check, `${id}, not tried: what answers is not known to be a sandbox`)];
  // The network refuses this prompt, so nothing is stored.
  const order = { payment_account_id: id, phone: "254700000500", amount: 1 };
  const headers = { "X-Sandbox-Outcome": "refused", ...BY_DOCTOR };
  try {
    await merchantClient(target).post("/stkpush.php", order, { headers, ...READS });
  } catch (error) {
    const isByNetwork = error instanceof Refused && error.kind === "provider";
    if (!isByNetwork) return [actOn(check, toFailure(error), remedy)];
  }
  return [fine(check, `${id} takes payments`)];
}

/** Settings that change the results of payments, and may be forgotten. */
async function steeringOf(control: Client | null): Promise<Check[]> {
  if (!control) return [];
  const [rules, fallback] = await Promise.all([control.get("/rules", {}), control.get("/default", {})]);
  return [
    ...((rules.rules as unknown[]).length > 0 ? [fine("rules", `${rules.message}: momo rules list shows them`)] : []),
    ...(fallback.outcome === "completed" ? [] : [fine("default", `${fallback.message}; momo default set changes it`)]),
  ];
}

/** Whether a process was stopped by a signal. */
export function isStopped(pid: number): boolean {
  // Its state follows the program name, which is in brackets and can contain anything.
  const state =
    readOrNull(() => readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "")) ??
    readOrNull(() =>
      Bun.spawnSync(["ps", "-o", "state=", "-p", String(pid)])
        .stdout.toString()
        .trim(),
    );
  return /^[Tt]/.test(state ?? "");
}

/** The variables that are set, because they can send a command to another server. */
export function checkEnvironment(environment: Environment): Check[] {
  return environment.variablesInForce().map(({ name, value, overrides }) => {
    const isAddress = name.endsWith("_URL");
    if (isAddress && !URL.canParse(value)) {
      return act(name, "it is not an address", "unset it, or set it to one such as http://127.0.0.1:2547");
    }
    const shown = isAddress ? withoutPassword(value) : value;
    return fine(name, `${shown}, from the environment; it overrides ${overrides}`);
  });
}

/** Hides a password in an address, because people show doctor's output to others. */
const withoutPassword = (address: string): string => address.replace(/^.*@/s, `${REDACTED}@`);

/** Two versions of momo can be installed in two ways. A shell starts the first one. */
export function checkPath(environment: Environment): Check[] {
  const found = new Map<string, string>();
  for (const folder of environment.searchPath().split(delimiter)) {
    const file = folder === "" ? null : Bun.which("momo", { PATH: folder });
    if (file !== null && !found.has(realpathSync(file))) found.set(realpathSync(file), file);
  }
  const [first, ...others] = found.values();
  return others.length === 0 ? [] : [fine("path", `a shell starts ${first}, and not ${others.join(" or ")}`)];
}
