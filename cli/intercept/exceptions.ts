import { callersVariable } from "../environment.ts";

/** NO_PROXY, apart from the proxy: doctor reads it, too, and a start must not load node:http (1.4 MB) with it. */

/** The entries of NO_PROXY. */
export const callersExceptions = (): string[] =>
  (callersVariable("no_proxy", "NO_PROXY") ?? "").split(/[\s,]+/).filter(Boolean);

/** Whether an entry of NO_PROXY matches a host: the host, its domain, or all hosts. */
export function isException(entry: string, host: string, port: number): boolean {
  if (entry === "*") return true;
  const [, name = "", at] = /^(?:\*?\.)?(.*?)(?::([0-9]+))?$/.exec(entry.toLowerCase()) ?? [];
  if (at !== undefined && Number(at) !== port) return false;
  return name !== "" && (host === name || host.endsWith(`.${name}`));
}
