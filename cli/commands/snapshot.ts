import { Command } from "commander";
import type { SnapshotOnWire } from "../../sandbox/control/shapes/steering.ts";
import { type Answer, controlClient } from "../client/client.ts";
import { commandFor, resolveControl, type TargetFlags } from "../client/target.ts";
import { printList } from "../terminal/data.ts";
import { controlOptions, outputOptions, withOptions } from "../terminal/options.ts";
import { asksForJson, type OutputOptions, printJson, tell } from "../terminal/output.ts";

type SnapshotFlags = OutputOptions & Pick<TargetFlags, "baseUrl" | "data">;

export default function snapshotCommand(): Command {
  const command = new Command("snapshot");
  const sub = (name: string, summary: string, quiet?: string) =>
    withOptions(command.command(name).description(summary), ...controlOptions(), ...outputOptions(quiet));
  const named = (name: string, summary: string) =>
    sub(name, summary).argument("<name>", "letters, digits, - and _, at most 64");
  named("save", "save the whole state").action((name: string, flags: SnapshotFlags) =>
    change(flags, (client, checkWith) => client.put(pathOf(name), {}, { timeoutMs: TIMEOUT_MS, checkWith })),
  );
  named("restore", "restore the whole state, the clock too").action((name: string, flags: SnapshotFlags) =>
    change(flags, (client, checkWith) =>
      client.post(`${pathOf(name)}/restore`, {}, { timeoutMs: TIMEOUT_MS, checkWith }),
    ),
  );
  sub("list", "list the snapshots", "the names").action(list);
  named("delete", "remove one").action((name: string, flags: SnapshotFlags) =>
    change(flags, (client) => client.delete(pathOf(name))),
  );
  return command;
}

/** A large snapshot is slow on a busy machine. */
const TIMEOUT_MS = 60_000;

const pathOf = (name: string): string => `/snapshots/${encodeURIComponent(name)}`;

async function change(
  flags: SnapshotFlags,
  call: (client: ReturnType<typeof controlClient>, checkWith: string) => Promise<Answer>,
): Promise<void> {
  const answer = await call(controlClient(resolveControl(flags)), commandFor(flags, "snapshot", "list"));
  if (asksForJson(flags)) printJson(answer);
  else tell(answer.message);
}

async function list(flags: SnapshotFlags): Promise<void> {
  const answer = await controlClient(resolveControl(flags)).get("/snapshots", {});
  const snapshots = answer.snapshots as SnapshotOnWire[];
  const columns = [{ name: "name" }, { name: "transactions", align: "right" as const }, { name: "at" }];
  const empty = { said: answer.message, next: "momo snapshot save NAME" };
  printList({ name: "snapshots", items: snapshots, essential: "name", columns, whole: answer, empty }, flags);
}
