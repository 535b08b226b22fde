import { Command } from "commander";
import { outcomesView } from "../../sandbox/network/outcomes.ts";
import { printList } from "../terminal/data.ts";
import { outputOptions, withOptions } from "../terminal/options.ts";
import type { OutputOptions } from "../terminal/output.ts";

export default function outcomesCommand(): Command {
  return withOptions(new Command("outcomes"), ...outputOptions("the names")).action(outcomes);
}

function outcomes(options: OutputOptions): void {
  const columns = [
    { name: "name" },
    { name: "status", cell: dash("status") },
    { name: "code", align: "right" as const, cell: dash("code") },
    { name: "test phone", cell: dash("phone") },
    { name: "after", cell: dash("after") },
    { name: "meaning" },
  ];
  printList({ name: "outcomes", items: outcomesView(), essential: "name", columns }, options);
}

type Outcome = ReturnType<typeof outcomesView>[number];

const dash = (member: keyof Outcome) => (outcome: Outcome) => String(outcome[member] ?? "-");
