import { InvalidArgumentError } from "commander";

/** More hosts than a program needs. */
const MAX_HOSTS = 10;

/** At least two parts of letters, digits and dashes, because a name of one part belongs to this machine or its network. */
const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;

/**
 * The hosts of `--intercept a.example,b.example`, and of earlier uses of the option, in lower case.
 * @throws InvalidArgumentError that shows the wrong value and a right one
 */
export function readHosts(text: string, before: readonly string[] = []): readonly string[] {
  const hosts = [...before];
  for (const word of text.split(",")) {
    const host = word.trim().toLowerCase();
    if (/^[0-9.]+$|:.*:/.test(host) && !host.includes("/"))
      throw new InvalidArgumentError(`${host} is an address: give the name of a host`);
    if (!HOST.test(host) || host.endsWith(".localhost")) throw new InvalidArgumentError(noHost(host));
    if (hosts.includes(host)) throw new InvalidArgumentError(`${host} is named twice: name it once`);
    hosts.push(host);
  }
  if (hosts.length > MAX_HOSTS) {
    throw new InvalidArgumentError(`It must be ${MAX_HOSTS} hosts at most; there are ${hosts.length}`);
  }
  return hosts;
}

function noHost(word: string): string {
  const shown = word.length > 60 ? `${word.slice(0, 60)}…` : word;
  const meant = URL.canParse(word) ? new URL(word).hostname : "";
  return `"${shown}" is not the name of a host: give the name alone, such as ${HOST.test(meant) ? meant : "payflow.example"}`;
}
