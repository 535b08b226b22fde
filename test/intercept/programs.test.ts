import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cleanUp } from "../support/cleanup.ts";
import { runMomo } from "../support/momo.ts";

/** Real programs with the address of a service in their source; each is run as it is. */

afterAll(cleanUp);

const PACKAGES = join(import.meta.dir, "node_modules");
const DENO = join(PACKAGES, "@deno/linux-x64-glibc/deno");
const hasPackages = existsSync(join(PACKAGES, "got"));

const RUNTIMES: Record<string, readonly string[]> = {
  node: ["node"],
  "Node 22": [join(PACKAGES, "node-22/bin/node")],
  "Node 24": [join(PACKAGES, "node-24/bin/node")],
  Bun: [process.execPath],
  "Deno, which may reach the network and nothing else,": [DENO, "run", "--allow-net"],
  Deno: [DENO, "run", "--allow-all"],
  sh: ["sh"],
  "Python's urllib": ["python3"],
  "Python's requests": ["python3"],
  "PHP's curl": ["php"],
};

const IN_JAVASCRIPT = ["fetch.mjs", "https.mjs", "axios.mjs", "axios-without-tunnels.mjs", "got.mjs"];

const PROGRAMS: readonly (readonly [runtime: string, file: string])[] = [
  ...["node", "Node 22", "Node 24", "Bun", "Deno"].flatMap((runtime) =>
    IN_JAVASCRIPT.map((file) => [runtime, file] as const),
  ),
  ["Deno, which may reach the network and nothing else,", "fetch.mjs"],
  ["sh", "curl.sh"],
  ["Python's urllib", "urllib_client.py"],
  ["Python's requests", "requests_client.py"],
  ["PHP's curl", "curl.php"],
];

const leftOut = await Promise.all(PROGRAMS.map(([runtime, file]) => missing(RUNTIMES[runtime]?.[0] ?? "", file)));

describe("a program with its service's address in it is tested as it is", () => {
  for (const [index, [runtime, file]] of PROGRAMS.entries()) {
    const command = RUNTIMES[runtime] ?? [];
    const why = leftOut[index];
    if (why) {
      test(`${runtime} runs ${file}: left out; ${why}`, () => {});
      continue;
    }
    test.concurrent(`${runtime} runs ${file}`, async () => {
      const program = join(import.meta.dir, "programs", file);
      const run = await runMomo(["exec", "--intercept", "payflow.example", "--", ...command, program]);
      expect(run).toEqual({
        stdout: expect.stringMatching(/^\{"success":true,.*"checkout_request_id":"ws_CO_/),
        stderr: "",
        exitCode: 0,
      });
    });
  }
});

/** Why a program cannot be run here, or null. */
async function missing(runtime: string, file: string): Promise<string | null> {
  const isPackaged = runtime.startsWith(PACKAGES) || /^(?:axios|got)/.test(file);
  if (isPackaged && !hasPackages) return "npm install --prefix test/intercept --ignore-scripts";
  if (runtime.startsWith(PACKAGES)) return existsSync(runtime) ? null : "there is none for this machine";
  if (Bun.which(runtime) === null) return `there is no ${runtime}`;
  const asks: Record<string, string[]> = {
    "curl.sh": ["curl", "--version"],
    "requests_client.py": ["python3", "-c", "import requests"],
    "curl.php": ["php", "-r", "exit(extension_loaded('curl') ? 0 : 1);"],
  };
  const ask = asks[file];
  if (ask === undefined) return null;
  if (Bun.which(ask[0] ?? "") === null) return `there is no ${ask[0]}`;
  const answer = Bun.spawn(ask, { stdio: ["ignore", "ignore", "ignore"] });
  return (await answer.exited) === 0 ? null : `${ask.join(" ")} fails`;
}
