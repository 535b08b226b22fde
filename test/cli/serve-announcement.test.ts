import { afterAll, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtBinary, ROOT } from "../support/binary.ts";
import { type Child, startChild } from "../support/child.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runToEnd, startMomo } from "../support/momo.ts";
import { openMomo } from "../support/terminal.ts";

afterAll(cleanUp);

/** The three commands to try, exactly as they are printed. */
function commandsIn({ stdout: { text } }: Child): { pay: string; cancel: string; phone: string } {
  const [pay = "", cancel = "", phone = ""] = [...text.matchAll(/ # .*\n {2}(\S.*)\n/g)].map(([, line]) => line ?? "");
  return { pay, cancel, phone };
}

async function announced(args: string[], options: Parameters<typeof startMomo>[1]): Promise<Child> {
  const child = startMomo(["serve", "--port", "0", "--after", "100ms", ...args], options);
  await child.stdout.until(/Ready\. Ctrl\+C stops\.\n$/);
  return child;
}

const ODD = 'it\'s a "folder" with $HOME & `id`; ünïcode';

for (const [where, folderName, flag] of [
  ["with --data", "data", true],
  ["with a folder's name that a shell would obey", ODD, true],
  ["without a flag, where no other command needs one either", "share", false],
] as const) {
  test.concurrent(`the printed commands work when pasted, ${where}`, async () => {
    const cwd = newFolder();
    const folder = join(cwd, folderName);
    const env: Record<string, string> = flag ? {} : { XDG_DATA_HOME: folder };
    const server = await announced(flag ? ["--data", folder] : [], { cwd, env });
    const { pay, cancel, phone } = commandsIn(server);
    const elsewhere = newFolder();
    const [paid, cancelled] = await Promise.all(
      [pay, cancel].map((line) => runToEnd(["sh", "-c", `${line} --interval 50ms`], { cwd: elsewhere, env })),
    );
    expect(paid).toMatchObject({ stderr: "", exitCode: 0 });
    expect(JSON.parse(paid?.stdout ?? "")).toMatchObject({ status: "completed", amount: 100 });
    expect(JSON.parse(cancelled?.stdout ?? "")).toMatchObject({ status: "cancelled" });
    const customer = openMomo([], { cwd: elsewhere, env, program: ["sh", "-c", phone] });
    await customer.screen.until(/Waiting for a prompt/);
    customer.type("\x03");
    expect(await customer.exited).toBe(0);
    expect(pay.includes("--data")).toBe(flag);
  });
}

test.concurrent("from source, too, the printed momo pay works in any folder, whatever Bun would read there", async () => {
  const program = [process.execPath, "--no-env-file", join(ROOT, "cli/main.ts")];
  const server = await announced(["--data", join(newFolder(), "data")], { program, cwd: ROOT });
  const { pay } = commandsIn(server);
  const elsewhere = newFolder();
  writeFileSync(join(elsewhere, "bunfig.toml"), 'preload = ["./nothing.ts"]\n');
  writeFileSync(join(elsewhere, ".env"), "MOMO_BASE_URL=http://127.0.0.1:1/v2\n");
  for (const cwd of [elsewhere, ROOT]) {
    expect(await runToEnd(["sh", "-c", pay], { cwd })).toMatchObject({ stderr: "", exitCode: 0 });
  }
});

test.concurrent("where a reader's shell finds this momo it is called by its name; a folder of npm's does not count", async () => {
  const binary = await builtBinary();
  for (const [folder, called] of [
    ["bin", true],
    ["node_modules/.bin", false],
  ] as const) {
    const home = newFolder();
    mkdirSync(join(home, folder), { recursive: true });
    symlinkSync(binary, join(home, folder, "momo"));
    const env = { PATH: `${join(home, folder)}:${process.env.PATH}` };
    for (const program of [[binary], [process.execPath, "--no-env-file", join(ROOT, "cli/main.ts")]]) {
      const { pay } = commandsIn(await announced([], { env, program }));
      expect(pay.startsWith("momo pay ")).toBe(called);
    }
  }
});

test.concurrent("another terminal need not have the variables of this one: the folder of MOMO_DATA is named", async () => {
  const env = { MOMO_DATA: join(newFolder(), "data") };
  const { pay } = commandsIn(await announced([], { env }));
  expect(pay).toEndWith(` --data ${env.MOMO_DATA}`);
  expect(await runToEnd(["sh", "-c", pay])).toMatchObject({ stderr: "", exitCode: 0 });
});

test.concurrent("a shell's Ctrl+C, which reaches all of a pipeline, stops it cleanly", async () => {
  const cwd = newFolder();
  const script = 'trap "" INT; { "$@" serve --port 0 --ephemeral; echo "exit $?"; } | cat';
  const child = startChild(["sh", "-c", script, "sh", ...PROGRAM], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: cwd },
  });
  const [, address] = await child.stdout.until(/API +(\S+)\/v2[\s\S]*Ready/);
  const health = (await (await fetch(`${address}/_momo/health`)).json()) as { pid: number };
  process.kill(health.pid, "SIGINT");
  await child.exited;
  expect(child.stdout.text).toEndWith("exit 0\n");
});
