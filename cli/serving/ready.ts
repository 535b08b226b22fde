import { momoEnvironment } from "../environment.ts";
import { print, styled } from "../terminal/output.ts";
import { commandLine } from "../terminal/this-program.ts";
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

/** What a person needs to make the first payment. The last line comes when requests are served. */
export function announce(record: ReadyRecord): void {
  const fields: [string, string][] = [
    ["address", record.base_url],
    ["console", record.console_url],
    ["payment account", String(record.payment_account_id)],
    ["API key", record.api_key],
    ["API secret", record.api_secret],
    ["data", record.data],
    ...(record.control_token === undefined ? [] : [["control token", record.control_token] as [string, string]]),
  ];
  print(styled("bold", "momo, a mobile-money sandbox"));
  print();
  for (const [name, value] of fields) print("  ", styled("dim", name.padEnd(15)), `  ${value}`);
  const body = `{"payment_account_id":${record.payment_account_id},"phone":"0712345678","amount":100}`;
  for (const line of [
    "",
    "Start a payment:",
    "",
    `  curl ${record.base_url}/stkpush.php \\`,
    `    -H 'X-API-Key: ${record.api_key}' \\`,
    `    -H 'X-API-Secret: ${record.api_secret}' \\`,
    `    -H 'Content-Type: application/json' -d '${body}'`,
    "",
    `  ${payCommandFor(record.data)}`,
    "",
  ]) {
    print(line);
  }
  print(styled("green", "Ready."), " Ctrl+C stops.");
}

/** A command line that reaches this server from any folder, as short as it can be. */
function payCommandFor(data: string): string {
  const { baseUrl, data: variable } = momoEnvironment();
  // Another terminal need not have the variables of this one.
  const isFoundAnyway = data === nameDataDirectory(undefined).path && baseUrl === undefined && variable === undefined;
  return commandLine("pay", "0712345678", "100", "--wait", ...(isFoundAnyway ? [] : ["--data", data]));
}
