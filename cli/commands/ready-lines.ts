import { networkInterfaces } from "node:os";
import { ownCommand } from "../files/data-directory.ts";
import type { Io } from "../io.ts";
import type { ReadyRecord } from "../serving/ready-record.ts";
import { styled } from "../terminal/output.ts";
import { version } from "../version.ts";

/**
 * The lines that a person needs for the first payment. They are printed when the server is ready.
 * @param payments how many the data directory has already
 */
export function announce(io: Io, record: ReadyRecord, host: string, payments: number, readyMs: number): void {
  const fields = [
    ["console", record.console_url],
    ["API", record.base_url],
    ...othersUse(host, record.base_url).map((address) => ["others use", address] as const),
    ["API key", record.api_key ?? KEY_ELSEWHERE],
    ["API secret", record.api_secret],
    ["payment account", record.payment_account_id],
    ["data", record.data],
    ["payments", payments === 0 ? null : `${payments} from before`],
    ["seed", record.seed],
    ["control token", record.control_token],
  ] as const;
  io.printText(styled("bold", `momo ${version}`), `, a mobile-money sandbox, ready in ${Math.round(readyMs)} ms`);
  io.print();
  io.printFields(
    fields.filter(([, value]) => value != null),
    "  ",
  );
  io.print();
  io.printText("Try, in another terminal:");
  for (const [does, command] of [
    ["the customer pays", tryLine(io, record.data, "pay", "0712345678", "100", "--wait")],
    ["the customer cancels", tryLine(io, record.data, "pay", "254700000032", "100", "--wait")],
    ["be the customer: answer momo pay 254700000100 100", tryLine(io, record.data, "phone")],
  ] as const) {
    io.print();
    io.printText("  ", styled("dim", `# ${does}`));
    io.printCommand(command);
  }
  io.print();
  io.print(styled("green", "Ready."), " Ctrl+C stops.");
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
function tryLine(io: Io, data: string, ...words: string[]): string {
  const { program, flags } = ownCommand(io.environment, data);
  return [program, ...words, flags].join(" ").trimEnd();
}
