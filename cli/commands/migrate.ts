import { Command } from "commander";
import { type DatabaseFlags, databaseOptions, namedDatabase } from "../serving/database-flags.ts";
import { withDatabase } from "../serving/engine.ts";
import { Failure } from "../terminal/failure.ts";
import { jsonOption, withOptions } from "../terminal/options.ts";
import { type OutputOptions, printJson, tell } from "../terminal/output.ts";

export function migrateCommand(): Command {
  return withOptions(new Command("migrate"), ...databaseOptions(), jsonOption()).action(migrate);
}

/** The database of a data directory is migrated when it is opened, a shared database only by this command. */
async function migrate(flags: DatabaseFlags & OutputOptions): Promise<void> {
  const database = namedDatabase(flags);
  if (!database) {
    throw new Failure("usage", "--database is missing", "a data directory needs no migration by hand");
  }
  const { schema } = await withDatabase(database, "older", async (store) => store);
  if (flags.json) printJson({ schema });
  else tell(`the database has schema ${schema}, which this momo knows`);
}
