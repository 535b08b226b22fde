import { Argument, Command, Option } from "commander";
import type { FaultInForce } from "../../sandbox/control/shapes/steering.ts";
import { OPERATION_PATHS } from "../../src/http/operation.ts";
import type { Answer, Client, SendOptions } from "../client/client.ts";
import { printList } from "../terminal/data.ts";
import { readDurationText, readProbability, readStatus } from "../terminal/options.ts";
import { misuse } from "../terminal/usage.ts";
import { timesOption } from "./rules.ts";
import { type SteeringFlags, steeringCommand } from "./steering.ts";

const KINDS = ["error", "delay", "disconnect"] as const;

interface FaultFlags extends SteeringFlags {
  readonly path?: string;
  readonly status?: number;
  readonly delay?: string;
  readonly probability?: number;
  readonly times?: number;
  readonly seed?: number;
}

type Faults = Answer & { readonly seed: number; readonly faults: readonly FaultInForce[] };

export default function faultsCommand(): Command {
  const command = new Command("faults");
  const sub = steeringCommand<FaultFlags>(command, show, "the kinds");
  sub("list", "show the faults in force", (client) => client.get("/faults", {}));
  sub("add", "make requests of the merchant API fail", addFault)
    .addArgument(
      new Argument("<kind>", "answer with an error, answer late, or carry out without an answer").choices(KINDS),
    )
    .addOption(new Option("--path <path>", "requests of this path only").choices(OPERATION_PATHS))
    .option("--status <code>", "of an error (default: 500)", readStatus)
    .option("--delay <duration>", "of a delay, which needs it", readDurationText)
    .option("--probability <share>", "of the requests, such as 0.2 (default: 1)", readProbability)
    .addOption(timesOption("how many requests; then the fault ends"))
    .option("--seed <number>", "the same seed gives the same faults", readSeed);
  sub("clear", "remove all faults", (client) => client.delete("/faults"));
  return command;
}

function readSeed(text: string): number {
  if (/^[0-9]{1,10}$/.test(text) && Number(text) <= 0xffffffff) return Number(text);
  throw misuse("--seed must be a whole number from 0 to 4294967295");
}

async function addFault(client: Client, flags: FaultFlags, kind: string, write: SendOptions): Promise<Answer> {
  const { path, status, delay, probability, times, seed } = flags;
  if (kind !== "error" && status !== undefined) throw misuse("--status is for an error only");
  if (kind === "delay" && delay === undefined) throw misuse("a delay needs --delay, such as --delay 2s");
  if (kind !== "delay" && delay !== undefined) throw misuse("--delay is for a delay only");
  const now = (await client.get("/faults", {})) as Faults;
  // The control API replaces all faults. Without faults there is no seed to keep.
  const kept = seed ?? (now.faults.length > 0 ? now.seed : undefined);
  const fault = { kind, path, status, delay, probability, times };
  return client.put("/faults", { seed: kept, faults: [...now.faults, fault] }, write);
}

function show(answer: Answer, flags: FaultFlags): void {
  const { faults } = answer as Faults;
  const columns = [
    { name: "kind" },
    { name: "path", cell: ({ path }: FaultInForce) => path ?? "every request" },
    { name: "does", cell: ({ status, delay }: FaultInForce) => (status ? `HTTP ${status}` : (delay ?? "no answer")) },
    { name: "probability", align: "right" as const },
    { name: "times left", align: "right" as const, cell: ({ times }: FaultInForce) => (times ?? "always").toString() },
  ];
  const empty = { said: answer.message, next: "momo faults add error --path /status.php --status 503 --times 2" };
  printList({ name: "faults", items: faults, essential: "kind", columns, whole: answer, empty }, flags);
}
