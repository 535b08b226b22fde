import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import type { Query, Sql } from "../query.ts";
import type { CommitQueue } from "./commit-queue.ts";

/** Runs the statements that both engines share, see ../query.ts. */

/** Runs one statement at once: a read, or a write inside a commit. */
type Run = <Row>(text: string, parameters?: readonly unknown[]) => Row[];

export interface SqliteSql extends Sql {
  readonly all: Run;
}

export function createSql(client: Database, commits: CommitQueue): SqliteSql {
  const all = createRun(client);
  const write: Query = (text, parameters) => commits.run(() => all(text, parameters));
  return { all, read: async (text, parameters) => all(text, parameters), write, writeOnce: write };
}

export function createRun(client: Database): Run {
  const prepared = new Map<string, Statement<unknown, SQLQueryBindings[]>>();
  return <Row>(text: string, parameters: readonly unknown[] = []) => {
    const statement = prepared.get(text) ?? client.prepare(withoutCasts(text));
    prepared.set(text, statement);
    return statement.all(...(parameters as SQLQueryBindings[])) as Row[];
  };
}

const withoutCasts = (text: string): string => text.replaceAll(/::\w+/g, "").replaceAll("$", "?");
