import { CONTROL_PATH } from "../../sandbox/control/context.ts";
import { reachDirectly } from "../environment.ts";
import { Failure } from "../terminal/failure.ts";

interface Address {
  readonly host: string;
  readonly port: number;
  readonly flag: "--port" | "--control-port";
}

/** Why the server cannot listen on the address, which program uses it, and the flag that helps. */
export async function explainListenFailure(
  error: unknown,
  { host, port, flag }: Address,
  holderTimeoutMs = HOLDER_TIMEOUT_MS,
): Promise<unknown> {
  const { code } = error as NodeJS.ErrnoException;
  const address = `${host}:${port}`;
  if (code === "EADDRINUSE") {
    return new Failure(
      "unexpected",
      `${address} is in use by ${await holderOf(host, port, holderTimeoutMs)}`,
      `choose another port with ${flag}, or ${flag} 0 for any free one`,
    );
  }
  if (code === "EACCES" || code === "EPERM") {
    return new Failure(
      "unexpected",
      `${address} may not be listened on (${code})`,
      `choose a port above 1023 with ${flag}`,
    );
  }
  const reason = code === undefined ? undefined : NO_ADDRESS[code];
  if (reason === undefined) return error;
  return new Failure("unexpected", `${host} ${reason} (${code})`, "choose an address with --host, such as 127.0.0.1");
}

const NO_ADDRESS: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: "is not an address of this machine",
  EINVAL: "is not an address of this machine",
  EAFNOSUPPORT: "is not an address of this machine",
  ENOENT: "does not resolve to an address",
  ENOTFOUND: "does not resolve to an address",
  EAGAIN: "does not resolve to an address, because no name server answers",
};

/** A busy momo answers within this time. A program that never answers delays the refusal by no more. */
const HOLDER_TIMEOUT_MS = 3000;

/** Asks the program on the port whether it is a momo. */
async function holderOf(host: string, port: number, timeoutMs: number): Promise<string> {
  try {
    reachDirectly(host);
    const answer = await fetch(`http://${host.includes(":") ? `[${host}]` : host}:${port}${CONTROL_PATH}/health`, {
      signal: AbortSignal.timeout(timeoutMs),
    });
    const health = (await answer.json()) as { status?: unknown; pid?: unknown };
    if (Number.isInteger(health.pid)) return `another momo (process ${health.pid})`;
    if (health.status === "ok" || health.status === "draining") return "another momo";
  } catch {
    // It is not a momo.
  }
  return "another program";
}
