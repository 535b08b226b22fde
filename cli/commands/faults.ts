import { Argument, type Command, Option } from "commander";
import type { Fault } from "../../sandbox/control/shapes/steering.ts";
import { deedOf, FAULT_DEEDS, FAULT_KINDS } from "../../sandbox/fault-kinds.ts";
import { OPERATION_PATHS } from "../../src/http/paths.ts";
import type { Client } from "../client/client.ts";
import type { Answer } from "../client/request.ts";
import type { Column } from "../terminal/data.ts";
import { number, readDurationText, readProbability, readSeed, readStatus, readText } from "../terminal/options.ts";
import { misuse, wrongValue } from "../terminal/usage.ts";
import { type Flags as Steering, showAdded, showList, steering, timesLeft, timesOption } from "./steering.ts";

interface Flags extends Steering {
  readonly path?: string;
  readonly status?: number;
  readonly carriedOut?: true;
  readonly message?: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly cutAfter?: number;
  readonly delay?: string;
  readonly probability?: number;
  readonly seed?: number;
}

type Faults = Answer & { readonly seed: number; readonly faults: readonly Fault[] };

export function faultsCommand(): Command {
  const columns: Column<Fault>[] = [
    "kind",
    { name: "path", cell: ({ path }) => path ?? "every request" },
    { name: "does", cell: deedOf },
    { name: "probability", align: "right" },
    timesLeft,
  ];
  const next = "momo faults add error --path /status.php --status 503 --times 2";
  const show = showList("faults", "kind", columns, next);
  const { command, add } = steering<Flags>("faults", "the kinds", show);
  const kind = new Argument("<kind>", Object.values(FAULT_DEEDS).join(", "));
  add("list", "show the faults in force", (client) => client.get("/faults", {}));
  add("add", "make requests of the merchant API fail", addFault, showAdded("faults", "kind", show))
    .addArgument(kind.choices(FAULT_KINDS))
    .addOption(new Option("--path <path>", "requests of this path only").choices(OPERATION_PATHS))
    .option("--status <code>", "of an error (default: 500)", readStatus)
    .option("--carried-out", "an error after the payment was started, or the list was made")
    .option("--message <text>", "of the error's JSON", readText(1, 200))
    .option("--body <text>", "the error's answer instead of JSON, such as <html></html>", readText(0, 4096))
    .option("--content-type <type>", "of --body (default: text/plain)", readText(1, 200))
    .option("--header <line>", "one more header, such as 'Retry-After: 5'; may be repeated", readHeader)
    .option("--cut-after <bytes>", "send only the first bytes of the error's answer", readCut)
    .option("--delay <duration>", "of a delay, which needs it", readDurationText)
    .option("--probability <share>", "of the requests, such as 0.2 (default: 1)", readProbability)
    .addOption(timesOption("how many requests; then the fault ends"))
    .option("--seed <number>", "the same seed gives the same faults", readSeed);
  add("clear", "remove all faults", (client) => client.delete("/faults"));
  return command;
}

const readCut = number("a whole number of bytes from 0 to 1000000", /^[0-9]{1,7}$/, 1_000_000);

/** Adds a line such as `Retry-After: 5` to the headers before it. */
function readHeader(line: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) {
    throw misuse(wrongValue("--header", "must be a line such as 'Retry-After: 5'", line));
  }
  if (Object.keys(before).some((other) => other.toLowerCase() === name.toLowerCase())) {
    throw misuse(wrongValue("--header", "must name each header once: letter case does not matter", line));
  }
  return { ...before, [name]: value };
}

async function addFault(client: Client, flags: Flags, kind: string): Promise<Answer> {
  const { path, delay, probability, times, seed } = flags;
  const ofError = {
    status: flags.status,
    carried_out: flags.carriedOut,
    message: flags.message,
    body: flags.body,
    content_type: flags.contentType,
    headers: flags.header,
    cut_after: flags.cutAfter,
  };
  const [given] = Object.entries(ofError).find(([, value]) => value !== undefined) ?? [];
  if (kind !== "error" && given !== undefined) {
    throw misuse(`--${given.replace("headers", "header").replace("_", "-")} is for an error only`);
  }
  if (kind === "delay" && delay === undefined) throw misuse("a delay needs --delay, such as --delay 2s");
  if (kind !== "delay" && delay !== undefined) throw misuse("--delay is for a delay only");
  const now = (await client.get("/faults", {})) as Faults;
  // The control API replaces all faults. Without faults there is no seed to keep.
  const kept = seed ?? (now.faults.length > 0 ? now.seed : undefined);
  const fault = { kind, path, ...ofError, delay, probability, times };
  return client.put("/faults", { seed: kept, faults: [...now.faults, fault] });
}
