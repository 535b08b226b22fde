import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runMomo, runToEnd } from "../support/momo.ts";

afterAll(cleanUp);

describe("momo completion SHELL prints a script", () => {
  test.concurrent.each(["bash", "zsh", "fish", "powershell"])("%s", async (shell) => {
    const { stdout, stderr, exitCode } = await runMomo(["completion", shell]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toContain("momo");
    expect(stdout).toContain("complete");
  });

  test.concurrent("that bash accepts, and that completes", async () => {
    const { stdout } = await runMomo(["completion", "bash"]);
    expect(await runToEnd(["bash", "-n"], { stdin: stdout })).toEqual({ stdout: "", stderr: "", exitCode: 0 });
    const asked = await runToEnd(["bash", "-c", `${stdout}\ncomplete -p momo`]);
    expect(asked).toMatchObject({ exitCode: 0, stderr: "" });
  });

  describe("that works in a bash which has nothing else: `source <(momo completion bash)`", () => {
    /** What Tab offers after these words, the last of which is being typed. */
    const tab = async (...words: string[]) => {
      const folder = newFolder();
      const quoted = PROGRAM.map((word) => `'${word}'`).join(" ");
      writeFileSync(join(folder, "momo"), `#!/bin/sh\nexec ${quoted} "$@"\n`, { mode: 0o755 });
      const script = `PATH="${folder}:$PATH"; source <(momo completion bash); source <(momo completion bash)
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _momo; printf '%s\n' "\${COMPREPLY[@]}"`;
      const run = await runToEnd(["bash", "--norc", "-c", script, "bash", "momo", ...words], { cwd: folder });
      expect(run).toMatchObject({ stderr: "", exitCode: 0 });
      expect(readdirSync(folder)).toEqual(["momo"]);
      return run.stdout.split("\n").filter(Boolean);
    };

    test.concurrent("it completes commands, options and values, also when it is read twice", async () => {
      expect(await tab("st")).toEqual(["status"]);
      expect(await tab("clock", "")).toEqual(["show", "freeze", "advance", "resume"]);
      expect(await tab("pay", "--out")).toEqual(["--outcome"]);
      expect(await tab("env", "--format", "")).toEqual(["shell", "dotenv", "github", "json"]);
      expect(await tab("nosuch", "")).toEqual([]);
    });

    test.concurrent("and runs nothing of what was typed so far", async () => {
      expect(await tab("pay", "$(touch made)", "`touch made`", "; touch made", "--out")).toEqual(["--outcome"]);
    });
  });

  test.concurrent("an unknown shell, or none: exit 2, and nothing on stdout", async () => {
    const unknown = await runMomo(["completion", "tcsh"]);
    expect({ stdout: unknown.stdout, exitCode: unknown.exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(unknown.stderr).toContain("bash");
    const { stdout, exitCode } = await runMomo(["completion"]);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
  });
});

describe("momo complete offers what could come next", () => {
  const offered = async (...words: string[]) => {
    const { stdout, stderr, exitCode } = await runMomo(["complete", "--", ...words]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    return stdout
      .split("\n")
      .filter((line) => line && !line.startsWith(":"))
      .map((line) => line.split("\t")[0]);
  };

  test.concurrent("commands", async () => {
    expect(await offered("se")).toEqual(["serve"]);
    expect(await offered("")).toEqual(expect.arrayContaining(["serve", "pay", "status", "exec", "clock", "doctor"]));
    expect(await offered("nothing-begins-so")).toEqual([]);
  });

  test.concurrent("commands of commands", async () => {
    expect(await offered("clock", "")).toEqual(expect.arrayContaining(["show", "freeze", "advance", "resume"]));
    expect(await offered("merchants", "cr")).toEqual(["create"]);
  });

  test.concurrent("options", async () => {
    expect(await offered("pay", "--out")).toEqual(["--outcome"]);
    expect(await offered("serve", "--")).toEqual(expect.arrayContaining(["--port", "--ephemeral", "--rules"]));
  });
});
