import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { blocksOf, type Document, USER_DOCUMENTS } from "../../support/documents.ts";
import { type Session, startSession } from "../../support/documents-session.ts";

/** The commands of the documents, run as they are written, in their order, one server for each document. */

/** What `.ci/run` runs by itself: a test that ran them would run itself. */
const SETTING_UP = new Set(["npm start", "npm test", 'npm run build\nexport PATH="$PWD/dist:$PATH"']);

/** Programs of other languages, which not every machine has, and how to ask for each. */
const PROGRAMS: Record<string, readonly string[]> = {
  "python3 -m pytest": ["python3", "-m", "pytest", "--version"],
  phpunit: ["phpunit", "--version"],
  "go test": ["go", "version"],
};
const missing = Object.keys(PROGRAMS).filter((name) => !answers(PROGRAMS[name] ?? []));

function answers([program = "", ...args]: readonly string[]): boolean {
  return Bun.which(program) !== null && Bun.spawnSync([program, ...args]).success;
}

const scriptsOf = (document: Document) => blocksOf(document, "sh").map((block) => block.trim());

/** Blocks that begin with the name of their file. */
function namedFilesOf(document: Document): { name: string; text: string }[] {
  return ["python", "php", "go"].flatMap((language) =>
    blocksOf(document, language).flatMap((text) => {
      const name = /^(?:\/\/|#|<\?php \/\/) ([\w.]+)\n/.exec(text)?.[1];
      return name === undefined ? [] : [{ name, text }];
    }),
  );
}

test("the commands that set up are the ones that are run elsewhere", () => {
  const scripts = USER_DOCUMENTS.flatMap(scriptsOf);
  expect(scripts.filter((script) => SETTING_UP.has(script))).toHaveLength(SETTING_UP.size);
});

/** It needs a database: replicas.test.ts runs it. */
const ELSEWHERE = "docs/replicas.md";

for (const document of USER_DOCUMENTS.filter(({ path }) => path !== ELSEWHERE)) {
  const scripts = scriptsOf(document).filter((script) => !SETTING_UP.has(script));
  if (scripts.length === 0) continue;

  describe(`every command of ${document.path} works as it is written`, () => {
    let session: Session;
    beforeAll(async () => {
      session = await startSession();
      for (const { name, text } of namedFilesOf(document)) writeFileSync(join(session.folder, name), text);
    });
    afterAll(() => session.end());

    for (const [index, written] of scripts.entries()) {
      const title = `${index + 1}: ${written.split("\n")[0]}`;
      const program = missing.find((name) => written.includes(name));
      if (program !== undefined) {
        test(`${title}: left out, because there is no ${program} here`, () => {});
        continue;
      }
      test(title, async () => {
        // Polls of 50 ms instead of 3 s: nothing else is changed.
        const script = written.replaceAll(/--wait(?! --interval)/g, "--wait --interval 50ms");
        const inHaste = script.includes("--wait") && !script.includes("momo exec");
        const { stdout, stderr, exitCode } = await (inHaste ? session.runInHaste : session.run)(
          `eval "$(momo env)"\n${script}`,
        );
        expect({ exitCode, stderr, stdout: exitCode === 0 ? "" : stdout }).toEqual({
          exitCode: 0,
          stderr: "",
          stdout: "",
        });
        expect(stdout).not.toContain('"success":false');
      });
    }
  });
}
