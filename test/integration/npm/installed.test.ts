import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../../package.json";
import { makeUmbrella, UMBRELLA_FILES } from "../../../scripts/release/npm.ts";
import { TARGETS } from "../../../scripts/release/targets.ts";
import { builtBinary, ROOT } from "../../support/binary.ts";
import { cleanUp, newFolder, newProgramFolder } from "../../support/cleanup.ts";
import { runToEnd } from "../../support/momo.ts";
import { afterMounts, testWithMounts } from "../../support/needs.ts";
import { testHelperIn } from "./helper-in-runtime.ts";
import { installPackages } from "./packages.ts";

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
    writeFileSync(join(linked, "package.json"), "{}");
    const install = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--save-dev", ROOT];
    expect(await runToEnd(install, { cwd: linked })).toMatchObject({ exitCode: 0 });
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

  test("the helper has types, in which tsc of a strict project finds nothing", async () => {
    writeFileSync(
      join(linked, "use.mts"),
      `import { startSandbox, type TestSandbox } from "stkpush-sandbox/testing";
export const frozen: Promise<TestSandbox> = startSandbox({ frozen: true });
// @ts-expect-error there is no such option
void startSandbox({ froze: true });
`,
    );
    const flags = [
      "--ignoreConfig",
      "--noEmit",
      "--strict",
      "--target",
      "es2022",
      "--module",
      "nodenext",
      "--types",
      "",
    ];
    const checked = await runToEnd([join(ROOT, "node_modules/.bin/tsc"), ...flags, "use.mts"], { cwd: linked });
    expect(checked).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  });

  test("the project has the command momo", async () => {
    const { stdout } = await runToEnd(["npx", "momo", "--version"], { cwd: linked });
    expect(stdout).toBe(`${packageJson.version}\n`);
  });

  test("the first use of a clone builds it, with Node alone; one that cannot be built says so", async () => {
    const clone = newProgramFolder();
    for (const folder of ["npm", "scripts"]) mkdirSync(join(clone, folder));
    for (const name of ["npm", "package.json"]) cpSync(join(ROOT, name), join(clone, name), { recursive: true });
    const run = () => runToEnd(["node", join(clone, "npm/clone-momo.cjs"), "a b"]);
    const { stderr, exitCode } = await run();
    expect(exitCode).toBe(1);
    expect(stderr).toEndWith(`momo: the clone of momo in ${clone} cannot be built: "npm run build" there says why\n`);

    const builder = `import { mkdirSync, writeFileSync } from "node:fs";
      import { dirname, join } from "node:path";
      const folder = join(dirname(process.argv[3]), "npm/npm");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "testing.cjs"), "");
      writeFileSync(process.argv[3], '#!/bin/sh\\necho "this is $1"\\n', { mode: 0o755 });
      console.log("installing");`;
    writeFileSync(join(clone, "scripts/setup.mjs"), builder);
    const built = `momo: building the clone in ${clone}, once\ninstalling\n`;
    expect(await run()).toEqual({ stdout: "this is a b\n", stderr: built, exitCode: 0 });
    expect(await run()).toEqual({ stdout: "this is a b\n", stderr: "", exitCode: 0 });
  });
});

describe("a server that is stuck", () => {
  test("is killed ten seconds after stop()", async () => {
    const file = join(newProgramFolder(), "momo");
    const ready = '{"control_url":"http://127.0.0.1:1/_momo"}';
    writeFileSync(file, `#!/bin/sh\ntrap '' TERM\necho '${ready}'\nexec sleep 300\n`, { mode: 0o755 });
    const script = `const { startSandbox } = require("stkpush-sandbox/testing");
      startSandbox().then(({ stop }) => stop()).then(() => console.log("stopped"));`;
    const env = { MOMO_EXECUTABLE: file };
    expect((await runToEnd(["node", "-e", script], { cwd: project, env })).stdout).toBe("stopped\n");
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
