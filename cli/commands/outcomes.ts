import type { OutcomeOnWire } from "../../sandbox/control/shapes/steering.ts";
import { outcomesView } from "../../sandbox/network/outcomes.ts";
import type { Io } from "../io.ts";
import { Command } from "../terminal/command.ts";
import { type Column, printList } from "../terminal/data.ts";
import { outputOptions, withOptions } from "../terminal/options.ts";
import type { OutputOptions } from "../terminal/output.ts";

const orDash = (member: keyof OutcomeOnWire) => (outcome: OutcomeOnWire) => String(outcome[member] ?? "-");

const COLUMNS: Column<OutcomeOnWire>[] = [
  "name",
  { name: "status", cell: orDash("status") },
  { name: "code", align: "right", cell: orDash("code") },
  { name: "test phone", cell: orDash("phone") },
  { name: "after", cell: orDash("after") },
  "meaning",
];

export function outcomesCommand(io: Io): Command {
  return withOptions(new Command("outcomes"), ...outputOptions("the names")).action((options: OutputOptions) =>
    printList(io, { name: "outcomes", items: outcomesView(), essential: "name", columns: COLUMNS }, options),
  );
}
