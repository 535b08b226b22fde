import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import type { Sql } from "../query.ts";
import type { CommitQueue } from "./commit-queue.ts";

/** Runs the statements that both engines share, see ../query.ts. */
export interface SqliteSql extends Sql {
  /** Runs one at once: a read, or a write inside a commit. */
  all<Row>(text: string, parameters?: readonly unknown[]): Row[];
}

export function createSql(client: Database, commits: Pick<CommitQueue, "run">): SqliteSql {
  const prepared = new Map<string, Statement<unknown, SQLQueryBindings[]>>();

  function all<Row>(text: string, parameters: readonly unknown[] = []): Row[] {
    const statement = prepared.get(text) ?? client.prepare(withoutCasts(text));
    prepared.set(text, statement);
    return statement.all(...(parameters as SQLQueryBindings[])) as Row[];
  }

  return {
    all,
    read: async (text, parameters) => all(text, parameters),
    write: (text, parameters) => commits.run(() => all(text, parameters)),
  };
}

const withoutCasts = (text: string): string => text.replaceAll(/::\w+/g, "").replaceAll("$", "?");
