import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeUmbrella } from "../../../scripts/release/npm.ts";
import { TARGETS } from "../../../scripts/release/targets.ts";
import { builtBinary, ROOT } from "../../support/binary.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { testHelperIn } from "../../support/helper-in-runtime.ts";
import { runToEnd } from "../../support/momo.ts";
import { installPackages } from "../../support/release.ts";

let project: string;
beforeAll(async () => {
  project = await installPackages();
});
afterAll(cleanUp);

describe("in a project that links to a clone", () => {
  const body = "startSandbox().then(async ({ apiKey, stop }) => console.log(apiKey, await stop()));";
  let linked: string;
  beforeAll(async () => {
    await builtBinary();
    await makeUmbrella(ROOT, join(ROOT, "dist/npm"), TARGETS);
    linked = newFolder();
    mkdirSync(join(linked, "node_modules"));
    symlinkSync(ROOT, join(linked, "node_modules/momo-sandbox"));
    writeFileSync(join(linked, "use.mjs"), `import { startSandbox } from "momo-sandbox/testing"; ${body}`);
    writeFileSync(join(linked, "use.cjs"), `const { startSandbox } = require("momo-sandbox/testing"); ${body}`);
  });

  test.each([
    ["node", "use.mjs"],
    ["node", "use.cjs"],
    [process.execPath, "use.mjs"],
  ])("%s runs %s", async (program, file) => {
    const stdout = expect.stringMatching(/^mk_\w+ undefined\n$/);
    expect(await runToEnd([program, file], { cwd: linked })).toEqual({ stdout, stderr: "", exitCode: 0 });
  });

  test("before the clone is built, the error says what to run, and where", async () => {
    const clone = newFolder();
    mkdirSync(join(clone, "npm"));
    copyFileSync(join(ROOT, "npm/clone.cjs"), join(clone, "npm/clone.cjs"));
    const { stderr, exitCode } = await runToEnd(["node", join(clone, "npm/clone.cjs")]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`the clone of momo in ${clone} is not built: run "npm run build" there`);
  });
});

describe("momo-sandbox/testing", () => {
  testHelperIn("Node", ["node"], () => project);
  testHelperIn("Bun", [process.execPath], () => project);

  test("its types satisfy a strict tsc, nodenext and bundler, in ESM and CommonJS, without the types of any runtime", async () => {
    const use = `const sandbox: TestSandbox = await startSandbox({ outcome: "cancelled; after=1s", frozen: true });
      await sandbox.rules.add({ outcome: "completed", match: { amount: 5 }, times: 1 });
      const { status }: { status: "pending" | "completed" | "failed" | "cancelled" | "expired" } = await sandbox.wait({ reference: "A" });
      // @ts-expect-error there is no such outcome
      await startSandbox({ outcome: "paid" });
      export default status;`;
    const line = 'import { startSandbox, type TestSandbox } from "momo-sandbox/testing";';
    writeFileSync(join(project, "types.mts"), `${line}\n${use}`);
    writeFileSync(
      join(project, "types.cts"),
      `${line}\nasync function f() { ${use.replace("export default status", "return status")} }\nexport { f };`,
    );
    const flags = ["--strict", "--exactOptionalPropertyTypes", "--noEmit", "--target", "es2022", "--types", ""];
    for (const resolution of [
      ["--module", "nodenext"],
      ["--module", "preserve", "--moduleResolution", "bundler"],
    ]) {
      const tsc = [join(ROOT, "node_modules/.bin/tsc"), ...flags, ...resolution, "types.mts", "types.cts"];
      expect(await runToEnd(tsc, { cwd: project })).toEqual({ stdout: "", stderr: "", exitCode: 0 });
    }
  });
});
