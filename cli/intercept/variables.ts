import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { rootCertificates } from "node:tls";
import { callersVariable } from "../environment.ts";
import { isException } from "./outer-proxy.ts";
import preload from "./preload.cjs.txt" with { type: "text" };

export interface InterceptedBy {
  readonly hosts: readonly string[];
  readonly proxy: string;
  readonly doorPort: number;
  readonly authority: string;
  /** A private folder for this run only. */
  readonly folder: string;
}

/**
 * The variables that send programs to the proxy and make them trust the authority, for each runtime. Settings of the caller stay
 * valid beside them.
 */
export function interceptionVariables({
  hosts,
  proxy,
  doorPort,
  authority,
  folder,
}: InterceptedBy): Record<string, string> {
  mkdirSync(folder, { mode: 0o700 });
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
    return file;
  };
  // Programs add these certificates to their own list.
  const added = (variable: string) => write(`${variable}.pem`, `${textOf(callersVariable(variable))}\n${authority}`);
  // Programs use this list in place of their own, so it has the other certificates, too.
  const whole = (...variables: string[]) => {
    const own = variables.map((name) => textOf(callersVariable(name))).find(Boolean);
    return write(`${variables[0]}.pem`, `${own ?? systemCertificates()}\n${authority}`);
  };

  const exceptions = callersVariable("no_proxy", "NO_PROXY");
  const direct = (exceptions ?? "")
    .split(/[\s,]+/)
    .filter((entry) => entry !== "" && !hosts.some((host) => isException(entry, host, 443)));
  const withoutProxy = [...direct, "127.0.0.1"].join(",");
  const inside = { HTTPS_PROXY: proxy, https_proxy: proxy, NO_PROXY: withoutProxy, no_proxy: withoutProxy };

  const nodeCertificates = added("NODE_EXTRA_CA_CERTS");
  const curlCertificates = whole("CURL_CA_BUNDLE", "SSL_CERT_FILE");
  const exceptionsForNode = [exceptions, "127.0.0.1", ...hosts].filter(Boolean).join(",");
  const settings = {
    hosts,
    port: doorPort,
    inside,
    outside: {
      HTTPS_PROXY: callersVariable("HTTPS_PROXY") ?? null,
      https_proxy: callersVariable("https_proxy") ?? null,
      NO_PROXY: exceptionsForNode,
      no_proxy: exceptionsForNode,
    },
    sign: nodeCertificates,
  };
  const preloadFile = write(
    "preload.cjs",
    preload.replace("SETTINGS", () => JSON.stringify(settings)),
  );
  mkdirSync(join(folder, "php"), { mode: 0o700 });
  write("php/momo.ini", `curl.cainfo="${curlCertificates}"\nopenssl.cafile="${curlCertificates}"\n`);

  return {
    ...inside,
    NODE_EXTRA_CA_CERTS: nodeCertificates,
    NODE_OPTIONS: [callersVariable("NODE_OPTIONS"), `--require ${JSON.stringify(preloadFile)}`]
      .filter(Boolean)
      .join(" "),
    // Bun accepts no quotes here. Without this, it misses only connections of node:https.
    ...(/^\S+$/.test(preloadFile) && {
      BUN_OPTIONS: [callersVariable("BUN_OPTIONS"), `--preload=${preloadFile}`].filter(Boolean).join(" "),
    }),
    DENO_CERT: added("DENO_CERT"),
    CURL_CA_BUNDLE: curlCertificates,
    SSL_CERT_FILE: whole("SSL_CERT_FILE"),
    REQUESTS_CA_BUNDLE: whole("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    // An empty part stands for the folder that PHP was built with.
    PHP_INI_SCAN_DIR: [callersVariable("PHP_INI_SCAN_DIR") ?? "", join(folder, "php")].join(delimiter),
  };
}

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
