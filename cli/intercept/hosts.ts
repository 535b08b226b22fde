import type { Environment } from "../environment.ts";
import { wrong } from "../terminal/usage.ts";

/** More hosts than a program needs. */
const MAX_HOSTS = 10;

/** At least two parts of letters, digits and dashes, because a name of one part belongs to this machine or its network. */
const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;

/**
 * A host as a client may write it, in one form: lower case, IDN as `xn--…`, without the final dot and the port 443.
 * @returns an empty text for what is no host
 */
export function canonicalHost(written: string): string {
  const url = `https://${written}`;
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: "", pathname: "" };
  return pathname === "/" ? host.replace(/\.$/, "") : "";
}

/**
 * The hosts of `--intercept a.example,b.example`, and of earlier uses of the option, in that form.
 * @throws WrongValue that shows the wrong name and a right one
 */
export function readHosts(text: string, before: readonly string[] = []): readonly string[] {
  const hosts = [...before];
  for (const word of text.split(",")) {
    const written = word.trim().toLowerCase();
    const host = canonicalHost(written);
    if ((/^[0-9.]+$|:.*:/.test(written) || /^[0-9.]+$/.test(host)) && !written.includes("/"))
      throw wrong(`must name hosts, and ${written} is an address`);
    // A URL drops or decodes these.
    if (/[@:?#/%\\\s]/.test(written) || !HOST.test(host) || host.endsWith(".localhost"))
      throw wrong(noHost(written, text));
    if (hosts.includes(host)) throw wrong(`must name each host once, and not ${host} twice`);
    hosts.push(host);
  }
  if (hosts.length > MAX_HOSTS) {
    throw wrong(`must name at most ${MAX_HOSTS} hosts, and not ${hosts.length}`);
  }
  return hosts;
}

function noHost(word: string, text: string): string {
  const shown = word.length > 60 ? `${word.slice(0, 60)}…` : word;
  const meant = URL.canParse(word) ? new URL(word).hostname : "";
  const example = HOST.test(meant) ? meant : "payflow.example";
  return `must name hosts, such as ${example}${text.includes(",") ? `, and not "${shown}"` : ""}`;
}

/** NO_PROXY, apart from the proxy: doctor reads it, too, and a start must not load node:http (1.4 MB) with it. */

/** The entries of NO_PROXY. */
export const callersExceptions = (environment: Environment): string[] =>
  (environment.callersVariable("no_proxy", "NO_PROXY") ?? "").split(/[\s,]+/).filter(Boolean);

/** Whether an entry of NO_PROXY matches a host: the host, its domain, or all hosts. */
export function isException(entry: string, host: string, port: number): boolean {
  if (entry === "*") return true;
  const [, name = "", at] = /^(?:\*?\.)?(.*?)(?::([0-9]+))?$/.exec(entry.toLowerCase()) ?? [];
  if (at !== undefined && Number(at) !== port) return false;
  return name !== "" && (host === name || host.endsWith(`.${name}`));
}
