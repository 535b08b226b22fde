import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { name as NAME } from "../../../package.json";
import { ROOT } from "../../support/binary.ts";
import { cleanUp, makePrograms, newFolder } from "../../support/cleanup.ts";
import { runToEnd } from "../../support/momo.ts";
import { describeWith } from "../../support/needs.ts";

afterAll(cleanUp);

const SCRIPTS = ["scripts/release/install.sh", "scripts/release/publish-npm.sh", ".ci/run"];

describeWith(["shellcheck"], "shellcheck finds nothing", () => {
  test.each(SCRIPTS)("in %s", async (script) => {
    expect(await runToEnd(["shellcheck", join(ROOT, script)])).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  });
});

describe("publish-npm.sh", () => {
  let folder = "";
  let published = "";
  beforeEach(async () => {
    folder = newFolder();
    published = join(folder, "published");
    writeFileSync(published, "");
    for (const name of [NAME, `@${NAME}/linux-x64`, `@${NAME}/windows-x64`]) await plant(name);
  });

  async function plant(name: string, version = "1.2.3"): Promise<void> {
    const source = join(folder, "source", name);
    const tarball = join(folder, "npm", `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
    for (const path of [join(source, "package"), dirname(tarball)]) mkdirSync(path, { recursive: true });
    const text = JSON.stringify({ name, version, description: "x" }, null, 2);
    writeFileSync(join(source, "package/package.json"), text);
    await runToEnd(["tar", "-czf", tarball, "-C", source, "package"]);
  }

  /** @param there what the registry has */
  async function publish(there: string[] = []) {
    const npm = `#!/bin/sh
case "$1 $2" in
  ${there.map((name) => `"view ${name}") echo "\${2##*@}" ;;`).join("\n  ")}
  view*) echo "E404" >&2; exit 1 ;;
  publish*) echo "$@" >> '${published}' ;;
esac
`;
    const { PATH } = makePrograms({ npm });
    const command = ["sh", join(ROOT, "scripts/release/publish-npm.sh"), join(folder, "npm")];
    return runToEnd(command, { env: { PATH } });
  }
  const order = () =>
    [...readFileSync(published, "utf8").matchAll(/([\w-]+)-1\.2\.3\S*\.tgz/g)].map(([, name]) => name);

  test("publishes the packages of the systems first and the one that users name last, each with provenance", async () => {
    expect(await publish()).toMatchObject({ exitCode: 0, stderr: "" });
    expect(order()).toEqual([`${NAME}-linux-x64`, `${NAME}-windows-x64`, NAME]);
    for (const line of readFileSync(published, "utf8").trim().split("\n")) {
      expect(line).toStartWith("publish --provenance --access public --tag latest ");
    }
  });

  test("leaves out what the registry has already, so that an interrupted run can be repeated", async () => {
    const { stdout } = await publish([`@${NAME}/linux-x64@1.2.3`]);
    expect(stdout).toContain(`@${NAME}/linux-x64@1.2.3 already exists\n`);
    expect(order()).toEqual([`${NAME}-windows-x64`, NAME]);
  });

  test("a pre-release is not the latest version", async () => {
    await plant(`@${NAME}/linux-arm64`, "1.2.3-rc.1");
    await publish();
    expect(readFileSync(published, "utf8")).toMatch(/--tag next \S+linux-arm64-1\.2\.3-rc\.1\.tgz/);
  });

  test("without the packages of systems, or without the one that users name, it says which is missing, and without a folder what it needs", async () => {
    rmSync(join(folder, `npm/${NAME}-1.2.3.tgz`));
    const missing = await publish();
    expect(missing).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^publish: there is no \S+\n$/) });
    expect(order()).toEqual([`${NAME}-linux-x64`, `${NAME}-windows-x64`]);
    rmSync(join(folder, "npm"), { recursive: true });
    expect((await publish()).stderr).toMatch(/^publish: there is no \S+\n$/);
    const { stderr } = await runToEnd(["sh", join(ROOT, "scripts/release/publish-npm.sh")]);
    expect(stderr).toMatch(/: a folder with the packages is needed\n$/);
  });
});
