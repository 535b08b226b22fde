import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { cleanUp } from "../../support/cleanup.ts";
import { blocksOf, type Document, ROOT, readDocument, startSession, USER_DOCUMENTS } from "../../support/documents.ts";
import { type Needed, testWith } from "../../support/needs.ts";
import { TEST_TIMEOUT_MS } from "../../support/waiting.ts";

/** The commands of the documents, run as they are written, in their order, one server for each document. */

afterAll(cleanUp);

/** What `.ci/run` runs by itself: a test that ran them would run itself. */
const SETTING_UP = new Set(["npm start", 'export PATH="$PWD/bin:$PATH"']);

/** Words of commands that need a program. */
const PROGRAMS: Record<string, Needed> = {
  "curl ": "curl",
  "npm ": "node",
  "python3 -m pytest": "pytest",
  phpunit: "phpunit",
  "go test": "go",
};
const needsOf = (script: string) =>
  Object.entries(PROGRAMS).flatMap(([words, program]) => (script.includes(words) ? [program] : []));

const scriptsOf = (document: Document) => blocksOf(document, "sh").map((block) => block.trim());

test("the commands that set up are the ones that are run elsewhere", () => {
  const scripts = USER_DOCUMENTS.flatMap(scriptsOf);
  expect(scripts.filter((script) => SETTING_UP.has(script))).toHaveLength(SETTING_UP.size);
});

/** It needs a database: replicas.test.ts runs it. */
const ELSEWHERE = "docs/replicas.md";

for (const document of USER_DOCUMENTS.filter(({ path }) => path !== ELSEWHERE)) {
  const scripts = scriptsOf(document).filter((script) => !SETTING_UP.has(script));
  if (scripts.length === 0) continue;

  testWith(
    needsOf(scripts.join("\n")),
    `every command of ${document.path} works as it is written`,
    async () => {
      const session = await startSession();
      for (const written of scripts) {
        // Polls of 50 ms instead of 3 s: nothing else is changed.
        const script = written.replaceAll(/--wait(?! --interval)/g, "--wait --interval 50ms");
        const run = script.includes("--wait") && !script.includes("momo exec") ? session.runWithFastClock : session.run;
        const { stdout, stderr, exitCode } = await run(script, session.variables);
        // exec --audit says what happened, also where nothing is wrong.
        const wrong = stderr.replaceAll(/^momo audit: .*; 0 errors, 0 warnings, 0 notes\n/gm, "");
        expect({ script, stdout, stderr: wrong, exitCode }).toMatchObject({ script, stderr: "", exitCode: 0 });
        expect(stdout, script).not.toContain('"success":false');
      }
    },
    test.concurrent,
  );
}

const rows = readDocument("docs/testing.md").text.matchAll(/`((?:python3|phpunit|go) [^`]+)`$/gm);
const examples = [...rows].map(([, command = ""]) => command);

test("docs/testing.md has a command for each language of docs/examples", () => expect(examples).toHaveLength(3));

// Go compiles its library at its first use, which may take minutes.
if (Bun.which("go")) {
  beforeAll(async () => {
    const { run } = await startSession();
    await run("echo 'package main; import _ \"net/http\"; func main() {}' >main.go; go build -o /dev/null main.go");
  }, TEST_TIMEOUT_MS);
}

for (const command of examples) {
  testWith(needsOf(command), `the example of ${command}`, async () => {
    const session = await startSession();
    for (const folder of ["docs/examples", "clients"]) cpSync(join(ROOT, folder), session.folder, { recursive: true });
    const { stdout, stderr, exitCode } = await session.run(command, session.variables);
    expect({ command, stdout, stderr, exitCode }).toMatchObject({ stderr: "", exitCode: 0 });
  });
}
