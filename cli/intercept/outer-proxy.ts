import { once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import type { Environment } from "../environment.ts";
import { Failure } from "../terminal/failure.ts";
import { callersExceptions, isException } from "./hosts.ts";

/** The proxy for https from the caller's environment, and the hosts that bypass it. */
export interface OuterProxy {
  readonly url: URL | null;
  readonly exceptions: readonly string[];
}

/** @throws Failure for a proxy that cannot make tunnels */
export function readOuterProxy(environment: Environment): OuterProxy {
  const proxy = environment.callersVariable("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY");
  const exceptions = callersExceptions(environment);
  if (proxy === undefined) return { url: null, exceptions };
  const text = proxy.includes("://") ? proxy : `http://${proxy}`;
  const url = URL.parse(text);
  if (url?.protocol !== "http:") {
    throw new Failure(
      "usage",
      `--intercept leads other hosts through the proxy that HTTPS_PROXY or ALL_PROXY names, which must be an http:// address; it is ${url ? `${url.protocol}//…` : "none"}`,
      "name such a proxy in HTTPS_PROXY, or unset both",
    );
  }
  return { url, exceptions };
}

/**
 * A connection to a host, through the outer proxy if it applies, and the bytes that have arrived on it.
 * @param client that waits for it: when it closes, the attempt ends
 */
export async function reach(
  host: string,
  port: number,
  { url, exceptions }: OuterProxy,
  client: Socket,
): Promise<[Socket, Buffer]> {
  if (url !== null && !exceptions.some((entry) => isException(entry, host, port)))
    return tunnel(host, port, url, client);
  const socket = connect(port, host);
  client.once("close", () => socket.destroy());
  await once(socket, "connect");
  return [socket, Buffer.alloc(0)];
}

/** Other programs take a % that begins no escape as it is. */
const unescaped = (part: string): string => readOrNull(() => decodeURIComponent(part)) ?? part;

function tunnel(host: string, port: number, url: URL, client: Socket): Promise<[Socket, Buffer]> {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const user = [url.username, url.password].map(unescaped).join(":");
  const asking = request({
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port || 80,
    method: "CONNECT",
    path: target,
    agent: false,
    headers: {
      Host: target,
      ...(user !== ":" && { "Proxy-Authorization": `Basic ${Buffer.from(user).toString("base64")}` }),
    },
  });
  client.once("close", () => asking.destroy());
  return new Promise((resolve, reject) => {
    asking.once("error", reject);
    asking.once("connect", ({ statusCode }, socket, head) => {
      if (statusCode === 200) return resolve([socket, head]);
      socket.destroy();
      reject(new Error(`the proxy answers ${statusCode}`));
    });
    asking.end();
  });
}
