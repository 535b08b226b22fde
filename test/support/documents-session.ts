import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtBinary } from "./binary.ts";

/** A reader of the documents: a folder of their own, momo on their path, and a server that runs. */
export interface Session {
  readonly folder: string;
  readonly controlUrl: string;
  /** Runs a script in bash, as a reader would paste it. */
  run(script: string, more?: Record<string, string>): Promise<{ stdout: string; stderr: string; exitCode: number }>;
  /** The same while the sandbox's clock runs fast, so that nobody waits for the simulated network. */
  runInHaste(script: string): ReturnType<Session["run"]>;
  end(): Promise<void>;
}

export async function startSession(): Promise<Session> {
  const folder = mkdtempSync(join(tmpdir(), "momo-documents-"));
  const momo = join(folder, "momo");
  writeFileSync(momo, `#!/bin/sh\nexec '${await builtBinary()}' "$@"\n`);
  chmodSync(momo, 0o755);
  writeTestFiles(folder);
  const environment = {
    PATH: `${folder}:${process.env.PATH}`,
    HOME: folder,
    MOMO_DATA: join(folder, "data"),
    npm_config_update_notifier: "false",
  };
  const readyFile = join(folder, "server-ready.json");
  const server = Bun.spawn([momo, "serve", "--port", "0", "--quiet", "--ready-file", readyFile], {
    env: environment,
    stdout: "ignore",
    stderr: "inherit",
  });
  while (!existsSync(readyFile)) {
    if (server.exitCode !== null) throw new Error(`momo serve ended with ${server.exitCode}`);
    await Bun.sleep(20);
  }
  const { control_url: controlUrl } = JSON.parse(readFileSync(readyFile, "utf8")) as { control_url: string };

  async function run(script: string, more: Record<string, string> = {}) {
    const shell = Bun.spawn(["bash", "-euo", "pipefail", "-c", script], {
      env: { ...environment, ...more },
      cwd: folder,
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([new Response(shell.stdout).text(), new Response(shell.stderr).text()]);
    return { stdout, stderr, exitCode: await shell.exited };
  }

  return {
    folder,
    controlUrl,
    run,
    async runInHaste(script) {
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
    },
    async end() {
      server.kill();
      await server.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The test files of somebody who tests in shell, and of somebody who tests with npm. */
function writeTestFiles(folder: string): void {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { test: "momo list -q" } }));
  mkdirSync(join(folder, "tests"));
  for (const name of ["a", "b"]) {
    const pay = `momo pay 0712345678 100 --reference ${name} --outcome "completed; after=10ms" --wait --interval 50ms -q`;
    writeFileSync(join(folder, `tests/${name}.sh`), `${pay} && test "$(momo list -q | wc -l)" -eq 1\n`);
  }
}
