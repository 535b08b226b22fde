import { afterAll, describe, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cleanUp } from "../../support/cleanup.ts";
import { type Needed, testWith } from "../../support/needs.ts";
import { expectToPay, PYTHON } from "./sources.ts";

/** Real programs with the address of a service in their source, on what this machine has. */

afterAll(cleanUp);

const PROGRAMS: readonly (readonly [command: string, file: string, ...needs: Needed[]])[] = [
  ["node", "fetch.mjs", "node"],
  ["node", "https.mjs", "node"],
  [process.execPath, "fetch.mjs"],
  [process.execPath, "https.mjs"],
  ["sh", "curl.sh", "curl"],
  [PYTHON, "urllib_client.py", "python3"],
  [PYTHON, "requests_client.py", "python3 requests"],
  // The next three need the line that docs/intercept.md has for them.
  ["/usr/bin/python3", "aiohttp_client.py", "python3 aiohttp"],
  ["/usr/bin/python3", "urllib3_client.py", "python3 urllib3"],
  ["php", "streams.php", "php"],
  ["sh", "wget.sh", "wget"],
  ["perl", "lwp.pl", "perl LWP", "perl LWP https"],
  ["php", "curl.php", "php curl"],
];

const PACKAGES = join(import.meta.dir, "node_modules");
const DENO = join(PACKAGES, "@deno/linux-x64-glibc/deno");

/** Other runtimes, for clients of packages. `npm run dev runtimes` installs all of it (half a gigabyte). */
const RUNTIMES: Record<string, readonly string[]> = {
  node: ["node"],
  "Node 22": [join(PACKAGES, "node-22/bin/node")],
  "Node 24": [join(PACKAGES, "node-24/bin/node")],
  Bun: [process.execPath],
  Deno: [DENO, "run", "--allow-all"],
  "Deno, which may reach the network and nothing else,": [DENO, "run", "--allow-net"],
};

describe("a program with its service's address in it is tested as it is", () => {
  for (const [command, file, ...needs] of PROGRAMS) {
    const name = `${command.split("/").at(-1)} runs ${file}`;
    testWith(needs, name, () => expectToPay([command], file), test.concurrent);
  }

  for (const [runtime, command] of existsSync(PACKAGES) ? Object.entries(RUNTIMES) : []) {
    const files = ["fetch.mjs", "https.mjs", "axios.mjs", "axios.mjs axios-without-tunnels", "got.mjs"];
    for (const file of runtime.startsWith("Deno,") ? files.slice(0, 1) : files) {
      test.concurrent(`${runtime} runs ${file}`, () => expectToPay(command, file));
    }
  }
});
