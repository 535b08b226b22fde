import { networkInterfaces } from "node:os";
import { momoEnvironment } from "../environment.ts";
import { print, styled } from "../terminal/output.ts";
import { commandLine } from "../terminal/this-program.ts";
import { version } from "../version.ts";
import { type DataDirectory, nameDataDirectory } from "./data-directory.ts";
import type { RunningSandbox } from "./run-sandbox.ts";

/** What `serve --json` and the ready file tell of a server. */
export type ReadyRecord = ReturnType<typeof readyRecord>;

export function readyRecord(
  { baseUrl, controlUrl, credentials }: RunningSandbox,
  directory: DataDirectory,
  controlToken: string | null,
) {
  return {
    base_url: baseUrl,
    control_url: controlUrl,
    console_url: `${controlUrl}/`,
    pid: process.pid,
    data: directory.path,
    payment_account_id: credentials.payment_account_id,
    api_key: credentials.api_key,
    api_secret: credentials.api_secret,
    // Only where the control API asks for it.
    ...(controlToken !== null && { control_token: controlToken }),
  };
}

interface Start {
  readonly host: string;
  /** How long the start took. */
  readonly readyMs: number;
}

/** What a person needs to make the first payment. The last line comes when requests are served. */
export function announce(record: ReadyRecord, { host, readyMs }: Start): void {
  const fields: [string, string][] = [
    ["console", record.console_url],
    ["API", record.base_url],
    ...othersUse(host, record.base_url).map((address): [string, string] => ["others use", address]),
    ["API key", record.api_key],
    ["API secret", record.api_secret],
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

/** The addresses of this machine by which others reach a server that listens on all of them. */
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

/** A command line that reaches this server from any folder, as short as it can be. */
function tryLine(data: string, ...words: string[]): string {
  const { baseUrl, data: variable } = momoEnvironment();
  // Another terminal need not have the variables of this one.
  const isFoundAnyway = data === nameDataDirectory(undefined).path && baseUrl === undefined && variable === undefined;
  return commandLine(...words, ...(isFoundAnyway ? [] : ["--data", data]));
}
