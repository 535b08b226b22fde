import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { cleanUp } from "../support/cleanup.ts";
import { PROGRAM, runMomo, runToEnd, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const MOMO = PROGRAM.map((word) => `'${word}'`).join(" ");

test.concurrent("a closed terminal ends the server like SIGTERM: the temporary folder is gone", async () => {
  const { ready, child } = await serveMomo(["--ephemeral"]);
  expect(existsSync(ready.data)).toBe(true);
  child.signal("SIGHUP");
  expect(await child.exited).toBe(0);
  expect(existsSync(ready.data)).toBe(false);
});

test.concurrent("a server goes on when the reader of its first lines has gone", async () => {
  const script = `exec 3>&1; ${MOMO} serve --ephemeral --port 0 --json | { read -r line; echo "$line" >&3; exec 0<&-; sleep 0.2; }`;
  // The pipe ends with its reader; the server is asked, and then told to end, by what it printed.
  const child = Bun.spawn(["sh", "-c", script], { stdout: "pipe", stderr: "pipe" });
  const { value } = await child.stdout.getReader().read();
  const ready = JSON.parse(new TextDecoder().decode(value)) as { pid: number; control_url: string; data: string };
  await Bun.sleep(300);
  expect((await fetch(`${ready.control_url}/health`)).status).toBe(200);
  process.kill(ready.pid, "SIGTERM");
  await child.exited;
  expect(existsSync(ready.data)).toBe(false);
  expect(existsSync(dirname(ready.data))).toBe(true);
});

test.concurrent("exec: the command keeps the umask of its caller", async () => {
  const run = await runToEnd(["sh", "-c", `umask 022; ${MOMO} exec -- sh -c umask`]);
  expect(run).toMatchObject({ stdout: expect.stringMatching(/^0?022\n$/), exitCode: 0 });
});

test.concurrent("exec: a signal that a command may have a use for reaches it, and nothing else", async () => {
  const run = await runMomo([
    "exec",
    "--",
    "sh",
    "-c",
    'trap "echo heard; exit 3" USR2; kill -USR2 $PPID; sleep 5 >&- 2>&- & wait',
  ]);
  expect(run).toMatchObject({ stdout: "heard\n", exitCode: 3 });
});

test.concurrent("--base-url says which sandbox is steered, whatever MOMO_CONTROL_URL says", async () => {
  const [a, b] = await Promise.all([serveMomo(), serveMomo()]);
  const env = { MOMO_CONTROL_URL: a.ready.control_url };
  expect((await runMomo(["clock", "freeze", "--base-url", b.ready.base_url], { env })).exitCode).toBe(0);
  const frozen = async ({ ready }: typeof a) =>
    ((await (await fetch(`${ready.control_url}/clock`)).json()) as { frozen: boolean }).frozen;
  expect([await frozen(a), await frozen(b)]).toEqual([false, true]);
});
