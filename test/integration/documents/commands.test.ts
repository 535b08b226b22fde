import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../support/binary.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { blocksOf, type Document, readDocument, USER_DOCUMENTS } from "../../support/documents.ts";
import { runToEnd } from "../../support/momo.ts";
import { describeWith, type Needed, testWith } from "../../support/needs.ts";
import { describeWithPostgres, emptyDatabase } from "../../support/replicas.ts";
import { TEST_TIMEOUT_MS, until } from "../../support/waiting.ts";
import { GO, type Session, startSession } from "./session.ts";

/** The commands of the documents, run as they are written, in their order, one server for each document. */

afterAll(cleanUp);

/** What `.ci/run` runs by itself: a test that ran them would run itself. */
const SETTING_UP = new Set([
  "npm start    # the first time for 1 to 2 minutes: it installs",
  'export PATH="$PWD/bin:$PATH"',
]);

/** Words of commands that need a program. */
const PROGRAMS: Record<string, Needed> = {
  "curl ": "curl",
  "npm ": "node",
  "python3 -m pytest": "pytest",
  phpunit: "phpunit",
  "go test": "go",
};
const needsOf = (script: string) =>
  Object.entries(PROGRAMS).flatMap(([words, program]) => (script.includes(words) ? [program] : []));

const scriptsOf = (document: Document) => blocksOf(document, "sh").map((block) => block.trim());

test("the commands that set up are the ones that are run elsewhere", () => {
  const scripts = USER_DOCUMENTS.flatMap(scriptsOf);
  expect(scripts.filter((script) => SETTING_UP.has(script))).toHaveLength(SETTING_UP.size);
});

/** It needs a database, and has tests of its own below. */
const ELSEWHERE = "docs/replicas.md";

/** What a reader has run is a correct client: nothing is found, not even a note. */
async function expectCleanAudit({ run, variables }: Session): Promise<void> {
  const { stdout } = await run("momo audit --over --json", variables);
  expect(JSON.parse(stdout)).toMatchObject({ accepted: expect.any(Number), findings: [] });
}

for (const document of USER_DOCUMENTS.filter(({ path }) => path !== ELSEWHERE)) {
  const scripts = scriptsOf(document).filter((script) => !SETTING_UP.has(script));
  if (scripts.length === 0) continue;

  testWith(
    needsOf(scripts.join("\n")),
    `every command of ${document.path} works as it is written`,
    async () => {
      const session = await startSession();
      for (const written of scripts) {
        // Polls of 50 ms instead of 3 s: nothing else is changed.
        const script = written.replaceAll(/--wait(?! --interval)/g, "--wait --interval 50ms");
        const run = script.includes("--wait") && !script.includes("momo exec") ? session.runWithFastClock : session.run;
        const { stdout, stderr, exitCode } = await run(script, session.variables);
        // exec --audit says what happened, also where nothing is wrong.
        const wrong = stderr.replaceAll(/^momo audit: .*; 0 errors, 0 warnings, 0 notes\n/gm, "");
        expect({ script, stdout, stderr: wrong, exitCode }).toMatchObject({ script, stderr: "", exitCode: 0 });
        expect(stdout, script).not.toContain('"success":false');
      }
      await expectCleanAudit(session);
    },
    test.concurrent,
  );
}

const rows = readDocument("docs/testing.md").text.matchAll(/`((?:python3|phpunit|go) [^`]+)`$/gm);
const examples = [...rows].map(([, command = ""]) => command);

test("docs/testing.md has a command for each language of docs/examples", () => expect(examples).toHaveLength(3));

// Go compiles its library at its first use, which may take minutes.
if (Bun.which("go")) {
  beforeAll(async () => {
    await runToEnd(["go", "build", "net/http", "testing"], { env: GO });
  }, TEST_TIMEOUT_MS);
}

for (const command of examples) {
  testWith(needsOf(command), `the example of ${command}`, async () => {
    const session = await startSession();
    for (const folder of ["docs/examples", "clients"]) cpSync(join(ROOT, folder), session.folder, { recursive: true });
    const { stdout, stderr, exitCode } = await session.run(command, session.variables);
    expect({ command, stdout, stderr, exitCode }).toMatchObject({ stderr: "", exitCode: 0 });
    await expectCleanAudit(session);
  });
}

/** In the place of the package of this name: its container is a server of the test, and a stop prints the audit. */
const TESTCONTAINERS = `
import { spawn } from "node:child_process";
import { once } from "node:events";
export const Wait = { forHttp: () => null };
export class GenericContainer {
  withEnvironment(env) {
    this.env = env;
    return this;
  }
  withExposedPorts = () => this;
  withWaitStrategy = () => this;
  async start() {
    const flags = "serve --ephemeral --port 0 --json --quiet --until-stdin-closes".split(" ");
    const server = spawn("momo", flags, { env: { ...process.env, ...this.env }, stdio: ["pipe", "pipe", "inherit"] });
    const [line] = await once(server.stdout, "data");
    const { base_url, control_url } = JSON.parse(line);
    return {
      getHost: () => "127.0.0.1",
      getMappedPort: () => new URL(base_url).port,
      async stop() {
        console.log(await (await fetch(control_url + "/audit?over=true&format=text")).text());
        server.stdin.end();
        await once(server, "close");
      },
    };
  }
}
`;

testWith(["node"], "the example of testcontainers", async () => {
  const { folder, run } = await startSession();
  const packageFolder = join(folder, "node_modules/testcontainers");
  mkdirSync(packageFolder, { recursive: true });
  writeFileSync(join(packageFolder, "index.js"), TESTCONTAINERS);
  writeFileSync(join(packageFolder, "package.json"), '{"type": "module", "exports": "./index.js"}');
  cpSync(join(ROOT, "docs/examples/testcontainers.mjs"), join(folder, "testcontainers.mjs"));
  const { stdout, stderr } = await run("node testcontainers.mjs");
  expect({ stdout, stderr }).toEqual({
    stdout: expect.stringMatching(/^cancelled\n2 requests: .*; 0 errors, 0 warnings, 0 notes\n\n$/),
    stderr: "",
  });
});

/** The recipes of docs/testing.md that are more than commands, and variants of them. */

interface Recipe {
  readonly test?: { script: string[] };
  readonly steps?: { run?: string }[];
}

const testing = readDocument("docs/testing.md");
const recipe = blocksOf(testing, "yaml").find((block) => block.startsWith("steps:")) ?? "";
const { steps = [] } = Bun.YAML.parse(recipe) as Recipe;

let session: Session;
beforeAll(async () => {
  session = await startSession();
});
test("the steps after the start find the server in MOMO_*, and the last one audits and stops it", async () => {
  const { folder, run } = session;
  const github = { RUNNER_TEMP: join(folder, "runner"), GITHUB_ENV: join(folder, "github-env") };
  mkdirSync(github.RUNNER_TEMP);
  const [start = "", tests = "", audit = ""] = steps.map((step) => step.run);
  expect(steps).toHaveLength(3);
  const started = await run(start, github);
  try {
    expect(started).toMatchObject({ exitCode: 0, stderr: "" });
    const lines = readFileSync(github.GITHUB_ENV, "utf8").trim().split("\n");
    const given = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2) as [string, string]));
    const record = JSON.parse(readFileSync(join(folder, "ready.json"), "utf8")) as Record<string, unknown>;
    expect(Object.keys(given).sort()).toEqual(Object.keys(session.variables).sort());
    for (const [name, value] of Object.entries(given)) {
      expect(value).toBe(String(record[name.replace("MOMO_", "").toLowerCase()]));
    }
    expect(await run(tests, { ...github, ...given })).toMatchObject({ exitCode: 0, stderr: "" });
    const told = expect.stringMatching(/^wrote momo\.xml: 1 request: .*; 0 errors, 0 warnings, 0 notes\n$/);
    expect(await run(audit, { ...github, ...given })).toMatchObject({ exitCode: 0, stderr: told });
    expect(readFileSync(join(folder, "momo.xml"), "utf8")).toContain('failures="0"');
    await until(() => !existsSync(join(folder, "ready.json")));
  } finally {
    await run('[ ! -e ready.json ] || kill "$(cat momo.pid)"');
  }
});

test("files that share a sandbox, each with an account of its own, do not disturb each other", async () => {
  const [block = ""] = blocksOf(testing, "sh").filter((one) => one.includes('payment_account_id\\": $account'));
  const cancelled = `eval "$(momo env)"\n${block.replace("--wait", "--wait --interval 50ms -q")}`;
  const failed = cancelled.replace('cancelled\\"', 'insufficient_funds\\"');
  const runs = await Promise.all([cancelled, failed].map((script) => session.runWithFastClock(script)));
  expect(runs.map(({ stdout }) => stdout.split("\n").slice(-3).join(" ").trim())).toEqual([
    expect.stringContaining("cancelled code 11"),
    expect.stringContaining("failed code 10"),
  ]);
});

const request = (path: string) =>
  `curl -sS "$MOMO_BASE_URL/${path}" -H "X-API-Key: $MOMO_API_KEY" -H "X-API-Secret: $MOMO_API_SECRET"`;

describe.each(["github-services.yaml", "gitlab.yaml"])("the job of docs/examples/%s", (file) => {
  const { test: job, steps = [] } = Bun.YAML.parse(readDocument(`docs/examples/${file}`).text) as Recipe;
  const runs = steps.flatMap(({ run = "" }) => (run === "" || run.includes("GITHUB_ENV") ? [] : [run]));
  const scripts = job ? [job.script.join("\n")] : runs;

  test.each([
    ["passes", request("transactions.php"), 0],
    ["fails with its tests", `${request("transactions.php")}; exit 1`, 1],
    ["fails with the audit", request("nowhere.php"), 1],
  ])("%s, and has the report", async (_, tests, expected) => {
    const { folder, variables, run } = session;
    const report = join(folder, "momo.xml");
    rmSync(report, { force: true });
    await fetch(`${variables.MOMO_CONTROL_URL}/audit`, { method: "DELETE" });
    writeFileSync(join(folder, "npm"), `#!/bin/sh\n${tests}\n`, { mode: 0o755 });
    let failed = 0;
    // Each step runs, also after one that has failed.
    for (const script of scripts) {
      const { exitCode } = await run(script, { ...variables, MOMO_CONTROL_TOKEN: "token" });
      failed ||= exitCode;
    }
    expect(failed).toBe(expected);
    expect(readFileSync(report, "utf8")).toContain("<testsuite");
  });
});

/** The commands of docs/replicas.md, as they are written, in their order, on a real PostgreSQL. */

const document = readDocument("docs/replicas.md");
const scripts = blocksOf(document, "sh").map((block) => block.trim());
const isServer = (script: string) => script.startsWith("momo serve");

describeWithPostgres("every command of docs/replicas.md works as it is written", () => {
  let session: Session;
  let variables: Record<string, string>;
  let served: ReturnType<Session["run"]>;
  let pid = 0;
  beforeAll(async () => {
    session = await startSession();
    const readyFile = join(session.folder, "replica.json");
    const database = { MOMO_DATABASE: await emptyDatabase(), EMPTY_DATABASE: await emptyDatabase() };
    served = session.run(scripts.find(isServer) ?? "", {
      ...database,
      ...{ MOMO_SERVE_PORT: "0", MOMO_SERVE_READY_FILE: readyFile, MOMO_SERVE_EPHEMERAL: "1" },
    });
    await until(() => existsSync(readyFile));
    const ready = JSON.parse(readFileSync(readyFile, "utf8")) as { pid: number; control_url: string };
    pid = ready.pid;
    variables = { ...database, MOMO_CONTROL_URL: ready.control_url };
  });

  for (const [index, script] of scripts.entries()) {
    if (isServer(script)) continue;
    test(`${index + 1}: ${script.split("\n")[0]}`, async () => {
      const { exitCode, stdout, stderr } = await session.run(script, variables);
      expect({ exitCode, refused: stdout.includes('"success":false') }).toEqual({ exitCode: 0, refused: false });
      expect(stderr).not.toMatch(/warn|momo: /);
    });
  }

  test("the server starts, and ends at SIGTERM", async () => {
    process.kill(pid, "SIGTERM");
    expect(await served).toMatchObject({ exitCode: 0 });
  });
});

describeWith(["haproxy"], "the configurations for HAProxy in docs/replicas.md", () => {
  test("are valid", async () => {
    const file = join(newFolder(), "haproxy.conf");
    const defaults = "defaults\n  mode http\n  timeout client 30s\n  timeout server 30s\n  timeout connect 5s\n";
    const frontend = "frontend shop\n  bind 127.0.0.1:2546\n  default_backend momo\n";
    writeFileSync(file, [defaults, frontend, ...blocksOf(document, "haproxy")].join(""));
    const run = await runToEnd(["haproxy", "-c", "-f", file], { env: { PATH: `${process.env.PATH}:/usr/sbin` } });
    expect(run).toMatchObject({ exitCode: 0 });
  });
});
