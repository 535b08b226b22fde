import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../../package.json";
import { makeUmbrella, UMBRELLA_FILES } from "../../../scripts/release/npm.ts";
import { TARGETS } from "../../../scripts/release/targets.ts";
import { builtBinary, ROOT } from "../../support/binary.ts";
import { cleanUp, newFolder, newProgramFolder } from "../../support/cleanup.ts";
import { testHelperIn } from "../../support/helper-in-runtime.ts";
import { runToEnd } from "../../support/momo.ts";
import { afterMounts, testWithMounts } from "../../support/needs.ts";
import { installPackages } from "../../support/release.ts";

/** The npm packages as a project has them. */

let project: string;
beforeAll(async () => {
  project = await installPackages();
});
afterAll(cleanUp);

describe("the command momo of the package", () => {
  const momo = () => join(project, "node_modules/.bin/momo");

  test("is the executable: its output, its exit codes", async () => {
    expect(await runToEnd([momo(), "--version"])).toEqual({
      stdout: `${packageJson.version}\n`,
      stderr: "",
      exitCode: 0,
    });
    expect(await runToEnd([momo(), "frobnicate"])).toMatchObject({ stdout: "", exitCode: 2 });
  });

  test("says in one line what to do where the package for this system is missing", async () => {
    const without = await installPackages({ platform: false });
    const run = await runToEnd([join(without, "node_modules/.bin/momo"), "--version"]);
    expect(run).toMatchObject({ stdout: "", exitCode: 1 });
    expect(run.stderr).toMatch(
      /^momo: the package @\S+-sandbox\/\S+.* is missing, because only one of two \.tgz files was installed.*install again without --omit=optional\n$/,
    );
  });

  testWithMounts(
    "a file system that forbids to execute is named; a read-only one, and such a TMPDIR, do no harm",
    async () => {
      const bind = (options: string) => [
        `mount --bind ${project} ${project}`,
        `mount -o remount,bind,${options} ${project}`,
      ];
      const forbidden = await runToEnd(afterMounts(bind("noexec"), `node ${momo()} --version`));
      expect(forbidden).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(
          /^momo: .* may not be executed: .* install it on a file system that allows it\n$/,
        ),
      });
      const place = newFolder();
      const pay = `${momo()} exec -- ${momo()} pay 0712345678 100 --outcome "completed; after=1ms" --wait --interval 50ms -q`;
      const mounts = [...bind("ro"), `mount -t tmpfs -o noexec none ${place}`];
      expect(await runToEnd(afterMounts(mounts, `TMPDIR=${place} ${pay}`))).toEqual({
        stdout: "completed\n",
        stderr: "",
        exitCode: 0,
      });
    },
  );
});

test("the package is small, has no install script, and names a package for each system", () => {
  const folder = join(project, "node_modules", packageJson.name);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  expect(manifest.scripts).toBeUndefined();
  expect(manifest.dependencies).toBeUndefined();
  expect(Object.values(manifest.optionalDependencies)).toEqual(Array(8).fill(packageJson.version));
  expect([...new Bun.Glob("**/*").scanSync({ cwd: folder })].sort()).toEqual([...UMBRELLA_FILES].sort());
  for (const name of ["testing.mjs", "testing.cjs"])
    expect(readFileSync(join(folder, "npm", name), "utf8")).not.toContain(ROOT);
});

describe("in a project that links to a clone", () => {
  const body = "startSandbox().then(async ({ apiKey, stop }) => console.log(apiKey, await stop()));";
  let linked: string;
  beforeAll(async () => {
    await builtBinary();
    await makeUmbrella(ROOT, join(ROOT, "dist/npm"), TARGETS);
    linked = newFolder();
    mkdirSync(join(linked, "node_modules"));
    symlinkSync(ROOT, join(linked, "node_modules", packageJson.name));
    writeFileSync(join(linked, "use.mjs"), `import { startSandbox } from "stkpush-sandbox/testing"; ${body}`);
    writeFileSync(join(linked, "use.cjs"), `const { startSandbox } = require("stkpush-sandbox/testing"); ${body}`);
  });

  test.each([
    ["node", "use.mjs"],
    ["node", "use.cjs"],
    [process.execPath, "use.mjs"],
  ])("%s runs %s", async (program, file) => {
    const stdout = expect.stringMatching(/^mk_\w+ undefined\n$/);
    expect(await runToEnd([program, file], { cwd: linked })).toEqual({ stdout, stderr: "", exitCode: 0 });
  });

  test("an executable that the environment names comes before that of the clone", async () => {
    const MOMO_EXECUTABLE = join(newProgramFolder(), "momo");
    writeFileSync(MOMO_EXECUTABLE, "#!/bin/sh\necho 'momo: the other one' >&2; exit 2\n", { mode: 0o755 });
    const { stderr } = await runToEnd(["node", "use.cjs"], { cwd: linked, env: { MOMO_EXECUTABLE } });
    expect(stderr).toContain("Error: momo: the other one");
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

describe("stkpush-sandbox/testing", () => {
  testHelperIn("Node", ["node"], () => project);
  testHelperIn("Bun", [process.execPath], () => project);

  test("its types satisfy a strict tsc, nodenext and bundler, in ESM and CommonJS, without the types of any runtime", async () => {
    const use = `const sandbox: TestSandbox = await startSandbox({ outcome: "cancelled; after=1s", frozen: true });
      await sandbox.rules.add({ outcome: "completed", match: { amount: 5 }, times: 1 });
      const { status }: { status: "pending" | "completed" | "failed" | "cancelled" | "expired" } = await sandbox.wait({ reference: "A" });
      // @ts-expect-error there is no such outcome
      await startSandbox({ outcome: "paid" });
      export default status;`;
    const line = 'import { startSandbox, type TestSandbox } from "stkpush-sandbox/testing";';
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
