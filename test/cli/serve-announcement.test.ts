import { afterAll, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtBinary, ROOT } from "../support/binary.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { type RunOptions, runMomo, runToEnd, startMomo } from "../support/momo.ts";
import { openMomo } from "../support/terminal.ts";

afterAll(cleanUp);

const FROM_SOURCE = [process.execPath, "--no-env-file", join(ROOT, "cli/main.ts")];

/** Starts a server, and returns the three commands that it prints for people to try. */
async function printedBy(args: string[], options: RunOptions): Promise<{ pay: string; cancel: string; phone: string }> {
  const { stdout } = startMomo(["serve", "--port", "0", "--after", "0s", ...args], options);
  await stdout.until(/Ready\. Ctrl\+C stops\.\n$/);
  const lines = stdout.text.matchAll(/ # .*\n {2}(\S.*)\n/g);
  const [pay = "", cancel = "", phone = ""] = [...lines].map(([, line]) => line);
  return { pay, cancel, phone };
}

/** Pastes a line into a shell, and polls more often than every 3 s. */
const paste = (line: string, options: RunOptions) => runToEnd(["sh", "-c", `${line} --interval 50ms`], options);

const folder = join(newFolder(), 'it\'s a "folder" with $HOME & `id`; ünïcode');
const home = { XDG_DATA_HOME: join(newFolder(), "share") };

test.concurrent.each([
  ["with --data, whatever the folder is called", ["--data", folder], {}, {}, true],
  ["in a terminal without the MOMO_DATA of this one", [], { MOMO_DATA: join(newFolder(), "data") }, {}, true],
  ["without a flag, if commands find the data directory anyway", [], home, home, false],
] as [string, string[], Record<string, string>, Record<string, string>, boolean][])(
  "the printed commands work when pasted, %s",
  async (_where, args, ofServer, env, isNamed) => {
    const { pay, cancel, phone } = await printedBy(args, { env: ofServer });
    expect(pay.includes("--data")).toBe(isNamed);
    const cwd = newFolder();
    const paid = await paste(pay, { cwd, env });
    expect(paid).toMatchObject({ stderr: "", exitCode: 0 });
    expect(JSON.parse(paid.stdout)).toMatchObject({ status: "completed", amount: 100 });
    // The same command, to a customer who cancels.
    expect(cancel).toBe(pay.replace("0712345678", "254700000032"));
    const customer = openMomo([], { cwd, env, program: ["sh", "-c", phone] });
    await customer.screen.until(/Waiting for a prompt/);
    customer.type("\x03");
    expect(await customer.exited).toBe(0);
  },
);

test.concurrent("from source, too, the printed momo pay works in any folder, and Bun reads no configuration there", async () => {
  const data = join(newFolder(), "data");
  const { pay } = await printedBy(["--data", data], { program: FROM_SOURCE, cwd: ROOT });
  const cwd = newFolder();
  writeFileSync(join(cwd, "bunfig.toml"), 'preload = ["./nothing.ts"]\n');
  writeFileSync(join(cwd, ".env"), "MOMO_BASE_URL=http://127.0.0.1:1/v2\n");
  expect(await paste(pay, { cwd })).toMatchObject({ stderr: "", exitCode: 0 });
});

test.concurrent.each([
  ["bin", "the executable", true],
  ["bin", "the source", true],
  ["node_modules/.bin", "the executable", false], // npm's folder is on the path of its scripts only
] as const)("with momo in the folder %s of the path, %s calls itself momo: %p", async (name, what, isByName) => {
  const binary = await builtBinary();
  const path = join(newFolder(), name);
  mkdirSync(path, { recursive: true });
  symlinkSync(binary, join(path, "momo"));
  const program = what === "the source" ? FROM_SOURCE : [binary];
  const { stdout } = await runMomo([], { env: { PATH: `${path}:${process.env.PATH}` }, program });
  expect(stdout.includes("\n  momo serve\n")).toBe(isByName);
});
