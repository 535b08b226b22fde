import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../src/domain/clock.ts";
import { once } from "../../src/domain/once.ts";
import { type Random, token } from "../../src/domain/random.ts";
import { callersVariable } from "../environment.ts";
import { Failure } from "../terminal/failure.ts";
import { tell } from "../terminal/output.ts";
import { type AnswerOptions, createAnswer } from "./answer.ts";
import { makeCertificates } from "./certificate.ts";
import { readOuterProxy } from "./outer-proxy.ts";
import { openProxy, openTlsEnd } from "./proxy.ts";
import { interceptionVariables } from "./variables.ts";

export interface InterceptOptions extends Omit<AnswerOptions, "onRequest"> {
  /** A private folder, created here and removed by the caller. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
}

export type Interception = Awaited<ReturnType<typeof startInterception>>;

/**
 * Answers `https://HOST/…` for programs with the variables: TLS ends in this process, and the requests never leave it.
 * @returns the variables for the command's environment
 * @throws Failure with the reason; then nothing is left open
 */
export async function startInterception(options: InterceptOptions) {
  const { hosts, folder } = options;
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
    const answer = createAnswer({ ...options, onRequest: (host) => silent.delete(host) });
    mkdirSync(folder, { mode: 0o700 });
    const name = socketName(folder, options.random);
    const tlsEnd = await openTlsEnd({ certificates, path: name, answer, onDistrust: once(() => tellDistrust(hosts)) });
    closing.push(tlsEnd.close);
    const proxy = await openProxy({ hosts, tlsEnd, answer, outer, password });
    closing.push(proxy.close);
    const variables = interceptionVariables({
      hosts,
      proxyPort: proxy.port,
      password,
      tlsPath: name,
      certificates,
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

/** A socket in the private folder; Windows has named pipes instead. */
function socketName(folder: string, random: Random): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\momo-${token(random, 24)}`;
  const path = join(folder, "tls");
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH) return path;
  throw new Failure(
    "unexpected",
    `${path} is too long for a socket: at most ${MAX_SOCKET_PATH} bytes`,
    "name a folder with a shorter path in the variable TMPDIR",
  );
}

/** Of macOS; Linux has 107. */
const MAX_SOCKET_PATH = 103;

function tellDistrust(hosts: readonly string[]): void {
  tell(
    `momo: a program closed its connection to ${hosts.join(" or ")} before it sent a request: it does not trust the certificate of this run. It may pin the certificate of the real service, or have its own list of authorities, which no variable extends`,
  );
}
