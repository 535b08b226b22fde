import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { KNOWN_SCHEMA } from "../../src/store/sqlite/migrations.ts";
import { useFolder } from "../support/cleanup.ts";
import { startProgram } from "../support/program.ts";

const inFolder = useFolder();

test.each([2, 8])(
  "%p processes may open a new database at once: one migrates, the others wait, all can write",
  async (count) => {
    const file = inFolder("momo.db");
    const names = Array.from({ length: count }, (_, index) => `Process ${index}`);
    const programs = names.map((name) => startProgram("open-store", file, name));
    expect(await Promise.all(programs.map((program) => program.line()))).toEqual(names.map(() => "ready"));
    await Promise.all(programs.map((program) => program.say("go")));
    expect(await Promise.all(programs.map((program) => program.line()))).toEqual(names);
    expect(await Promise.all(programs.map((program) => program.finish()))).toEqual(names.map(() => 0));

    const database = new Database(file, { readonly: true });
    const merchants = database.query<{ name: string }, []>("SELECT name FROM merchants ORDER BY name").all();
    expect(merchants.map(({ name }) => name)).toEqual(names);
    expect(database.query("PRAGMA user_version").get()).toEqual({ user_version: KNOWN_SCHEMA });
    expect(database.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    database.close();
  },
);
