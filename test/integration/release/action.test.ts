import { afterAll, describe, expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { YAML } from "bun";
import manifest from "../../../package.json" with { type: "json" };
import { builtBinary, ROOT } from "../../support/binary.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { blocksOf, readDocument } from "../../support/documents.ts";
import { runToEnd } from "../../support/momo.ts";
import { describeWith } from "../../support/needs.ts";
import { until } from "../../support/waiting.ts";
import { makeRelease, serveFiles } from "./releases.ts";

/** The action setup-momo, with a runner whose files are in a folder, and a release from a server of this machine. */

afterAll(cleanUp);

const ACTION = join(ROOT, ".github/actions/setup-momo");

interface Definition {
  readonly inputs: Record<string, unknown>;
  readonly outputs: Record<string, unknown>;
  readonly runs: { using: string; main: string; post: string };
}
const definition = YAML.parse(readFileSync(join(ACTION, "action.yml"), "utf8")) as Definition;

/**
 * One job: its files, and the parts of the action as the runner starts them.
 * @param workspace where the runner starts them, @param action and where the action is
 */
function startJob(
  inputs: Record<string, string> = {},
  more: Record<string, string> = {},
  workspace = ROOT,
  action = ACTION,
) {
  const folder = newFolder();
  const files = ["GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE"];
  for (const name of files) writeFileSync(join(folder, name), "");
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const pairs = (name: string): Record<string, string> =>
    Object.fromEntries(
      read(name)
        .split("\n")
        .filter(Boolean)
        .map((line) => line.split(/=(.*)/s, 2)),
    );
  const runner = {
    RUNNER_TEMP: folder,
    GITHUB_REPOSITORY: "pay/shop",
    GITHUB_SERVER_URL: "http://127.0.0.1:1",
    no_proxy: "127.0.0.1",
    ...Object.fromEntries(files.map((name) => [name, join(folder, name)])),
    ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    ...more,
  };
  const runPart = (file: string) => {
    const state = Object.fromEntries(
      Object.entries(pairs("GITHUB_STATE")).map(([name, value]) => [`STATE_${name}`, value]),
    );
    return runToEnd(["node", join(action, file)], { cwd: workspace, env: { ...runner, ...state } });
  };
  later(() => {
    const pid = Number(pairs("GITHUB_STATE").pid);
    if (pid && isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  return { folder, read, pairs, main: () => runPart(definition.runs.main), post: () => runPart(definition.runs.post) };
}

/** The folder of a release whose executable starts the one that was built here. */
const makeOwnRelease = async (sum?: string) => makeRelease(`#!/bin/sh\nexec '${await builtBinary()}' "$@"\n`, { sum });

/** Variables of a job that uses the action of pay/momo, whose only release is the version of package.json. */
const released = async (sum?: string, GITHUB_ACTION_REPOSITORY = "pay/momo") => ({
  GITHUB_ACTION_REPOSITORY,
  GITHUB_SERVER_URL: serveFiles(await makeOwnRelease(sum), `/pay/momo/releases/download/v${manifest.version}/`),
});

type Job = ReturnType<typeof startJob>;

interface Step {
  readonly uses?: string;
  readonly with?: Record<string, string>;
  readonly run?: string;
  readonly "working-directory"?: string;
}

/** The job that builds momo. */
function stepsOfTheDocuments(): readonly Step[] {
  const blocks = blocksOf(readDocument("docs/testing.md"), "yaml").filter((block) => block.includes("npm run build"));
  const { steps } = YAML.parse(blocks[0] ?? "") as { steps: Step[] };
  return steps;
}

/** As `npm install --save-dev ../momo` writes it. */
function lockOf(devDependencies: Readonly<Record<string, string>>) {
  const { name, version, license, bin, dependencies } = manifest;
  const clone = { name, version, dev: true, license, dependencies, bin, devDependencies: manifest.devDependencies };
  const link = { resolved: "../momo", link: true };
  const packages = { "": { devDependencies }, "../momo": clone, "node_modules/stkpush-sandbox": link };
  return { name: "shop", lockfileVersion: 3, requires: true, packages };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("the action needs Node 24, and all its files are there", () => {
  expect(definition.runs).toMatchObject({ using: "node24", main: "main.mjs", post: "post.mjs" });
  expect(readdirSync(ACTION)).toEqual(expect.arrayContaining([definition.runs.main, definition.runs.post]));
  const code = readFileSync(join(ACTION, "main.mjs"), "utf8");
  expect([...new Set([...code.matchAll(/\binput\("([a-z-]+)"\)/g)].map(([, name]) => name))].sort()).toEqual(
    Object.keys(definition.inputs).sort(),
  );
  expect([...code.matchAll(/setOutput\("([a-z-]+)"/g)].map(([, name]) => name)).toEqual(
    Object.keys(definition.outputs),
  );
});

describe.skipIf(process.platform !== "linux")("on Linux", () => {
  describeWith(["node"], "the action setup-momo", () => {
    test("starts a sandbox, masks the secret, exports MOMO_*, annotates mistakes, stops, and shows the log", async () => {
      const job = startJob(
        { options: " --outcome completed  --after 10ms " },
        { ...(await released()), RUNNER_TRACKING_ID: "github_1" },
      );
      const started = await job.main();
      expect({ exitCode: started.exitCode, stderr: started.stderr }).toEqual({ exitCode: 0, stderr: "" });
      const env = job.pairs("GITHUB_ENV");
      expect(Object.keys(env).sort()).toEqual([
        ...["MOMO_API_KEY", "MOMO_API_SECRET", "MOMO_BASE_URL", "MOMO_CONTROL_URL", "MOMO_PAYMENT_ACCOUNT_ID"],
      ]);
      expect(started.stdout.split("\n")[0]).toBe(`::add-mask::${env.MOMO_API_SECRET}`);
      const PATH = `${job.read("GITHUB_PATH").trim()}:${process.env.PATH}`;
      const executable = join(job.read("GITHUB_PATH").trim(), "momo");
      expect(job.pairs("GITHUB_OUTPUT")).toEqual({ "base-url": env.MOMO_BASE_URL ?? "", executable });

      // A step with the command on its path; and a client that calls a path that does not exist.
      const step = await runToEnd(["sh", "-c", "momo pay 0712345678 100 --wait --interval 50ms -q"], {
        env: { ...env, PATH },
      });
      expect(step).toMatchObject({ exitCode: 0, stdout: "completed\n", stderr: "" });
      expect((await fetch(`${env.MOMO_BASE_URL}/stkpush`)).status).toBe(404);

      const pid = Number(job.pairs("GITHUB_STATE").pid);
      expect(isAlive(pid)).toBe(true);
      // The runner ends the processes of a step, which it knows by this variable. The log has requests of clients.
      expect(readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")).toContain("RUNNER_TRACKING_ID=");
      expect(statSync(job.pairs("GITHUB_STATE").log ?? "").mode & 0o777).toBe(0o600);
      const ended = await job.post();
      expect({ exitCode: ended.exitCode, stderr: ended.stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(ended.stdout).toMatch(/^::(?:error|warning|notice) title=momo audit%3A .*::/m);
      expect(ended.stdout).toMatch(/^::group::The log of momo\n::stop-commands::/m);
      expect(ended.stdout).toContain('"path":"/v2/stkpush.php"');
      expect(`${ended.stdout}${started.stdout.split("\n").slice(1)}`).not.toContain(env.MOMO_API_SECRET ?? "");
      expect(isAlive(pid)).toBe(false);
    });

    test("accepts a release from a folder, too", async () => {
      const job = startJob({}, { MOMO_RELEASES: await makeOwnRelease() });
      expect(await job.main()).toMatchObject({ exitCode: 0, stderr: "" });
      const ended = await job.post();
      expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
      expect(ended.stdout).toContain("\n(nothing was asked)\n");
    });

    test("downloads again if a server fails for a moment, twice at most", async () => {
      const folder = await makeOwnRelease();
      for (const [failures, status, exitCode] of [
        [2, 503, 0],
        [3, 503, 1],
        [1, 500, 0],
        [1, 403, 1],
      ] as const) {
        let left: number = failures;
        const busy = () => {
          left -= 1;
          return left >= 0 ? new Response("", { status }) : null;
        };
        const job = startJob({}, { MOMO_RELEASES: serveFiles(folder, "/", busy) });
        const { stdout, ...ended } = await job.main();
        expect(ended).toEqual({ stderr: "", exitCode });
        if (exitCode === 1)
          expect(stdout).toContain(`/SHA256SUMS cannot be downloaded: the server answers ${status}\n`);
        expect(await job.post()).toMatchObject({ exitCode: 0, stderr: "" });
      }
    });

    test("says that there is no audit if the sandbox has ended, and shows its log all the same", async () => {
      const job = startJob({ momo: await builtBinary() });
      expect((await job.main()).exitCode).toBe(0);
      expect(job.read("GITHUB_PATH")).toBe(`${dirname(await builtBinary())}\n`);
      const pid = Number(job.pairs("GITHUB_STATE").pid);
      process.kill(pid, "SIGKILL");
      await until(() => !isAlive(pid));
      const { stdout, ...ended } = await job.post();
      expect(ended).toEqual({ stderr: "", exitCode: 0 });
      expect(stdout).toMatch(/^::warning title=momo::there is no audit: .+\n::group::The log of momo\n/);
    });

    test("accepts an executable that is there already; masks the control token of a sandbox for other machines", async () => {
      const PATH = `${process.env.PATH}:${dirname(await builtBinary())}`;
      const job = startJob({ momo: await builtBinary(), options: "--host 0.0.0.0" }, { PATH });
      const { stdout, ...started } = await job.main();
      expect(started).toEqual({ stderr: "", exitCode: 0 });
      const { MOMO_API_SECRET, MOMO_CONTROL_TOKEN } = job.pairs("GITHUB_ENV");
      expect(stdout).toStartWith(`::add-mask::${MOMO_API_SECRET}\n::add-mask::${MOMO_CONTROL_TOKEN}\n`);
      expect(job.read("GITHUB_PATH")).toBe(""); // it is on the path already
      // The audit needs the token, too.
      const ended = await job.post();
      expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
      expect(ended.stdout).not.toContain("there is no audit");
    });

    test("a job that builds momo from its sources, as docs/testing.md says, runs the tests and the audit", async () => {
      const steps = stepsOfTheDocuments();
      const workspace = join(newFolder(), "shop");
      cpSync(ROOT, join(workspace, "momo"), {
        recursive: true,
        filter: (path) => !["node_modules", "dist", ".git"].includes(basename(path)),
      });
      symlinkSync(join(ROOT, "node_modules"), join(workspace, "momo/node_modules"));
      const test = "momo pay 0712345678 100 --wait --interval 50ms -q && node shop.mjs";
      const devDependencies = { "stkpush-sandbox": "file:../momo" };
      writeFileSync(join(workspace, "package.json"), JSON.stringify({ scripts: { test }, devDependencies }));
      writeFileSync(join(workspace, "package-lock.json"), JSON.stringify(lockOf(devDependencies)));
      const shop = `import { connectSandbox } from "stkpush-sandbox/testing";
        const sandbox = await connectSandbox();
        console.log(sandbox.baseUrl === process.env.MOMO_BASE_URL);`;
      writeFileSync(join(workspace, "shop.mjs"), shop);
      let job: Job | null = null;
      const said: string[] = [];
      for (const { uses, with: inputs, run, "working-directory": folder = "." } of steps) {
        if (uses?.startsWith("./")) {
          job = startJob(inputs, {}, workspace, join(workspace, uses));
          expect(await job.main()).toMatchObject({ exitCode: 0, stderr: "" });
        }
        if (run === undefined) continue;
        const env = { ...job?.pairs("GITHUB_ENV"), PATH: `${job?.read("GITHUB_PATH").trim()}:${process.env.PATH}` };
        const { stdout, stderr, exitCode } = await runToEnd(["bash", "-ec", run], {
          cwd: join(workspace, folder),
          env,
        });
        expect({ run, stdout, stderr, exitCode }).toMatchObject({ run, exitCode: 0 });
        said.push(stdout);
      }
      expect(said[0]).toContain(`${join(workspace, "momo/dist/momo")}: `);
      expect(said.at(-2)).toEndWith("completed\ntrue\n");
      expect(readFileSync(join(workspace, "momo.xml"), "utf8")).toContain('failures="0"');
      expect(await job?.post()).toMatchObject({ exitCode: 0, stderr: "" });
    });

    const BAD: [what: string, env: () => Promise<Record<string, string>>, message: RegExp][] = [
      [
        "a wrong sum",
        () => released("0".repeat(64)),
        /the sum of momo-\S+ is [0-9a-f]{64}, and SHA256SUMS says 0{64}: it is not what was released/,
      ],
      [
        "a version that is not released",
        () => released(undefined, "pay/other"),
        /\/pay\/other\/releases\/download\/v\S+\/SHA256SUMS cannot be downloaded: the server answers 404/,
      ],
      ["no server", async () => ({}), /1\/pay\/shop\/releases\/download\/v\S+\/SHA256SUMS cannot be downloaded: /],
      [
        "a release without an archive for this machine",
        async () => ({ MOMO_RELEASES: await makeRelease("", { system: "plan9" }) }),
        /SHA256SUMS has no momo-linux-\S+\.tar\.gz/,
      ],
      ["an executable that may not be executed", async () => ({ INPUT_MOMO: join(ROOT, "LICENSE") }), /: chmod \+x it/],
      ["an executable that is not there", async () => ({ INPUT_MOMO: "/nowhere/momo" }), /there is no \/nowhere\/momo/],
      [
        "a wrong option",
        async () => ({ INPUT_MOMO: await builtBinary(), INPUT_OPTIONS: "--outcome paid" }),
        /--outcome is not the name of an outcome; .*; it is "paid"/,
      ],
    ];
    test.each(BAD)("%s: one line that says so, and the post step has nothing to do", async (_what, env, message) => {
      const job = startJob({}, await env());
      const { stdout, stderr, exitCode } = await job.main();
      expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 1 });
      expect(stdout).toMatch(/^::error title=momo::.*\n$/);
      expect(stdout).toMatch(message);
      expect(await job.post()).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
      expect(job.read("GITHUB_ENV")).toBe("");
    });
  });
});
