import { homedir } from "node:os";
import { delimiter, isAbsolute } from "node:path";
import { name as npmName } from "../package.json";
import { isLoopback } from "../sandbox/loopback.ts";
import { readOrNull } from "../src/domain/read-or-null.ts";

/** Only this file knows the variables of the environment. Nothing is read from a `.env` file. */

/** momo's variables, each with what it replaces. */
const VARIABLES = {
  baseUrl: ["MOMO_BASE_URL", "the running server of the data directory"],
  apiKey: ["MOMO_API_KEY", "credentials.json"],
  apiSecret: ["MOMO_API_SECRET", "credentials.json"],
  paymentAccountId: ["MOMO_PAYMENT_ACCOUNT_ID", "credentials.json"],
  controlUrl: ["MOMO_CONTROL_URL", "the running server of the data directory"],
  controlToken: ["MOMO_CONTROL_TOKEN", "the running server's token"],
  data: ["MOMO_DATA", "the platform's data folder"],
  database: ["MOMO_DATABASE", "the database of the data directory"],
} as const;

type Member = keyof typeof VARIABLES;

/** The values of variables by their names. */
export type Variables = { readonly [M in Member as (typeof VARIABLES)[M][0]]?: string };

/** The values of momo's variables; undefined if they are not set. */
type AllValues = Readonly<Record<Member | "databasePassword", string | undefined>>;

/** Some of them. */
export type GivenValues = Partial<AllValues>;

/** A program that shows long output, and its environment. */
export interface Pager {
  readonly command: string;
  readonly environment: Record<string, string | undefined>;
}

export interface PlatformFolders {
  readonly xdgDataHome: string | undefined;
  readonly localAppData: string | undefined;
}

/** The environment variables of a process. */
export class Environment {
  readonly #variables: Record<string, string | undefined>;

  constructor(variables: Record<string, string | undefined>) {
    this.#variables = variables;
  }

  /** The values of momo's variables. An empty one counts as not set. */
  momo(): AllValues {
    const values = Object.entries(VARIABLES).map(([member, [name]]) => [member, this.#variables[name] || undefined]);
    return {
      ...(Object.fromEntries(values) as Record<Member, string | undefined>),
      // The same variable as for other clients of PostgreSQL.
      databasePassword: this.#variables.PGPASSWORD || undefined,
    };
  }

  /** A variable of an option of `serve`, if it is set and not empty. */
  serveVariable(name: `MOMO_SERVE_${string}`): string | undefined {
    return this.#variables[name] || undefined;
  }

  /** The names of all variables that look like one of an option of `serve`, and are not empty. */
  serveVariableNames(): string[] {
    return Object.keys(this.#variables).filter((name) => name.startsWith("MOMO_SERVE_") && this.#variables[name]);
  }

  /** The variables that are set, each with what it replaces. Secrets are not shown. */
  variablesInForce(): { name: string; value: string; overrides: string }[] {
    return Object.values(VARIABLES).flatMap(([name, overrides]) => {
      const value = this.#variables[name];
      return value ? [{ name, value: /SECRET|TOKEN|DATABASE/.test(name) ? "(set)" : value, overrides }] : [];
    });
  }

  /** The user's home directory; null if neither HOME nor the system names one. */
  homeFolder(): string | null {
    // The system may not know this user, as in a container with any user id.
    const home = (process.platform !== "win32" && this.#variables.HOME) || readOrNull(homedir);
    return home && isAbsolute(home) ? home : null;
  }

  /** The folders for data of programs that the environment names. */
  platformFolders(): PlatformFolders {
    return {
      xdgDataHome: this.#variables.XDG_DATA_HOME || undefined,
      localAppData: this.#variables.LOCALAPPDATA || undefined,
    };
  }

  /** The environment for a child process: ours and more, without the token of another sandbox, and without a proxy for this machine. */
  forChild(more: Record<string, string>): Record<string, string | undefined> {
    return {
      ...this.#variables,
      ...this.#withoutProxy("127.0.0.1"),
      [VARIABLES.controlToken[0]]: undefined,
      [VARIABLES.database[0]]: undefined,
      ...more,
    };
  }

  /** The exceptions from the proxy, and this host. `*` has a meaning only alone. Bun reads both names, and prefers lower case. */
  #withoutProxy(host: string) {
    const before = this.#variables.no_proxy ?? this.#variables.NO_PROXY;
    const isDirect = before?.split(",").some((entry) => ["*", host].includes(entry.trim()));
    const direct = isDirect ? before : [before, host].filter(Boolean).join(",");
    return { NO_PROXY: direct, no_proxy: direct };
  }

  /** A variable of other programs: the first of these names that is not empty. */
  callersVariable(...names: string[]): string | undefined {
    return names.map((name) => this.#variables[name]).find(Boolean);
  }

  /** The path of a shell. It leaves out the folders that npm adds for its scripts. */
  searchPath(): string {
    const folders = (this.#variables.PATH ?? "").split(delimiter);
    return folders.filter((folder) => !/[\\/]node_modules[\\/]\.bin$/.test(folder)).join(delimiter);
  }

  /** What `npm start` of a clone needs before the options of `momo serve`; empty if something else started momo. */
  beforeOptions(): string {
    const { npm_lifecycle_event: script, npm_package_name: name } = this.#variables;
    return script === "start" && name === npmName ? "npm start -- " : "";
  }

  /** Whether this is continuous integration, where no person can answer questions. */
  isCi(): boolean {
    return !/^(?:0|false)?$/i.test(this.#variables.CI ?? "");
  }

  /** Whether GitHub Actions reads what is printed, and makes annotations of it. */
  isGitHubActions(): boolean {
    return this.#variables.GITHUB_ACTIONS === "true";
  }

  /** `NO_COLOR` with any value means plain text; `FORCE_COLOR` means colours also where the output is no terminal, but for `0` and `false`. */
  wantsColour(isForTerminal: () => boolean): boolean {
    const { NO_COLOR, FORCE_COLOR = "", TERM } = this.#variables;
    if (NO_COLOR) return false;
    if (FORCE_COLOR !== "") return !/^(?:0|false)$/i.test(FORCE_COLOR);
    return isForTerminal() && TERM !== "dumb";
  }

  /** Reaches a host without the proxy. */
  reachDirectly(host: string): void {
    Object.assign(this.#variables, this.#withoutProxy(host));
  }

  /** The same, if the address is on this machine: a proxy is only for other machines. */
  readonly reachOwnMachine = ({ hostname }: URL): void => {
    if (isLoopback(hostname)) this.reachDirectly(hostname);
  };

  /** Null if the user wants none. */
  pagerCommand(): Pager | null {
    const command = this.#variables.PAGER ?? "less";
    if (command === "" || command === "cat" || this.#variables.TERM === "dumb") return null;
    // F: no pager for one screen, R: colours, X: the text stays on the screen.
    return { command, environment: { LESS: "FRX", ...this.#variables } };
  }

  /** Whether the terminal can rewrite a line. */
  canRedraw(): boolean {
    return this.#variables.TERM !== "dumb";
  }
}
