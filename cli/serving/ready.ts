import { networkInterfaces } from "node:os";
import { momoEnvironment } from "../environment.ts";
import { print, styled } from "../terminal/output.ts";
import { commandLine } from "../terminal/this-program.ts";
import { version } from "../version.ts";
import { type DataDirectory, nameDataDirectory } from "./data-directory.ts";
import type { RunningSandbox } from "./run-sandbox.ts";

/** What `serve --json` and the ready file contain. */
export type ReadyRecord = ReturnType<typeof readyRecord>;

export function readyRecord(
  { baseUrl, controlUrl, credentials, paymentAccountId }: RunningSandbox,
  directory: DataDirectory,
  controlToken: string | null,
) {
  return {
    base_url: baseUrl,
    control_url: controlUrl,
    console_url: `${controlUrl}/`,
    pid: process.pid,
    data: directory.path,
    payment_account_id: paymentAccountId,
    // Null if another server on the database made the key: only that server knows the secret.
    api_key: credentials?.api_key ?? null,
    api_secret: credentials?.api_secret ?? null,
    // Only if the control API requires it.
    ...(controlToken !== null && { control_token: controlToken }),
  };
}

interface Start {
  readonly host: string;
  readonly readyMs: number;
}

/** The lines that a person needs for the first payment. They are printed when the server is ready. */
export function announce(record: ReadyRecord, { host, readyMs }: Start): void {
  const fields: [string, string][] = [
    ["console", record.console_url],
    ["API", record.base_url],
    ...othersUse(host, record.base_url).map((address): [string, string] => ["others use", address]),
    ["API key", record.api_key ?? KEY_ELSEWHERE],
    ...(record.api_secret === null ? [] : [["API secret", record.api_secret] as [string, string]]),
    ["payment account", String(record.payment_account_id)],
    ["data", record.data],
    ...(record.control_token === undefined ? [] : [["control token", record.control_token] as [string, string]]),
  ];
  print(styled("bold", `momo ${version}`), `, a mobile-money sandbox, ready in ${Math.round(readyMs)} ms`);
  print();
  for (const [name, value] of fields) print("  ", styled("dim", name.padEnd(15)), `  ${value}`);
  print();
  print("Try, in another terminal:");
  for (const [does, command] of [
    ["the customer pays", tryLine(record.data, "pay", "0712345678", "100", "--wait")],
    ["the customer cancels", tryLine(record.data, "pay", "254700000032", "100", "--wait")],
    ["be the customer: answer momo pay 254700000100 100", tryLine(record.data, "phone")],
  ] as const) {
    print();
    print("  ", styled("dim", `# ${does}`));
    print(`  ${command}`);
  }
  print();
  print(styled("green", "Ready."), " Ctrl+C stops.");
}

/** Shown by a server that has not made the first key of its database. */
const KEY_ELSEWHERE =
  "another server has made it, and only that one knows its secret; give it here with MOMO_API_KEY and MOMO_API_SECRET";

/** This machine's addresses for other machines, if the server listens on all of them. */
function othersUse(host: string, baseUrl: string): string[] {
  if (host !== "0.0.0.0" && host !== "::") return [];
  const addresses = Object.values(networkInterfaces()).flatMap((interfaces) => interfaces ?? []);
  return addresses
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => {
      const url = new URL(baseUrl);
      url.hostname = address;
      return url.href;
    });
}

/** The shortest command line that reaches this server from any folder. */
function tryLine(data: string, ...words: string[]): string {
  const { baseUrl, data: variable } = momoEnvironment();
  // Another terminal may not have the variables of this one.
  const isFoundAnyway = data === nameDataDirectory(undefined).path && baseUrl === undefined && variable === undefined;
  return commandLine(...words, ...(isFoundAnyway ? [] : ["--data", data]));
}
