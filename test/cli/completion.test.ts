import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp } from "../support/cleanup.ts";
import { runMomo, runToEnd } from "../support/momo.ts";

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
