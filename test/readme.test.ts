import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  // The test files of somebody, in shell.
  mkdirSync(join(folder, "tests"));
  for (const name of ["a", "b"]) {
    const pay = `momo pay 0712345678 100 --reference ${name} --outcome "completed; after=10ms" --wait --interval 50ms -q`;
    writeFileSync(join(folder, `tests/${name}.sh`), `${pay} && test "$(momo list -q | wc -l)" -eq 1\n`);
  }
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

async function run(script: string, more: Record<string, string> = {}) {
  const shell = Bun.spawn(["bash", "-euo", "pipefail", "-c", script], {
    env: { ...environment(), ...more },
    cwd: folder,
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

test("files that share a sandbox, each with an account of its own, do not disturb each other", async () => {
  const [block = ""] = session.filter((one) => one.includes('payment_account_id\\": $account'));
  const hasty = `eval "$(momo env)"\n${block.replace("--wait", "--wait --interval 50ms -q")}`;
  const runs = await Promise.all(
    [hasty, hasty.replace('cancelled\\"', 'insufficient_funds\\"')].map((script) => runInHaste(script)),
  );
  expect(runs.map(({ stdout }) => stdout.split("\n").slice(-3).join(" ").trim())).toEqual([
    expect.stringContaining("cancelled code 11"),
    expect.stringContaining("failed code 10"),
  ]);
});

describe("the recipe for CI goes to the end", () => {
  const [, recipe = ""] = /```yaml\n([\s\S]*?)```/.exec(readme) ?? [];
  const steps = [...recipe.matchAll(/run: \|\n((?: {6}.*\n)+)/g)].map(([, script = ""]) =>
    script.replaceAll(/^ {6}/gm, ""),
  );

  test("the step after the start finds the server in MOMO_*", async () => {
    const github = { RUNNER_TEMP: join(folder, "runner"), GITHUB_ENV: join(folder, "github-env") };
    mkdirSync(github.RUNNER_TEMP);
    const [start = "", next = ""] = steps;
    expect(steps).toHaveLength(2);
    const started = await run(start, github);
    try {
      expect(started).toMatchObject({ exitCode: 0, stderr: "" });
      const lines = readFileSync(github.GITHUB_ENV, "utf8").trim().split("\n");
      const given = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2) as [string, string]));
      const record = JSON.parse(readFileSync(join(folder, "ready.json"), "utf8")) as Record<string, unknown>;
      expect(given).toEqual({
        MOMO_BASE_URL: String(record.base_url),
        MOMO_API_KEY: String(record.api_key),
        MOMO_API_SECRET: String(record.api_secret),
        MOMO_PAYMENT_ACCOUNT_ID: String(record.payment_account_id),
        MOMO_CONTROL_URL: String(record.control_url),
      });
      const tested = await run(next.replace("--wait", "--wait --interval 50ms"), { ...github, ...given });
      expect(tested).toMatchObject({ exitCode: 0, stderr: "" });
      expect(JSON.parse(tested.stdout)).toMatchObject({ status: "completed" });
    } finally {
      const ready = join(folder, "ready.json");
      process.kill((JSON.parse(readFileSync(ready, "utf8")) as { pid: number }).pid);
      while (existsSync(ready)) await Bun.sleep(20);
    }
  });

  test("the data of an ephemeral server's ready file is what --data takes", async () => {
    const { stdout, exitCode } = await run(`
      momo serve --ephemeral --port 0 --ready-file ephemeral.json > ephemeral.log 2>&1 &
      timeout 30 sh -c 'until [ -s ephemeral.json ]; do sleep 0.1; done'
      momo env --data "$(sed 's/.*"data":"\\([^"]*\\)".*/\\1/' ephemeral.json)" --format json
      kill %1; wait %1
    `);
    expect({ exitCode, found: JSON.parse(stdout) }).toMatchObject({
      exitCode: 0,
      found: { MOMO_BASE_URL: expect.stringContaining("http://127.0.0.1:") },
    });
  });
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
