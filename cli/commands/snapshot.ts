import { Command } from "commander";
import { type Answer, controlClient } from "../client/client.ts";
import { commandFor, resolveControl, type TargetFlags } from "../client/target.ts";
import { controlOptions, jsonOption, quietOption } from "../terminal/options.ts";
import { type OutputOptions, print, printJson, printTable, tell } from "../terminal/output.ts";

type SnapshotFlags = OutputOptions & Pick<TargetFlags, "baseUrl" | "data">;

/** What the control API shows of a snapshot. */
interface SnapshotView {
  readonly name: string;
  readonly transactions: number;
  readonly at: string;
}

export function snapshotCommand(): Command {
  const command = new Command("snapshot");
  const sub = (name: string, summary: string) => {
    const made = command.command(name).description(summary);
    for (const option of controlOptions()) made.addOption(option);
    return made.addOption(jsonOption());
  };
  const named = (name: string, summary: string) =>
    sub(name, summary).argument("<name>", "letters, digits, - and _, at most 64");
  named("save", "keep how everything is now").action((name: string, flags: SnapshotFlags) =>
    change(flags, (client, lookWith) => client.put(pathOf(name), {}, { timeoutMs: TIMEOUT_MS, lookWith })),
  );
  named("restore", "bring everything back, the clock too").action((name: string, flags: SnapshotFlags) =>
    change(flags, (client, lookWith) =>
      client.post(`${pathOf(name)}/restore`, {}, { timeoutMs: TIMEOUT_MS, lookWith }),
    ),
  );
  sub("list", "list the snapshots").addOption(quietOption("the names")).action(list);
  named("delete", "forget one").action((name: string, flags: SnapshotFlags) =>
    change(flags, (client) => client.delete(pathOf(name))),
  );
  return command;
}

/** A large one on a busy machine takes its time. */
const TIMEOUT_MS = 60_000;

const pathOf = (name: string): string => `/snapshots/${encodeURIComponent(name)}`;

async function change(
  flags: SnapshotFlags,
  call: (client: ReturnType<typeof controlClient>, lookWith: string) => Promise<Answer>,
): Promise<void> {
  const answer = await call(controlClient(resolveControl(flags)), commandFor(flags, "snapshot", "list"));
  if (flags.json) printJson(answer);
  else tell(answer.message);
}

async function list(flags: SnapshotFlags): Promise<void> {
  const answer = await controlClient(resolveControl(flags)).get("/snapshots", {});
  const snapshots = answer.snapshots as SnapshotView[];
  if (flags.quiet) for (const { name } of snapshots) print(name);
  else if (flags.json) printJson(answer);
  else {
    await printTable(
      ["name", "transactions", "at"],
      snapshots.map(({ name, transactions, at }) => [name, transactions, at]),
    );
  }
}
