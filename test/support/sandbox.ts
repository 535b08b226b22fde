import { Environment } from "../../cli/environment.ts";
import { dataDirectoryAt } from "../../cli/files/data-directory.ts";
import { runSandbox, type SandboxConfig } from "../../cli/serving/run-sandbox.ts";
import { commandLine } from "../../cli/terminal/this-program.ts";
import packageJson from "../../package.json";
import { stopwatch, systemClock, systemRandom } from "../../src/system.ts";
import { later, newFolder } from "./cleanup.ts";
import { type Client, createClient } from "./client.ts";
import { withoutLists } from "./recording.ts";
import { START_MS } from "./service.ts";

const ENVIRONMENT = new Environment(process.env);

/** A whole sandbox in this process, on a real port: what `momo serve` starts. */
export interface Sandbox extends Client {
  /** Flags that name its data directory, and so the server, to commands. */
  readonly at: readonly [string, string];
  stop(): Promise<void>;
}

/** Starts it on a data directory, with the defaults of `momo serve`; it is ended by `cleanUp` at the latest. */
export async function startIn(directory: string, options: Partial<SandboxConfig> = {}): Promise<Sandbox> {
  const faults: unknown[] = [];
  const { baseUrl, controlUrl, credentials, stop } = await runSandbox({
    directory: dataDirectoryAt(directory),
    host: "127.0.0.1",
    port: 0,
    controlPort: null,
    basePaths: ["/v2", "/api/v2"],
    profile: {},
    fallback: { outcome: "completed" },
    promptTimeoutMs: 60_000,
    tariff: null,
    rules: [],
    webhook: null,
    controlToken: null,
    realClock: systemClock,
    hostClock: options.realClock ?? systemClock,
    stopwatch,
    random: systemRandom,
    warn: () => {},
    environment: ENVIRONMENT,
    optionName: (flag) => flag,
    reportFault: (error) => void faults.push(error),
    ...options,
  });
  async function stopSoundly(): Promise<void> {
    await stop();
    if (faults.length > 0) throw new Error(`faults: ${faults.map(String).join("; ")}`);
  }
  later(stopSoundly);
  if (!credentials) throw new Error("it has no key");
  const headers = { "X-API-Key": credentials.api_key, "X-API-Secret": credentials.api_secret };
  const client = createClient({ baseUrl, controlUrl, headers, paymentAccountId: credentials.payment_account_id });
  return { ...client, at: ["--data", directory], stop: stopSoundly };
}

/** A new sandbox with a frozen clock, which has the same numbers, ids, keys and times in each run. */
export async function startSame() {
  const data = newFolder();
  const sandbox = await startIn(data, { startAt: { atMs: START_MS, isFrozen: true }, seed: "same" });
  return { ...sandbox, data };
}

/** Replaces what differs from run to run by a name; ids and keys, which nobody can read, by their order of appearance. */
export function createSameText(data: string) {
  const named: Record<string, string[]> = {};
  return (text: string): string =>
    withoutLists(text)
      .replaceAll("\r\n", "\n")
      .replaceAll(/^Date: .* GMT$/gm, "Date: DATE")
      // Ids are counted without their real time: two payments may have the same second or not.
      .replaceAll(/(?<=\bws_(?:CO|MR)_)(?!20112026)\d{14}/g, "TIME")
      .replaceAll(/\b(ws_(?:CO|MR)_(?:TIME|\d{14})_|mk_|ms_)[0-9A-Za-z]{20,}/g, (name, kind: string) => {
        const known = named[kind] ?? [];
        named[kind] = known;
        if (!known.includes(name)) known.push(name);
        return `${kind}${known.indexOf(name) + 1}`;
      })
      .replaceAll(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, "SERVER")
      .replaceAll(data, "/data")
      .replaceAll(/(?<=127\.0\.0\.1:)\d{4,}/g, "PORT")
      .replaceAll(commandLine(ENVIRONMENT), "momo")
      .replaceAll(new RegExp(`(process |"pid":)${process.pid}`, "g"), "$1PID")
      .replaceAll(/\b(?!2026-11-20 )20\d\d-\d\d-\d\d \d\d:\d\d:\d\d/g, "TIME")
      .replaceAll(packageJson.version, "VERSION");
}
