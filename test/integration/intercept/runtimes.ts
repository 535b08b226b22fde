import { afterAll, describe, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cleanUp } from "../../support/cleanup.ts";
import { expectToPay } from "../../support/intercept.ts";
import { named } from "../../support/needs.ts";

/** The same programs on other runtimes, and clients of packages; `npm run dev runtimes` installs them (half a gigabyte), and runs this. */

afterAll(cleanUp);

const PACKAGES = join(import.meta.dir, "node_modules");
const DENO = join(PACKAGES, "@deno/linux-x64-glibc/deno");

const RUNTIMES: Record<string, readonly string[]> = {
  node: ["node"],
  "Node 22": [join(PACKAGES, "node-22/bin/node")],
  "Node 24": [join(PACKAGES, "node-24/bin/node")],
  Bun: [process.execPath],
  Deno: [DENO, "run", "--allow-all"],
  "Deno, which may reach the network and nothing else,": [DENO, "run", "--allow-net"],
};

describe("a program with its service's address in it is tested as it is", () => {
  for (const [runtime, command] of Object.entries(RUNTIMES)) {
    const files = ["fetch.mjs", "https.mjs", "axios.mjs", "axios-without-tunnels.mjs", "got.mjs"];
    for (const file of runtime.startsWith("Deno,") ? files.slice(0, 1) : files) {
      const isMissing = command[0]?.startsWith(PACKAGES) === true && !existsSync(command[0]);
      const name = named(`${runtime} runs ${file}`, isMissing ? "npm has none for this machine" : "");
      test.skipIf(isMissing)(name, () => expectToPay(command, file));
    }
  }
});
