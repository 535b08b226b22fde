import { hashSecret, secretMatches } from "../../src/domain/credentials.ts";
import { whatCame } from "../../src/domain/error.ts";
import { fail, type Reply } from "../../src/http/reply.ts";
import { isLoopback } from "../loopback.ts";

/** Who may steer the sandbox. */
export interface GuardOptions {
  /** The address that the server listens on, as the user wrote it. */
  readonly host: string;
  /** The token that callers must send; null if none is needed, as on a loopback address of one user. */
  readonly token: string | null;
}

/** Decides about one request: an answer that refuses it, or null. */
export type Guard = (request: Request) => Reply | null;

const HOW_TO_SET_A_TOKEN = "in --control-token-file or MOMO_CONTROL_TOKEN";

/** Headers by which a proxy names its client. */
const FORWARDED = /^(?:forwarded|x-forwarded(?:-.*)?|x-real-ip|via)$/;

/**
 * Accepts requests to a name of this server, but not through a proxy: its client is unknown. With a token both are allowed, because
 * a machine on a network has many names.
 */
export function createHostGuard({ host, token }: GuardOptions): Guard {
  const namesThisServer = (name: string) => isLoopback(name) || name === host || name === `[${host}]`;
  return ({ headers }) => {
    if (token !== null) return null;
    const forwarded = [...headers.keys()].find((header) => FORWARDED.test(header));
    if (forwarded !== undefined) {
      return fail(
        403,
        `a proxy sent this request (header ${forwarded}): start momo serve with a token, ${HOW_TO_SET_A_TOKEN}`,
      );
    }
    const name = (headers.get("Host") ?? "").toLowerCase().replace(/:[0-9]*$/, "");
    if (namesThisServer(name)) return null;
    return fail(
      403,
      `the Host header must be a loopback name, such as localhost or 127.0.0.1${whatCame(name)}; with a token, ${HOW_TO_SET_A_TOKEN}, any name is accepted`,
    );
  };
}

/**
 * Accepts requests that may steer. A page of another site in a browser on this machine may not: a foreign origin, or a foreign
 * host name that resolves to this machine, is refused.
 */
export function createGuard(options: GuardOptions): Guard {
  const hostGuard = createHostGuard(options);
  const tokenHash = options.token === null ? null : hashSecret(options.token);

  return (request) => {
    const refusal = hostGuard(request);
    if (refusal) return refusal;
    const { headers } = request;
    // Without a token there is no proxy and no TLS: the origin must be exactly that of this server.
    const isForeign =
      isFromAnotherSite(headers) ||
      (tokenHash === null && ![null, `http://${headers.get("Host")}`].includes(headers.get("Origin")));
    if (isForeign) {
      const origin = whatCame(headers.get("Origin") ?? "unknown");
      return fail(403, `the control API does not answer pages of another origin${origin}`);
    }
    if (tokenHash !== null) {
      const given = /^Bearer (\S+)$/i.exec(headers.get("Authorization") ?? "")?.[1] ?? "";
      if (!secretMatches(given, tokenHash)) {
        return fail(401, "send the control token: Authorization: Bearer TOKEN", { "WWW-Authenticate": "Bearer" });
      }
    }
    return null;
  };
}

/**
 * Whether a page of another site sends this. Browsers set these headers, and a page cannot forge `Sec-Fetch-Site`.
 * The scheme of the origin is ignored, because a proxy may end TLS. If a proxy changes the Host, `Sec-Fetch-Site` decides.
 */
export function isFromAnotherSite(headers: Headers): boolean {
  const site = headers.get("Sec-Fetch-Site");
  if (site === "same-origin") return false;
  if (site !== null && site !== "none") return true;
  const origin = headers.get("Origin");
  if (origin === null) return false;
  const scheme = /^https?:\/\//.exec(origin)?.[0] ?? "";
  const here = scheme + headers.get("Host");
  return !URL.canParse(here) || new URL(here).origin !== origin;
}
