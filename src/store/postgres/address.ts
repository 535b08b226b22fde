import type { SQL } from "bun";
import { UnusableDatabase } from "../store.ts";

/** The address of a database, and the login. */
export interface Address {
  /** For messages: without user and password. */
  readonly name: string;
  readonly login: SQL.PostgresOrMySQLOptions;
}

const TLS_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;

/** The part may be a password, so it is not shown. */
function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new UnusableDatabase("refused", "the URL of the database has a % that begins no escape: write it as %25");
  }
}

/**
 * Parses the URL itself, because Bun's client would mix it with variables such as PGDATABASE and DATABASE_URL.
 * @throws UnusableDatabase `refused` that names what is wrong, without user and password
 */
export function parseAddress(text: string, password: string | null, applicationName: string): Address {
  const url = URL.parse(text);
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol)) {
    throw new UnusableDatabase("refused", "the URL of the database must look like postgres://user@host:5432/name");
  }
  const hostname = url.searchParams.get("host") ?? unescaped(url.hostname).replace(/^\[|\]$/g, "");
  const username = unescaped(url.username);
  const database = unescaped(url.pathname.slice(1)) || username;
  const port = url.port === "" ? 5432 : Number(url.port);
  const where = hostname.startsWith("/") ? hostname : `${hostname}:${port}`;
  const name = `the database ${database || "?"} at ${where || "?"}`;
  const refuse = (what: string) => new UnusableDatabase("refused", `the URL of ${name} ${what}`);
  if (hostname === "" || username === "")
    throw refuse("must name a user and a host, as postgres://user@host/name does");

  const settings: Record<string, string> = { application_name: applicationName };
  let mode: (typeof TLS_MODES)[number] = "prefer";
  let ca: string | null = null;
  for (const [key, value] of url.searchParams) {
    if (key === "sslmode") {
      const known = TLS_MODES.find((one) => one === value);
      if (!known) throw refuse(`has sslmode=${value}, which must be one of ${TLS_MODES.join(", ")}`);
      mode = known;
    } else if (key === "sslrootcert") ca = value;
    else if (key === "application_name" || key === "options") settings[key] = value;
    else if (key !== "host") {
      throw refuse(`has ${key}, and can have host, sslmode, sslrootcert, application_name and options`);
    }
  }
  // With the operator's own CA, the server's certificate is always checked.
  const tls = ca === null ? mode : { ca: Bun.file(ca) };
  return {
    name,
    login: {
      adapter: "postgres",
      url: `postgres://localhost/${encodeURIComponent(database)}`,
      hostname,
      port,
      username,
      password: password ?? unescaped(url.password),
      database,
      tls,
      connection: settings,
    },
  };
}
