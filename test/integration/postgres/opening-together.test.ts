import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp } from "../../support/cleanup.ts";
import { available, newDatabase, openEngine, runSql, sharedServer } from "../../support/postgres.ts";
import { startProgram } from "../../support/program.ts";

afterAll(cleanUp);

const OPENERS = 6;
const ROUNDS = 3;

for (const version of available()) {
  describe(`PostgreSQL ${version}: those that start at once on an empty database make it once`, () => {
    test(`${OPENERS} at once, ${ROUNDS} times`, async () => {
      const url = await newDatabase(await sharedServer(version), { empty: true });
      for (let round = 0; round < ROUNDS; round += 1) {
        await runSql(url, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public");
        const stores = await Promise.all(Array.from({ length: OPENERS }, () => openEngine(url, { connections: 2 })));
        expect(stores.map((store) => store.state().schema)).toEqual(Array.from({ length: OPENERS }, () => 1));
        for (const store of stores) store.close();
        for (const store of stores) await store.closed();
        expect(await runSql(url, "SELECT version FROM momo_schema")).toEqual([{ version: 1 }]);
        expect(await runSql(url, "SELECT id FROM numbering")).toEqual([{ id: 1 }]);
      }
    });

    test(`${OPENERS} processes`, async () => {
      const url = await newDatabase(await sharedServer(version), { empty: true });
      const names = Array.from({ length: OPENERS }, (_, index) => `replica-${index}`);
      const programs = names.map((name) => startProgram("open-engine", url, name));
      expect(await Promise.all(programs.map(({ line }) => line()))).toEqual(names);
      for (const { finish } of programs) expect(await finish()).toBe(0);
    });
  });
}
