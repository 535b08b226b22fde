import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { rootCertificates } from "node:tls";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import type { Environment } from "../environment.ts";
import { callersExceptions, isException } from "./hosts.ts";
import preload from "./preload.cjs.txt" with { type: "text" };
import { type InterceptedRun, PROXY_USER } from "./proxy.ts";

/**
 * The variables that send programs to the proxy and make them trust the authority, for each runtime. Settings of the caller stay
 * valid beside them.
 */
export function interceptionVariables(
  run: InterceptedRun,
  proxyPort: number,
  environment: Environment,
): Record<string, string> {
  const files = filesIn(run, environment);
  const inside = proxyVariables(run, proxyPort, environment);
  const trusted = files.whole("SSL_CERT_FILE");
  const trustedByCurl = files.whole("CURL_CA_BUNDLE", "SSL_CERT_FILE");
  mkdirSync(join(run.folder, "php"), { mode: 0o700 });
  files.write("php/momo.ini", `curl.cainfo="${trustedByCurl}"\nopenssl.cafile="${trustedByCurl}"\n`);
  const ownWgetrc = textOf(
    environment.callersVariable("WGETRC") ?? join(environment.callersVariable("HOME") ?? "", ".wgetrc"),
  );
  return {
    ...inside,
    ...forNode(run, files, inside, environment),
    DENO_CERT: files.added("DENO_CERT"),
    CURL_CA_BUNDLE: trustedByCurl,
    SSL_CERT_FILE: trusted,
    REQUESTS_CA_BUNDLE: files.whole("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    // An empty part stands for the folder that PHP was built with.
    PHP_INI_SCAN_DIR: [environment.callersVariable("PHP_INI_SCAN_DIR") ?? "", join(run.folder, "php")].join(delimiter),
    WGETRC: files.write("wgetrc", `${ownWgetrc}\nca_certificate = ${trusted}\n`),
    PERL_LWP_ENV_PROXY: "1",
    PERL_LWP_SSL_CA_FILE: trusted,
  };
}

type Files = ReturnType<typeof filesIn>;

function filesIn({ folder, certificates: { authority } }: InterceptedRun, environment: Environment) {
  const write = (name: string, text: string | Buffer): string => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
    return file;
  };
  return {
    write,
    /** For programs that add these certificates to their own list. */
    added: (variable: string) =>
      write(`${variable}.pem`, `${textOf(environment.callersVariable(variable))}\n${authority}`),
    /** For programs that use this list in place of their own, so it has the other certificates, too. */
    whole(...variables: string[]) {
      const own = variables.map((name) => textOf(environment.callersVariable(name))).find(Boolean);
      return write(`${variables[0]}.pem`, `${own ?? systemCertificates()}\n${authority}`);
    },
  };
}

function proxyVariables({ hosts, password }: InterceptedRun, proxyPort: number, environment: Environment) {
  const proxy = `http://${PROXY_USER}:${password}@127.0.0.1:${proxyPort}`;
  const direct = callersExceptions(environment).filter((entry) => !hosts.some((host) => isException(entry, host, 443)));
  const withoutProxy = [...direct, "127.0.0.1"].join(",");
  return { HTTPS_PROXY: proxy, https_proxy: proxy, NO_PROXY: withoutProxy, no_proxy: withoutProxy };
}

function forNode(
  { hosts, tlsPath }: InterceptedRun,
  files: Files,
  inside: Record<string, string>,
  environment: Environment,
) {
  const certificates = files.added("NODE_EXTRA_CA_CERTS");
  const own = environment.callersVariable("no_proxy", "NO_PROXY");
  const exceptions = own === "*" ? own : [own, "127.0.0.1", ...hosts].filter(Boolean).join(",");
  const settings = {
    hosts,
    path: tlsPath,
    inside,
    outside: {
      HTTPS_PROXY: environment.callersVariable("HTTPS_PROXY") ?? null,
      https_proxy: environment.callersVariable("https_proxy") ?? null,
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
    NODE_OPTIONS: withOwn(environment, "NODE_OPTIONS", `--require ${JSON.stringify(file)}`),
    // Without this, Bun misses only connections of node:https.
    ...withFile(environment, "BUN_OPTIONS", "--preload=", file),
  };
}

/** The caller's options, and one more. */
const withOwn = (environment: Environment, variable: string, option: string): string =>
  [environment.callersVariable(variable), option].filter(Boolean).join(" ");

/** For programs that accept no quotes: without an option, they run as they would without momo. */
const withFile = (environment: Environment, variable: string, option: string, file: string): Record<string, string> =>
  /\s/.test(file) ? {} : { [variable]: withOwn(environment, variable, option + file) };

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
const textOf = (file = ""): string => readOrNull(() => readFileSync(file, "utf8")) ?? "";
