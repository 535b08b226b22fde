import { createHash } from "node:crypto";

/** What Java needs: it reads no variables for proxies and certificates, and cannot send a proxy the password of its address. */

export interface ForJava {
  readonly hosts: readonly string[];
  readonly proxyPort: number;
  /** The file of {@link javaKeyStore}. */
  readonly keyStore: string;
}

/** The lines of a file with options for `java`. The client's certificate takes the place of the password. */
export function javaOptions({ hosts, proxyPort, keyStore }: ForJava): string {
  const properties = {
    "https.proxyHost": "127.0.0.1",
    "https.proxyPort": proxyPort,
    "http.nonProxyHosts": allBut(hosts).join("|"),
    "javax.net.ssl.trustStore": keyStore,
    "javax.net.ssl.trustStoreType": "JKS",
    "javax.net.ssl.keyStore": keyStore,
    "javax.net.ssl.keyStoreType": "JKS",
    "javax.net.ssl.keyStorePassword": PASSWORD,
  };
  return Object.entries(properties)
    .map(([name, value]) => `"-D${name}=${String(value).replaceAll("\\", "\\\\")}"\n`)
    .join("");
}

/**
 * Java's patterns for all host names but these: those that differ at some character, and those that are shorter. Java has a list of
 * hosts that bypass its proxy, and none of hosts that use it.
 */
export function allBut(hosts: readonly string[]): string[] {
  const starts = new Set(hosts.flatMap((host) => [...host, "."].map((_, length) => host.slice(0, length))));
  const follows = (start: string) =>
    [...CHARACTERS].filter((next) => !hosts.some((host) => isStart(start + next, host)));
  return [...starts, ...hosts].flatMap((start) => [
    ...(start === "" || hosts.includes(start.replace(/\.$/, "")) ? [] : [start]),
    ...follows(start).map((next) => `${start}${next}*`),
  ]);
}

const CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_.:[";

/** The final dot is the host's, too. */
const isStart = (start: string, host: string): boolean => `${host}.`.startsWith(start);

/** The file is private, so its password is no secret. */
const PASSWORD = "momo";

/**
 * Certificates that Java trusts, and one of a client with its key, in the format JKS, which every Java reads. All of it is DER.
 */
export function javaKeyStore(trusted: readonly Buffer[], client: { certificate: Buffer; key: Buffer }): Buffer {
  const certificate = (der: Buffer) => Buffer.concat([text("X.509"), sized(der)]);
  const entry = (tag: number, name: string, content: Buffer) =>
    Buffer.concat([number(tag), text(name), Buffer.alloc(8), content]);
  const own = Buffer.concat([sized(protectedKey(client.key)), number(1), certificate(client.certificate)]);
  const all = Buffer.concat([
    number(0xfeed_feed),
    number(2),
    number(trusted.length + 1),
    entry(1, "client", own),
    ...trusted.map((der, index) => entry(2, `trusted-${index}`, certificate(der))),
  ]);
  return Buffer.concat([all, sha1(UTF_16, Buffer.from("Mighty Aphrodite"), all)]);
}

/** The key, encrypted by the one method that JKS knows: SHA-1 of the password and of the block before, with a salt of zeros. */
function protectedKey(key: Buffer): Buffer {
  const salt = Buffer.alloc(20);
  const encrypted = Buffer.from(key);
  for (let at = 0, block: Buffer = salt; at < key.length; at += 20) {
    block = sha1(UTF_16, block);
    for (const [index, byte] of block.entries()) {
      if (at + index < key.length) encrypted[at + index] = (key[at + index] ?? 0) ^ byte;
    }
  }
  const algorithm = der(0x30, Buffer.from("060a2b060104012a021101010500", "hex"));
  return der(0x30, Buffer.concat([algorithm, der(0x04, Buffer.concat([salt, encrypted, sha1(UTF_16, key)]))]));
}

const UTF_16 = Buffer.from([...PASSWORD].flatMap((letter) => [0, letter.charCodeAt(0)]));

const sha1 = (...parts: Buffer[]) => createHash("sha1").update(Buffer.concat(parts)).digest();
const number = (value: number) => Buffer.from(value.toString(16).padStart(8, "0"), "hex");
const sized = (bytes: Buffer) => Buffer.concat([number(bytes.length), bytes]);
const text = (value: string) => Buffer.concat([Buffer.from([0, value.length]), Buffer.from(value)]);
/** A value of less than 64 KB. */
const der = (tag: number, value: Buffer) => {
  const { length } = value;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
};
