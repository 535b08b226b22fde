import type { Clock } from "../../src/domain/clock.ts";
import { once } from "../../src/domain/once.ts";
import { type Random, token } from "../../src/domain/random.ts";
import type { Handler } from "../../src/http/request.ts";
import { startServer } from "../../src/http/server.ts";
import { sleep } from "../../src/system.ts";
import { callersVariable } from "../environment.ts";
import type { CredentialsRecord } from "../serving/records.ts";
import { tell } from "../terminal/output.ts";
import { makeCertificates } from "./certificate.ts";
import { readOuterProxy } from "./outer-proxy.ts";
import { openProxy, PROXY_USER } from "./proxy.ts";
import { openTlsDoor } from "./tls-door.ts";
import { interceptionVariables } from "./variables.ts";

export interface InterceptOptions {
  readonly hosts: readonly string[];
  /** The merchant API of the sandbox, and the key that intercepted requests get. */
  readonly handleApi: Handler;
  readonly credentials: CredentialsRecord;
  /** A private folder, created here and removed by the caller. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly reportFault: (error: unknown) => void;
}

export type Interception = Awaited<ReturnType<typeof startInterception>>;

/**
 * Answers `https://HOST/…` for programs with the variables: TLS ends in this process, which forwards requests to the sandbox.
 * @returns the variables for the command's environment
 * @throws Failure with the reason; then nothing is left open
 */
export async function startInterception(options: InterceptOptions) {
  const { hosts, folder, reportFault } = options;
  const outer = readOuterProxy(
    callersVariable("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"),
    callersVariable("no_proxy", "NO_PROXY"),
  );
  const certificates = makeCertificates(hosts, options.clock, options.random);
  const silent = new Set(hosts);
  const password = token(options.random, 24);
  const closing: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let close = closing.pop(); close; close = closing.pop()) await close();
  };
  try {
    const served = startServer({
      hostname: "127.0.0.1",
      port: 0,
      handle: withCredentials(options, (host) => silent.delete(host)),
      busyPaths: [],
      reportFault,
      sleep,
    });
    closing.push(() => served.stop(0));
    const door = await openTlsDoor({
      certificates,
      servedAt: served.port,
      onDistrust: once(() => tellDistrust(hosts)),
    });
    closing.push(door.close);
    const proxy = await openProxy({ hosts, doorPort: door.port, servedAt: served.port, outer, password });
    closing.push(proxy.close);
    const variables = interceptionVariables({
      hosts,
      proxy: `http://${PROXY_USER}:${password}@127.0.0.1:${proxy.port}`,
      doorPort: door.port,
      authority: certificates.authority,
      folder,
    });
    return {
      variables,
      stop,
      /** The hosts that no request has reached. */
      silentHosts: (): readonly string[] => [...silent],
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A program under test has a key of the real service. Any key is replaced by the sandbox's; a request without one is refused. */
function withCredentials({ handleApi, credentials }: InterceptOptions, onRequest: (host: string) => void): Handler {
  return (request, keepOpen) => {
    const { headers } = request;
    onRequest((headers.get("Host") ?? "").toLowerCase().replace(/\.?(?::443)?$/, ""));
    if (headers.get("X-API-Key")) headers.set("X-API-Key", credentials.api_key);
    if (headers.get("X-API-Secret")) headers.set("X-API-Secret", credentials.api_secret);
    return handleApi(request, keepOpen);
  };
}

function tellDistrust(hosts: readonly string[]): void {
  tell(
    `momo: a program closed its connection to ${hosts.join(" or ")} before it sent a request: it does not trust the certificate of this run. It may pin the certificate of the real service, or have its own list of authorities, which no variable extends`,
  );
}
