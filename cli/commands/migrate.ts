import type { Io } from "../io.ts";
import { withDatabase } from "../serving/engine.ts";
import { Command } from "../terminal/command.ts";
import { Failure } from "../terminal/failure.ts";
import { jsonOption, withOptions } from "../terminal/options.ts";
import type { OutputOptions } from "../terminal/output.ts";
import { type DatabaseFlags, databaseOptions, namedDatabase } from "./database-flags.ts";

export function migrateCommand(io: Io): Command {
  const command = withOptions(new Command("migrate"), ...databaseOptions(), jsonOption());
  return command.action((flags: DatabaseFlags & OutputOptions) => migrate(io, flags));
}

/** The database of a data directory is migrated when it is opened, a shared database only by this command. */
async function migrate(io: Io, flags: DatabaseFlags & OutputOptions): Promise<void> {
  const database = namedDatabase(io, flags);
  if (!database) {
    throw new Failure("usage", "--database is missing", "a data directory needs no migration by hand");
  }
  const { schema } = await withDatabase(database, "older", async (store) => store);
  if (flags.json) io.printJson({ schema });
  else io.tell(`the database has schema ${schema}, which this momo knows`);
}
