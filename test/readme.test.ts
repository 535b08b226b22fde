import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OUTCOMES, outcomesView } from "../sandbox/network/outcomes.ts";

/** The README's commands, run as they stand there, in their order, against one server. */

const root = join(import.meta.dir, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block.trim());

/** What `.ci/run` runs by itself: a test that ran them would run itself. */
const SETTING_UP = new Set(["npm start", "npm test", 'npm run build\nexport PATH="$PWD/dist:$PATH"']);
const session = blocks.filter((block) => !SETTING_UP.has(block));

let folder: string;
let server: ReturnType<typeof serve>;
let controlUrl: string;

const environment = () => ({
  PATH: `${folder}:${process.env.PATH}`,
  HOME: folder,
  MOMO_DATA: join(folder, "data"),
});

function serve() {
  return Bun.spawn([join(folder, "momo"), "serve", "--port", "0", "--json"], {
    env: environment(),
    stdout: "pipe",
    stderr: "inherit",
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "momo-readme-"));
  const momo = join(folder, "momo");
  writeFileSync(momo, `#!/bin/sh\nexec '${process.execPath}' --no-env-file '${join(root, "cli/main.ts")}' "$@"\n`);
  chmodSync(momo, 0o755);
  server = serve();
  const { value } = await server.stdout.getReader().read();
  controlUrl = (JSON.parse(new TextDecoder().decode(value)) as { control_url: string }).control_url;
});

afterAll(async () => {
  server.kill();
  await server.exited;
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a script while time passes for the sandbox as fast as it can, so that nobody waits for the simulated network. */
async function runInHaste(script: string) {
  let hasEnded = false;
  const result = run(script).finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    await fetch(`${controlUrl}/clock`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: '{"advance":"1s"}',
    });
    await Promise.race([result, Bun.sleep(20)]);
  }
  return result;
}

async function run(script: string) {
  const shell = Bun.spawn(["bash", "-euo", "pipefail", "-c", script], {
    env: environment(),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([new Response(shell.stdout).text(), new Response(shell.stderr).text()]);
  return { stdout, stderr, exitCode: await shell.exited };
}

describe("every command of the README works as it stands there", () => {
  test("the ones that set up are the ones that are run elsewhere", () => {
    expect(blocks.filter((block) => SETTING_UP.has(block))).toHaveLength(SETTING_UP.size);
  });

  for (const [index, block] of session.entries()) {
    // Polls of 50 ms instead of 3 s: nothing else is changed.
    const script = block.replaceAll(/--wait(?! --interval)/g, "--wait --interval 50ms");
    test(`${index + 1}: ${block.split("\n")[0]}`, async () => {
      const inHaste = script.includes("--wait") ? runInHaste : run;
      const { stdout, stderr, exitCode } = await inHaste(`eval "$(momo env)"\n${script}`);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(stdout).not.toContain('"success":false');
    });
  }
});

test("the customer who cancels in the session gives exit code 11", async () => {
  const { stdout } = await runInHaste('momo pay 254700000032 100 --wait --interval 50ms -q || echo "code $?"');
  expect(stdout).toBe("cancelled\ncode 11\n");
});

test("the README's TypeScript is the test that stands in the example folder", () => {
  const [, code] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(code).toBe(readFileSync(join(root, "test/example/cancelled.test.ts"), "utf8"));
});

test("the README's table of outcomes is the one that the code uses", () => {
  const rows = outcomesView().map(
    ({ name, status, code, phone, after }) =>
      `| \`${name}\` | ${status ?? "-"} | ${code ?? "-"} | ${phone} | ${after ?? "-"} |`,
  );
  expect(rows).toHaveLength(OUTCOMES.length);
  for (const row of rows) expect(readme).toContain(row);
});

test("the README names every command that momo has", async () => {
  const { stdout } = await run("momo --help");
  const names = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(15);
  for (const name of names) expect(readme).toMatch(new RegExp(`\`momo ${name}[ \`]`));
});

test("the README names every path of the control API", async () => {
  const { message } = (await (await fetch(`${controlUrl}/nothing`)).json()) as { message: string };
  const paths = [...message.matchAll(/\/_momo(\/[^\s,]+)/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(20);
  // Its ids have shorter names there.
  for (const path of paths) {
    expect(readme).toMatch(new RegExp(`[ \`](?:/_momo)?${path.replaceAll(/[A-Z_]+/g, "[A-Z_]+")}\``));
  }
});
