import { hashSecret, secretMatches } from "../../src/domain/credentials.ts";
import { fail, type Reply } from "../../src/http/reply.ts";

/** Who may steer the sandbox. */
export interface GuardOptions {
  /** The address that the server listens on, as it was given. */
  readonly host: string;
  /** What a caller must present; null where nothing is asked for, as on a loopback address that nobody shares. */
  readonly token: string | null;
}

const LOOPBACK_NAMES = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether a host name or address leads to this machine alone. */
export function isLoopback(host: string): boolean {
  return LOOPBACK_NAMES.has(host) || host === "::1" || /^127(?:\.[0-9]{1,3}){3}$/.test(host);
}

/** Decides about one request: an answer that refuses it, or null. */
export type Guard = (request: Request) => Reply | null;

/**
 * Lets through who knows this server by its own name. Where a token is asked for, the name does not matter: a machine on a
 * network has many.
 */
export function createHostGuard({ host, token }: GuardOptions): Guard {
  const namesThisServer = (name: string) => isLoopback(name) || name === host || name === `[${host}]`;
  return ({ headers }) => {
    const name = (headers.get("Host") ?? "").toLowerCase().replace(/:[0-9]*$/, "");
    if (token !== null || namesThisServer(name)) return null;
    return fail(403, "the Host header must be a loopback name, such as localhost or 127.0.0.1");
  };
}

/**
 * Lets through who may steer. A page in a browser on this machine is not its owner, so neither a foreign origin nor a host
 * name that somebody made to lead here gets through.
 */
export function createGuard(options: GuardOptions): Guard {
  const hostGuard = createHostGuard(options);
  const tokenHash = options.token === null ? null : hashSecret(options.token);

  return (request) => {
    const refusal = hostGuard(request);
    if (refusal) return refusal;
    const { headers } = request;
    if (isForeign(headers)) return fail(403, "the control API does not answer pages of another origin");
    if (tokenHash !== null) {
      const given = /^Bearer (\S+)$/i.exec(headers.get("Authorization") ?? "")?.[1] ?? "";
      if (!secretMatches(given, tokenHash)) {
        return fail(401, "send the control token: Authorization: Bearer TOKEN", { "WWW-Authenticate": "Bearer" });
      }
    }
    return null;
  };
}

/** A browser says where a request comes from; other clients say nothing. */
function isForeign(headers: Headers): boolean {
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null && site !== "same-origin" && site !== "none") return true;
  const origin = headers.get("Origin");
  return origin !== null && origin !== `http://${headers.get("Host")}`;
}
