import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { debNameOf, debVersionOf, type Member, writeDeb } from "../../../scripts/release/archives.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { type Run, runToEnd } from "../../support/momo.ts";
import { describeWith } from "../../support/needs.ts";

afterAll(cleanUp);

const TEXTS = [
  "LICENSE",
  "THIRD-PARTY-NOTICES",
  "momo.1",
  "completions/momo.bash",
  "completions/_momo",
  "completions/momo.fish",
];

/** The package, with a script in the place of the executable. */
async function makePackage(): Promise<string> {
  const folder = newFolder();
  const plant = (name: string, text: string): Member => {
    const source = join(folder, name);
    mkdirSync(dirname(source), { recursive: true });
    writeFileSync(source, text);
    return { name, source };
  };
  const texts = [...TEXTS, "completions/momo.ps1"].map((name) => plant(name, `this is ${name}\n`));
  const file = join(folder, debNameOf("x64"));
  await writeDeb(file, "x64", plant("momo", "#!/bin/sh\necho 9.9.9\n").source, texts);
  return file;
}

const ok = (run: Run) => expect({ exitCode: run.exitCode, stderr: run.stderr }).toEqual({ exitCode: 0, stderr: "" });

describeWith(["dpkg"], "the package for Debian", () => {
  let file = "";
  beforeAll(async () => {
    file = await makePackage();
  });

  test("is the same for the same files", async () => {
    expect(readFileSync(await makePackage()).equals(readFileSync(file))).toBe(true);
  });

  test("says what it is, and belongs to root", async () => {
    const { stdout } = await runToEnd(["dpkg-deb", "--info", file]);
    for (const line of [
      "Package: stkpush-sandbox",
      `Version: ${debVersionOf(manifest.version)}`,
      "Architecture: amd64",
      "Depends: libc6 (>= 2.17)",
    ]) {
      expect(stdout).toContain(` ${line}\n`);
    }
    const contents = (await runToEnd(["dpkg-deb", "--contents", file])).stdout.trim().split("\n");
    const bytes = contents.map((line) => Number(line.split(/ +/)[2])).reduce((sum, size) => sum + size);
    expect(stdout).toContain(` Installed-Size: ${Math.ceil(bytes / 1024)}\n`);
    for (const line of contents) expect(line).toMatch(/^(?:drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) root\/root /);
    expect(contents.filter((line) => line.startsWith("-rwx"))).toEqual([expect.stringMatching(/ \.\/usr\/bin\/momo$/)]);
  });

  test.if(process.getuid?.() === 0)("installs momo, its page and completions, and removes them again", async () => {
    const root = newFolder();
    const admin = join(root, "var/lib/dpkg");
    for (const name of ["info", "updates"]) mkdirSync(join(admin, name), { recursive: true });
    for (const name of ["status", "available"]) writeFileSync(join(admin, name), "");
    // The other system has no libc6: dpkg says so, and continues.
    const dpkg = ["dpkg", "--root", root, "--log", join(root, "log"), "--force-depends"];
    expect((await runToEnd([...dpkg, "--install", file])).exitCode).toBe(0);
    expect((await runToEnd([join(root, "usr/bin/momo")])).stdout).toBe("9.9.9\n");
    const page = await runToEnd(["gzip", "-dc", join(root, "usr/share/man/man1/momo.1.gz")]);
    expect(page.stdout).toBe("this is momo.1\n");
    for (const place of [
      "bash-completion/completions/momo",
      "zsh/vendor-completions/_momo",
      "doc/stkpush-sandbox/copyright",
    ]) {
      expect(existsSync(join(root, "usr/share", place))).toBe(true);
    }
    expect(existsSync(join(root, "usr/share/fish/vendor_completions.d/momo.fish"))).toBe(true);
    const verified = await runToEnd([...dpkg, "--verify", "stkpush-sandbox"]);
    ok(verified);
    expect(verified.stdout).toBe(""); // it names a file whose sum is another one
    ok(await runToEnd([...dpkg, "--purge", "stkpush-sandbox"]));
    expect(existsSync(join(root, "usr"))).toBe(false);
  });
});

test("a pre-release is sorted before its release", () => {
  expect([debVersionOf("0.2.0-rc.1"), debVersionOf("0.2.0")]).toEqual(["0.2.0~rc.1", "0.2.0"]);
});
