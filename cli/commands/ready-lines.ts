import { networkInterfaces } from "node:os";
import { ownCommand } from "../files/data-directory.ts";
import type { ReadyRecord } from "../serving/ready-record.ts";
import { print, printCommand, printFields, printText, styled } from "../terminal/output.ts";
import { version } from "../version.ts";

/** The lines that a person needs for the first payment. They are printed when the server is ready. */
export function announce(record: ReadyRecord, host: string, readyMs: number): void {
  const fields = [
    ["console", record.console_url],
    ["API", record.base_url],
    ...othersUse(host, record.base_url).map((address) => ["others use", address] as const),
    ["API key", record.api_key ?? KEY_ELSEWHERE],
    ["API secret", record.api_secret],
    ["payment account", record.payment_account_id],
    ["data", record.data],
    ["seed", record.seed],
    ["control token", record.control_token],
  ] as const;
  printText(styled("bold", `momo ${version}`), `, a mobile-money sandbox, ready in ${Math.round(readyMs)} ms`);
  print();
  printFields(
    fields.filter(([, value]) => value != null),
    "  ",
  );
  print();
  printText("Try, in another terminal:");
  for (const [does, command] of [
    ["the customer pays", tryLine(record.data, "pay", "0712345678", "100", "--wait")],
    ["the customer cancels", tryLine(record.data, "pay", "254700000032", "100", "--wait")],
    ["be the customer: answer momo pay 254700000100 100", tryLine(record.data, "phone")],
  ] as const) {
    print();
    printText("  ", styled("dim", `# ${does}`));
    printCommand(command);
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
      return url.href.replace(/\/$/, "");
    });
}

/** The shortest command line that reaches this server from any folder. */
function tryLine(data: string, ...words: string[]): string {
  const { program, flags } = ownCommand(data);
  return [program, ...words, flags].join(" ").trimEnd();
}
