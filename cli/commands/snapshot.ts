import { Command } from "commander";
import type { SnapshotOnWire } from "../../sandbox/control/shapes/steering.ts";
import { printList } from "../terminal/data.ts";
import { steeringCommand, tellAnswer } from "./steering.ts";

export default function snapshotCommand(): Command {
  const command = new Command("snapshot");
  const sub = steeringCommand(command, tellAnswer, "the names");
  sub(
    "list",
    "list the snapshots",
    (client) => client.get("/snapshots", {}),
    (answer, flags) => {
      const items = answer.snapshots as SnapshotOnWire[];
      const columns = [{ name: "name" }, { name: "transactions", align: "right" as const }, { name: "at" }];
      const empty = { said: answer.message, next: "momo snapshot save NAME" };
      printList({ name: "snapshots", items, essential: "name", columns, whole: answer, empty }, flags);
    },
  );
  const named = (...[name, summary, call]: Parameters<typeof sub>) =>
    sub(name, summary, call).argument("<name>", "letters, digits, - and _, at most 64");
  named("save", "save the whole state", (client, _flags, name, write) =>
    client.put(pathOf(name), {}, { ...write, timeoutMs: TIMEOUT_MS }),
  );
  named("restore", "restore the whole state, the clock too", (client, _flags, name, write) =>
    client.post(`${pathOf(name)}/restore`, {}, { ...write, timeoutMs: TIMEOUT_MS }),
  );
  named("delete", "remove one", (client, _flags, name) => client.delete(pathOf(name)));
  return command;
}

/** A large snapshot is slow on a busy machine. */
const TIMEOUT_MS = 60_000;

const pathOf = (name: string): string => `/snapshots/${encodeURIComponent(name)}`;
