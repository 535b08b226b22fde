import { afterAll, beforeEach, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "./support/cleanup.ts";
import { runToEnd } from "./support/momo.ts";

/** What MOMO_TEST_RECORD=1 writes, and what the tests say where they cannot run. */

afterAll(cleanUp);

const HELPER = join(import.meta.dir, "support/recording.ts");

const STORIES = `
import { test } from "bun:test";
import { Recording } from ${JSON.stringify(HELPER)};
const recording = new Recording("stories.txt");
for (const [index, text] of recording.texts.entries()) {
  const [name] = text.split("\\n");
  test(name, () => {
    if (name === "fails") throw new Error("it fails");
    recording.compare(index, name + "\\nnew");
  });
}
`;

const RECORDED = "first\nold\n\nfails\nold\n\nsecond\nold\n";

let cwd = "";
beforeEach(() => {
  cwd = newFolder();
  writeFileSync(join(cwd, "stories.test.ts"), STORIES);
  writeFileSync(join(cwd, "stories.txt"), RECORDED);
});

/** Runs the stories as a contributor does. */
async function record(env: Record<string, string>, ...flags: string[]) {
  const { exitCode, stderr } = await runToEnd([process.execPath, "test", "./stories.test.ts", ...flags], { cwd, env });
  return { exitCode, stderr, text: readFileSync(join(cwd, "stories.txt"), "utf8") };
}

test("-t records one story, and keeps the others", async () => {
  const { exitCode, text } = await record({ MOMO_TEST_RECORD: "1" }, "-t", "second");
  expect({ exitCode, text }).toEqual({ exitCode: 0, text: RECORDED.replace("second\nold", "second\nnew") });
});

test("a story that fails keeps its text", async () => {
  const { exitCode, text } = await record({ MOMO_TEST_RECORD: "1" });
  expect({ exitCode, text }).toEqual({ exitCode: 1, text: "first\nnew\n\nfails\nold\n\nsecond\nnew\n" });
});

test("-t with the name of no story says so, and writes nothing", async () => {
  const { exitCode, stderr, text } = await record({ MOMO_TEST_RECORD: "1" }, "-t", "third");
  expect({ exitCode, text }).toEqual({ exitCode: 1, text: RECORDED });
  expect(stderr).toContain('"third" matched 0 tests');
});

test("with CI=true, recording is refused by name", async () => {
  const { exitCode, stderr, text } = await record({ MOMO_TEST_RECORD: "1", CI: "true" });
  expect({ exitCode, text }).toEqual({ exitCode: 1, text: RECORDED });
  expect(stderr).toContain("MOMO_TEST_RECORD is set, and CI is true");
});

test("a file with changes that are not staged is not recorded, and one beside a changed source is", async () => {
  const git = async (...words: string[]) =>
    expect(await runToEnd(["git", ...words], { cwd })).toMatchObject({ exitCode: 0 });
  await git("init", "--quiet");
  await git("add", "stories.txt", "stories.test.ts");
  const changed = RECORDED.replace("old", "mine");
  writeFileSync(join(cwd, "stories.txt"), changed);
  const refused = await record({ MOMO_TEST_RECORD: "1" });
  expect({ exitCode: refused.exitCode, text: refused.text }).toEqual({ exitCode: 1, text: changed });
  expect(refused.stderr).toContain("stories.txt has changes that are not staged, and recording would overwrite them");
  await git("add", "stories.txt");
  writeFileSync(join(cwd, "stories.test.ts"), STORIES.replace("fails", "never"));
  const { exitCode, text } = await record({ MOMO_TEST_RECORD: "1" });
  expect({ exitCode, text }).toEqual({ exitCode: 0, text: RECORDED.replaceAll("old", "new") });
});

test("without MOMO_TEST_RECORD, a story with another text fails, and writes nothing", async () => {
  const { exitCode, text } = await record({});
  expect({ exitCode, text }).toEqual({ exitCode: 1, text: RECORDED });
});

test("a story in which nothing is done or without a name fails, and a line that shows something else is named", async () => {
  const stories = join(import.meta.dir, "support/stories.ts");
  const world = "{ ids: [], act: (step) => [step.toUpperCase()] }";
  const told = `import { testStories } from ${JSON.stringify(stories)};\ntestStories("stories.txt", () => () => (${world}));`;
  writeFileSync(join(cwd, "stories.test.ts"), told);
  writeFileSync(
    join(cwd, "stories.txt"),
    "sound\n> one => ONE\n\nidle\none\n\n> one => ONE\n\n\n> one => ONE\n\nwrong\n> one => ONE\n> two => ONE\n",
  );
  const { exitCode, stderr } = await record({});
  expect(exitCode).toBe(1);
  expect(stderr).toContain('idle: the story has no line that begins with ">", "-" or "$"');
  expect(stderr).toContain('a story has no name: it begins with "> one => ONE" instead of a line without a mark');
  expect(stderr).toContain('a story has no name: it begins with "" instead of a line without a mark');
  expect(stderr).toContain("error: wrong\ntwo\n");
  expect(stderr).toContain("1 pass");
});

test("tests of a missing program are skipped, with CI=true they fail, and both name its package", async () => {
  const needs = join(import.meta.dir, "support/needs.ts");
  writeFileSync(
    join(cwd, "stories.test.ts"),
    `import { testWith } from ${JSON.stringify(needs)};\ntestWith(["fish"], "swims", async () => {});`,
  );
  const PATH = cwd;
  const skipped = await record({ PATH });
  expect(skipped.exitCode).toBe(0);
  expect(skipped.stderr).toContain(" 1 skip");
  expect(skipped.stderr).toContain("swims (there is no fish: apt-get install fish)");
  const failed = await record({ PATH, CI: "true" });
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).toContain(" 1 fail");
  expect(failed.stderr).toContain("error: there is no fish: apt-get install fish");
});
