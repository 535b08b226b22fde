import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json";
import { tryMomo } from "../../scripts/release/trial.ts";
import { builtBinary } from "../support/binary.ts";
import { cleanUp, newFolder, newProgramFolder } from "../support/cleanup.ts";
import { rejectionOf } from "../support/waiting.ts";

afterAll(cleanUp);

const momo = await builtBinary();

/** momo with one command replaced by a line of shell. */
function broken(command: string, instead: string): string {
  const file = join(newProgramFolder(), "momo");
  writeFileSync(file, `#!/bin/sh\ncase "$*" in ${command}) ${instead} ;; esac\nexec '${momo}' "$@"\n`, { mode: 0o755 });
  return file;
}

test.each(["SIGTERM", "stdin"] as const)("momo passes the trial of a release, stopped by %s", async (stop) => {
  const steps = await tryMomo([momo], manifest.version, { folder: newFolder(), stop });
  expect(steps).toEqual(["version", "serve", "pay", "cancelled", "list", "stop"]);
});

const BROKEN: [what: string, file: string, message: string | RegExp][] = [
  ["another version", broken("--version", "echo 9.9.9; exit 0"), `version: 9.9.9 instead of ${manifest.version}`],
  [
    "no server",
    broken("serve*", "echo no port >&2; exit 1"),
    "serve: it ended with 1 instead of the ready record (no port)",
  ],
  ["a payment that ends wrongly", broken("pay*completed*", "exit 10"), "pay: exit code 10 instead of exit code 0"],
  [
    "a cancelled payment that does not",
    broken("pay*cancelled*", "exit 0"),
    "cancelled: exit code 0 instead of exit code 11",
  ],
  ["an empty list", broken("list*", "echo '{\"transactions\":[]}'; exit 0"), /^list: +instead of cancelled,completed$/],
];

test.each(BROKEN)("%s fails it, and the step is named", async (_, file, message) => {
  const error = await rejectionOf(tryMomo([file], manifest.version, { folder: newFolder() }));
  expect((error as Error).message).toMatch(message);
});
