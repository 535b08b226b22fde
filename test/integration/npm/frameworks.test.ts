import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtBinary, ROOT } from "../../support/binary.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { blocksOf, readDocument } from "../../support/documents.ts";
import { runToEnd } from "../../support/momo.ts";
import { type Needed, testWith } from "../../support/needs.ts";
import { TEST_TIMEOUT_MS } from "../../support/waiting.ts";
import { installPackages } from "./packages.ts";

/** The examples of docs/testing.md for test runners, run by these in a project that has the npm package. */

const FRAMEWORKS = join(ROOT, "test/integration/npm/node_modules");

/** The runners end a test after 5 s by themselves, which a busy machine may need. */
const NO_LIMIT = String(TEST_TIMEOUT_MS);

const testing = readDocument("docs/testing.md");
const [example = "", inTypeScript = "", ...recipes] = blocksOf(testing, "ts");
const inJavaScript = new Bun.Transpiler({ loader: "ts", target: "node" }).transformSync(example);
const [bunImport = ""] = /^import .*bun:test";$/m.exec(inJavaScript) ?? [];
const forNode = inJavaScript
  .replace(bunImport, 'import assert from "node:assert";\nimport { after, before, test } from "node:test";')
  .replaceAll("beforeAll(", "before(")
  .replaceAll("afterAll(", "after(")
  .replaceAll(/expect\((.*)\)\.toBe\((".*")\)/g, "assert.equal($1, $2)")
  .replaceAll(/expect\((.*)\)\.toEqual\((\[\])\)/g, "assert.deepEqual($1, $2)");
const forJest = inJavaScript.replace(bunImport, "");

/** @param command its words have no spaces */
const runIn = (cwd: string, command: string, env: Record<string, string> = { CI: "1", NO_COLOR: "1" }) =>
  runToEnd(command.split(" "), { cwd, env });

type Runner = [name: string, needs: readonly Needed[], file: string, code: string, command: string];

const BUN_TEST = `${process.execPath} test --timeout ${NO_LIMIT}`;
const VITEST = `node node_modules/vitest/vitest.mjs run --testTimeout ${NO_LIMIT} --hookTimeout ${NO_LIMIT}`;
const JEST = `node --experimental-vm-modules node_modules/jest/bin/jest.js --testTimeout ${NO_LIMIT} --testMatch`;
const forVitest = example.replace('from "bun:test"', 'from "vitest"');
const RUNNERS: readonly Runner[] = [
  ["bun:test", [], "cancelled.test.ts", example, `${BUN_TEST} ./cancelled.test.ts`],
  ["node:test", ["node"], "cancelled.test.mjs", forNode, "node --test cancelled.test.mjs"],
  ["vitest", ["node", "vitest"], "cancelled.vitest.test.ts", forVitest, `${VITEST} cancelled.vitest`],
  ["jest", ["node", "jest"], "cancelled.jest.test.mjs", forJest, `${JEST} **/*.jest.test.mjs`],
];

let project: string;
beforeAll(async () => {
  project = await installPackages();
  cpSync(join(ROOT, "clients/client.mjs"), join(project, "client.mjs"));
  for (const name of ["vitest", "jest"]) symlinkSync(join(FRAMEWORKS, name), join(project, "node_modules", name));
});
afterAll(cleanUp);

testWith(
  ["node", "Express"],
  "docs/examples/shop-express.test.mjs tests the shop, its page and its webhook",
  async () => {
    for (const name of ["shop-express.mjs", "shop-express.test.mjs"]) {
      cpSync(join(ROOT, "docs/examples", name), join(project, name));
    }
    symlinkSync(join(ROOT, "test/integration/check/node_modules/express"), join(project, "node_modules/express"));
    const { stdout, exitCode } = await runIn(project, "node --test --test-reporter=tap shop-express.test.mjs");
    expect({ stdout, exitCode }).toEqual({ stdout: expect.stringContaining("# pass 3"), exitCode: 0 });
  },
);

describe("the example of docs/testing.md runs, and fails where the payment ends in another way", () => {
  for (const [name, needs, file, code, command] of RUNNERS) {
    testWith(needs, name, async () => {
      expect(code).toContain("stkpush-sandbox/testing");
      writeFileSync(join(project, file), code);
      const good = await runIn(project, command);
      expect(`${good.exitCode} ${good.stdout}${good.stderr}`).toMatch(/^0 [\s\S]*(?:\b1 pass|# pass 1\b)/);

      const wrong = code.replace(/outcome: "cancelled"/, 'outcome: "completed"');
      expect(wrong).not.toBe(code);
      writeFileSync(join(project, file), wrong);
      const bad = await runIn(project, command);
      expect(bad.exitCode).not.toBe(0);
      expect(bad.stdout + bad.stderr).toContain("completed");
    });
  }
});

test("the recipes of docs/testing.md run in the test of the example", async () => {
  expect(recipes).toHaveLength(2);
  const opening = example.replace(/ {2}await sandbox\.rules.*\n/, "").replace(/ {2}const momo = [\s\S]*/, "");
  const audit = example.slice(example.indexOf("  const { findings }"));
  for (const recipe of recipes) {
    writeFileSync(join(project, "recipe.test.ts"), opening + recipe + audit);
    const run = await runIn(project, `${BUN_TEST} ./recipe.test.ts`);
    expect(`${run.exitCode} ${run.stdout}${run.stderr}`).toMatch(/^0 [\s\S]*\b1 pass/);
  }
});

testWith(
  ["node"],
  "under momo exec, the example uses its sandbox, and the audit of the command sees the payment",
  async () => {
    const [connected = ""] = /`(sandbox = await connectSandbox\(\);[^`]*)`/.exec(testing.text) ?? [];
    const code = example
      .replace("import { startSandbox,", "import { connectSandbox,")
      .replace("sandbox = await startSandbox({ frozen: true });", connected.slice(1, -1));
    expect(code).not.toContain("startSandbox");
    writeFileSync(join(project, "connected.test.ts"), code);
    const exec = [await builtBinary(), "exec", "--audit", "--", ...BUN_TEST.split(" "), "./connected.test.ts"];
    const run = await runToEnd(exec, { cwd: project, env: { CI: "1", NO_COLOR: "1" } });
    expect(`${run.exitCode} ${run.stdout}${run.stderr}`).toMatch(/^0 [\s\S]*1 payment/);
  },
);

type SnapshotTest = [needs: readonly Needed[], file: string, code: string, command: string, made: string];

const exampleOf = (file: string) => readDocument(`docs/examples/${file}`).text;
const inBun = inTypeScript.replace('"vitest"', '"bun:test"');
const SNAPSHOT = "__snapshots__/snapshot.test.ts.snap";
const SNAPSHOT_TESTS: readonly SnapshotTest[] = [
  [[], "snapshot.test.ts", inBun, `${BUN_TEST} ./snapshot.test.ts`, SNAPSHOT],
  [["pytest"], "test_snapshot.py", exampleOf("test_snapshot.py"), "python3 -m pytest test_snapshot.py", "paid.json"],
  [["phpunit"], "SnapshotTest.php", exampleOf("SnapshotTest.php"), "phpunit SnapshotTest.php", "paid.json"],
];

describe("the snapshot test of docs/testing.md records, then passes, and fails where anything differs", () => {
  for (const [needs, file, code, command, made] of SNAPSHOT_TESTS) {
    testWith(needs, file, async () => {
      const folder = join(project, file.replace(/\..*/, ""));
      mkdirSync(folder);
      symlinkSync(await builtBinary(), join(folder, "momo"));
      writeFileSync(join(folder, file), code);
      const run = () => runIn(folder, command, { PATH: `${folder}:${process.env.PATH}` });
      for (const time of ["first", "second"]) expect(await run(), time).toMatchObject({ exitCode: 0 });
      const recorded = readFileSync(join(folder, made), "utf8");
      expect(recorded).toContain("ws_CO_31032026235950_");
      writeFileSync(join(folder, made), recorded.replace("254712345678", "254712345679"));
      expect((await run()).exitCode).not.toBe(0);
    });
  }
});
