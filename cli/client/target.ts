import { CONTROL_PATH } from "../../sandbox/control/context.ts";
import { quoted } from "../../sandbox/curl.ts";
import type { Handler } from "../../src/http/request.ts";
import type { GivenValues, Variables } from "../environment.ts";
import { findDataDirectory, locateDataDirectory } from "../files/own-directory.ts";
import { readCredentials } from "../files/server-record.ts";
import type { Io } from "../io.ts";
import { Failure } from "../terminal/failure.ts";
import { wrongValue } from "../terminal/usage.ts";
import { findServer, isOnThisMachine, type Named, type Server } from "./server.ts";

export interface TargetFlags {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly apiSecret?: string;
  readonly account?: number;
  readonly data?: string;
}

/** The flags of a command that only needs the control API. */
export type ControlFlags = Pick<TargetFlags, "baseUrl" | "data">;

/** A payment service, and the key of the caller. */
export interface Target {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly paymentAccountId: number | null;
  /** What to do if the key is refused, which says where it came from. */
  readonly keyHint?: string;
  readonly server: Server;
}

/** The control API of the sandbox, and its token if it needs one. */
export interface ControlTarget {
  readonly controlUrl: string;
  readonly controlToken: string | null;
  readonly server: Server;
  /** Answers the requests in this process. */
  readonly handler?: Handler;
}

/**
 * Finds the server: from flags, then the environment, then the data directory, for each value separately. The data directory's
 * secret never leaves this machine: it is not sent to another machine that a flag or the environment names.
 * @throws Failure `unreachable` if no server is known, `usage` if no credentials are known
 */
export function resolveTarget(io: Io, flags: TargetFlags): Target {
  const environment = unlessDirectory(io, flags, io.environment.momo());
  const named = namedAddress({ "--base-url": flags.baseUrl, MOMO_BASE_URL: environment.baseUrl });
  const server = findServer(io, flags, named);
  // A directory that is not needed is not checked.
  const directory = server.directory ?? (isOnThisMachine(server.address) ? findDataDirectory(io, flags.data) : null);
  const kept = readCredentials(directory);
  const file = directory?.credentials ?? "";
  const key = firstGiven({ "--api-key": flags.apiKey, MOMO_API_KEY: environment.apiKey, [file]: kept?.api_key });
  if (!key) throw new MissingCredential("key");
  // The secret of the data directory is sent with its own key only.
  const own = key.text === kept?.api_key ? kept : null;
  const { apiSecret } = environment;
  const secret = firstGiven({ "--api-secret": flags.apiSecret, MOMO_API_SECRET: apiSecret, [file]: own?.api_secret });
  if (!secret) throw new MissingCredential("secret");
  io.environment.reachOwnMachine(new URL(server.address));
  return {
    baseUrl: server.address,
    apiKey: headerValue(key.text, key.by),
    apiSecret: headerValue(secret.text, secret.by),
    keyHint: `${key.text} came from ${originOfKey(key.by, secret.by, file)}`,
    paymentAccountId: flags.account ?? readAccount(environment.paymentAccountId) ?? own?.payment_account_id ?? null,
    server,
  };
}

function originOfKey(key: string, secret: string, file: string): string {
  if (key === file && secret === file)
    return `${file}: stop and start momo serve, which makes a new key, or give another with --api-key and --api-secret`;
  const isVariable = [key, secret].some((by) => by.startsWith("MOMO_"));
  const remedy = isVariable ? "unset the variables, or give a key in force" : "give those of a key in force";
  return `${key}, its secret from ${secret}: ${remedy}`;
}

/**
 * Finds the sandbox to control: the one beside the payment service that a flag names, else `MOMO_CONTROL_URL`, else the one beside
 * `MOMO_BASE_URL`, else the server of the data directory.
 * @throws Failure `unreachable` if no server is known
 */
export function resolveControl(io: Io, flags: ControlFlags, given: GivenValues = io.environment.momo()): ControlTarget {
  const environment = unlessDirectory(io, flags, given);
  const { baseUrl, controlUrl } = environment;
  const named = namedAddress({ "--base-url": flags.baseUrl, MOMO_CONTROL_URL: controlUrl, MOMO_BASE_URL: baseUrl });
  const server = findServer(io, flags, named);
  const { address, record } = server;
  const beside = named?.by === "MOMO_CONTROL_URL" ? address : new URL(CONTROL_PATH, address).href;
  // The record of the server says whether the control API has its own port, and which of the names of this machine it listens on.
  const token = environment.controlToken;
  const controlToken = token === undefined ? (record?.control_token ?? null) : headerValue(token, "MOMO_CONTROL_TOKEN");
  const url = record?.control_url ?? beside;
  io.environment.reachOwnMachine(new URL(url));
  return { controlUrl: url, controlToken, server };
}

/**
 * `--data` comes before variables that name a server: they are of another one, and so are the token and the key beside them. The key
 * counts for a directory that has none.
 */
function unlessDirectory(io: Io, { baseUrl, data }: ControlFlags, environment: GivenValues): GivenValues {
  const namesServer = environment.baseUrl !== undefined || environment.controlUrl !== undefined;
  if (data === undefined || baseUrl !== undefined || !namesServer) return environment;
  const { apiKey, apiSecret, paymentAccountId } = environment;
  return readCredentials(locateDataDirectory(io, data)) ? {} : { apiKey, apiSecret, paymentAccountId };
}

/** The first text that is given, and the flag, variable or file that gives it. */
function firstGiven<By extends string>(given: { readonly [B in By]?: string | undefined }) {
  for (const by in given) {
    const text = given[by];
    if (text !== undefined) return { by, text };
  }
  return null;
}

function namedAddress(given: { readonly [B in Named["by"]]?: string | undefined }): Named | null {
  const first = firstGiven(given);
  return first && { by: first.by, address: parseUrl(first.text, first.by) };
}

/**
 * The sandbox to which the payment service of these flags belongs, by `MOMO_CONTROL_URL` or by the record of the running server.
 * Null if the service is not known to be a sandbox.
 */
export function knownControl(io: Io, flags: TargetFlags): ControlTarget | null {
  const control = resolveControl(io, flags);
  const isNamed = flags.baseUrl === undefined && io.environment.momo().controlUrl !== undefined;
  return isNamed || control.server.record ? control : null;
}

/** A momo command for the same server as these flags, without their secret. */
export const commandFor = (flags: TargetFlags, ...words: string[]): string =>
  wordsFor(flags, ...words)
    .map(quoted)
    .join(" ");

export const wordsFor = ({ baseUrl, apiKey, data }: TargetFlags, ...words: string[]): string[] => [
  "momo",
  ...words,
  ...optionsFor({ "base-url": baseUrl, "api-key": apiKey, data }),
];

/** `--name value` for each value that is given. */
export const optionsFor = (given: Readonly<Record<string, string | number | undefined>>): string[] =>
  Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]));

/** Neither the flags nor the environment nor the data directory have the key or its secret. */
export class MissingCredential extends Failure {
  constructor(what: "key" | "secret") {
    const hint = `give it with --api-${what} or MOMO_API_${what.toUpperCase()}`;
    super("usage", `no API ${what} is known for this server`, hint);
  }
}

/**
 * An address without a slash at the end.
 * @param what named in the refusal
 * @throws Failure `usage`, without the password of an address that has one
 */
export function parseUrl(text: string, what: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    const rule = `is not an address such as http://127.0.0.1:2547${what === "MOMO_CONTROL_URL" ? CONTROL_PATH : "/v2"}`;
    throw new Failure("usage", wrongValue(what, rule, text.replace(/^.*@/s, "…@")));
  }
  return url.href.replace(/\/+$/, "");
}

/** A header can have visible ASCII only. Other text would cause an obscure error. */
function headerValue(text: string, what: string): string {
  if (!/^[\x21-\x7e]{1,200}$/.test(text)) {
    throw new Failure("usage", `${what} must be 1 to 200 visible ASCII characters without spaces`);
  }
  return text;
}

function readAccount(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[1-9][0-9]{0,14}$/.test(text)) {
    throw new Failure("usage", wrongValue("MOMO_PAYMENT_ACCOUNT_ID", "must be a whole number from 1", text));
  }
  return Number(text);
}

/** The variables with which a program finds the sandbox and controls it. */
export function variablesOf(target: Target & ControlTarget): Record<string, string> {
  return {
    MOMO_BASE_URL: target.baseUrl,
    MOMO_API_KEY: target.apiKey,
    MOMO_API_SECRET: target.apiSecret,
    ...(target.paymentAccountId !== null && { MOMO_PAYMENT_ACCOUNT_ID: String(target.paymentAccountId) }),
    MOMO_CONTROL_URL: target.controlUrl,
    ...(target.controlToken !== null && { MOMO_CONTROL_TOKEN: target.controlToken }),
  } satisfies Variables;
}
