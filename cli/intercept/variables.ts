import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { rootCertificates } from "node:tls";
import { callersVariable } from "../environment.ts";
import type { Certificates } from "./certificate.ts";
import { callersExceptions, isException } from "./exceptions.ts";
import preload from "./preload.cjs.txt" with { type: "text" };
import preloadForRuby from "./preload.rb.txt" with { type: "text" };
import { basicOf, PROXY_USER } from "./proxy.ts";

export interface InterceptedBy {
  readonly hosts: readonly string[];
  readonly proxyPort: number;
  readonly password: string;
  /** The socket that ends TLS. */
  readonly tlsPath: string;
  readonly certificates: Certificates;
  /** A private folder for this run only. */
  readonly folder: string;
}

/**
 * The variables that send programs to the proxy and make them trust the authority, for each runtime. Settings of the caller stay
 * valid beside them.
 */
export function interceptionVariables(run: InterceptedBy): Record<string, string> {
  const files = filesIn(run);
  const inside = proxyVariables(run);
  const trusted = files.whole("SSL_CERT_FILE");
  const trustedByCurl = files.whole("CURL_CA_BUNDLE", "SSL_CERT_FILE");
  mkdirSync(join(run.folder, "php"), { mode: 0o700 });
  files.write("php/momo.ini", `curl.cainfo="${trustedByCurl}"\nopenssl.cafile="${trustedByCurl}"\n`);
  const ownWgetrc = textOf(callersVariable("WGETRC") ?? join(callersVariable("HOME") ?? "", ".wgetrc"));
  return {
    ...inside,
    ...forNode(run, files, inside),
    ...forJava(run, files, trusted),
    ...forRuby(run, files),
    DENO_CERT: files.added("DENO_CERT"),
    CURL_CA_BUNDLE: trustedByCurl,
    SSL_CERT_FILE: trusted,
    REQUESTS_CA_BUNDLE: files.whole("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    // An empty part stands for the folder that PHP was built with.
    PHP_INI_SCAN_DIR: [callersVariable("PHP_INI_SCAN_DIR") ?? "", join(run.folder, "php")].join(delimiter),
    WGETRC: files.write("wgetrc", `${ownWgetrc}\nca_certificate = ${trusted}\n`),
    PERL_LWP_ENV_PROXY: "1",
    PERL_LWP_SSL_CA_FILE: trusted,
  };
}

type Files = ReturnType<typeof filesIn>;

function filesIn({ folder, certificates: { authority } }: InterceptedBy) {
  const write = (name: string, text: string | Buffer): string => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
    return file;
  };
  return {
    write,
    /** For programs that add these certificates to their own list. */
    added: (variable: string) => write(`${variable}.pem`, `${textOf(callersVariable(variable))}\n${authority}`),
    /** For programs that use this list in place of their own, so it has the other certificates, too. */
    whole(...variables: string[]) {
      const own = variables.map((name) => textOf(callersVariable(name))).find(Boolean);
      return write(`${variables[0]}.pem`, `${own ?? systemCertificates()}\n${authority}`);
    },
  };
}

function proxyVariables({ hosts, proxyPort, password }: InterceptedBy) {
  const proxy = `http://${PROXY_USER}:${password}@127.0.0.1:${proxyPort}`;
  const direct = callersExceptions().filter((entry) => !hosts.some((host) => isException(entry, host, 443)));
  const withoutProxy = [...direct, "127.0.0.1"].join(",");
  return { HTTPS_PROXY: proxy, https_proxy: proxy, NO_PROXY: withoutProxy, no_proxy: withoutProxy };
}

function forNode({ hosts, tlsPath }: InterceptedBy, files: Files, inside: Record<string, string>) {
  const certificates = files.added("NODE_EXTRA_CA_CERTS");
  const own = callersVariable("no_proxy", "NO_PROXY");
  const exceptions = own === "*" ? own : [own, "127.0.0.1", ...hosts].filter(Boolean).join(",");
  const settings = {
    hosts,
    path: tlsPath,
    inside,
    outside: {
      HTTPS_PROXY: callersVariable("HTTPS_PROXY") ?? null,
      https_proxy: callersVariable("https_proxy") ?? null,
      NO_PROXY: exceptions,
      no_proxy: exceptions,
    },
    sign: certificates,
  };
  const file = files.write(
    "preload.cjs",
    preload.replace("SETTINGS", () => JSON.stringify(settings)),
  );
  return {
    NODE_EXTRA_CA_CERTS: certificates,
    NODE_OPTIONS: withOwn("NODE_OPTIONS", `--require ${JSON.stringify(file)}`),
    // Without this, Bun misses only connections of node:https.
    ...withFile("BUN_OPTIONS", "--preload=", file),
  };
}

/**
 * Java reads no variables for proxies and certificates, and cannot send a proxy the password of its address: the client's certificate
 * takes its place.
 */
function forJava({ hosts, proxyPort, certificates }: InterceptedBy, files: Files, trusted: string) {
  const list = textOf(trusted).matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END/g);
  const store = javaKeyStore(
    [...list].map(([, certificate = ""]) => Buffer.from(certificate, "base64")),
    certificates.client,
  );
  const keyStore = files.write("java.jks", store);
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
  const lines = Object.entries(properties).map(
    ([name, value]) => `"-D${name}=${String(value).replaceAll("\\", "\\\\")}"\n`,
  );
  return withFile("JDK_JAVA_OPTIONS", "@", files.write("java", lines.join("")));
}

function forRuby({ hosts, proxyPort, password }: InterceptedBy, files: Files) {
  const settings = [JSON.stringify(hosts), proxyPort, JSON.stringify(basicOf(password))].join(", ");
  const file = files.write("preload.rb", preloadForRuby.replace("SETTINGS", settings));
  return withFile("RUBYOPT", "-r", file);
}

/** The caller's options, and one more. */
const withOwn = (variable: string, option: string): string =>
  [callersVariable(variable), option].filter(Boolean).join(" ");

/** For programs that accept no quotes: without an option, they run as they would without momo. */
const withFile = (variable: string, option: string, file: string): Record<string, string> =>
  /\s/.test(file) ? {} : { [variable]: withOwn(variable, option + file) };

/** The files of trusted certificates on different systems. */
const SYSTEM_FILES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** The system's certificates; if it has no such file, Mozilla's, which come with the runtime. */
function systemCertificates(): string {
  return SYSTEM_FILES.map(textOf).find(Boolean) ?? rootCertificates.join("\n");
}

/** Empty if it cannot be read: then the program could not read it either. */
function textOf(file: string | undefined): string {
  try {
    return file === undefined ? "" : readFileSync(file, "utf8");
  } catch {
    return "";
  }
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
function javaKeyStore(trusted: readonly Buffer[], client: { certificate: Buffer; key: Buffer }): Buffer {
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
