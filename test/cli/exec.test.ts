import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { type RunOptions, runMomo, startMomo } from "../support/momo.ts";

afterAll(cleanUp);

const exec = (command: readonly string[], options?: RunOptions) => runMomo(["exec", "--", ...command], options);
const sh = (script: string, options?: RunOptions) => exec(["sh", "-c", script], options);

test.concurrent("afterwards neither folder nor port is left, also if the command is missing or killed", async () => {
  const TMPDIR = newFolder();
  const { stdout } = await sh(`ls -d "$TMPDIR"/momo-*; echo "$MOMO_BASE_URL"`, { env: { TMPDIR } });
  const [folder = "", url = ""] = stdout.trim().split("\n");
  expect(folder).toStartWith(`${TMPDIR}/momo-`);
  expect(await fetch(url).catch(() => "refused")).toBe("refused");
  await exec(["no-such-command"], { env: { TMPDIR } });
  await sh("kill -KILL $$", { env: { TMPDIR } });
  expect(readdirSync(TMPDIR)).toEqual([]);
});

describe("signals are passed on", () => {
  test.concurrent.each(["SIGTERM", "SIGINT"] as const)("%s, each time that it is sent", async (signal) => {
    const TMPDIR = newFolder();
    const script = `let count = 0;
      process.on("${signal}", () => { console.log("took", ++count); if (count === 2) process.exit(9); });
      setTimeout(() => process.exit(1), 60_000); // if no signal arrives
      console.log("ready");`;
    const child = startMomo(["exec", "--", process.execPath, "-e", script], { env: { TMPDIR } });
    await child.stdout.until(/ready/);
    child.signal(signal);
    await child.stdout.until(/took 1/);
    child.signal(signal);
    expect(await child.exited).toBe(9);
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  test.concurrent("also a signal that does not end a program", async () => {
    const run = await sh('trap "echo heard; exit 3" USR2; kill -USR2 $PPID; sleep 5 >&- 2>&- & wait');
    expect(run).toMatchObject({ stdout: "heard\n", exitCode: 3 });
  });

  test.concurrent("to a command without a handler: the command and momo end", async () => {
    const child = startMomo(["exec", "--", "sh", "-c", "echo ready; exec sleep 5"]);
    await child.stdout.until(/ready/);
    child.signal("SIGTERM");
    expect(await child.exited).toBe(143);
  });

  test.concurrent("before the command runs: momo ends, and leaves no folder", async () => {
    const TMPDIR = newFolder();
    const child = startMomo(["exec", "--", "sleep", "5"], { env: { TMPDIR } });
    while (readdirSync(TMPDIR).length === 0) await Bun.sleep(1);
    child.signal("SIGTERM");
    expect(await child.exited).toBe(143);
    expect(readdirSync(TMPDIR)).toEqual([]);
  });
});
