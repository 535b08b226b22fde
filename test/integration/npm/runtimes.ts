import { afterAll, beforeAll, describe } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../support/binary.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { readDocument } from "../../support/documents.ts";
import { named } from "../../support/needs.ts";
import { testHelperIn } from "./helper-in-runtime.ts";
import { installPackages } from "./packages.ts";

/** The test helper in the runtimes that `npm run dev runtimes` installs. */

let project: string;
beforeAll(async () => {
  project = await installPackages();
});
afterAll(cleanUp);

const PACKAGES = join(ROOT, "test/integration/intercept/node_modules");

const RUNTIMES: Record<string, readonly string[]> = {
  "Node 22": [join(PACKAGES, "node-22/bin/node")],
  "Node 24": [join(PACKAGES, "node-24/bin/node")],
  Deno: [join(PACKAGES, "@deno/linux-x64-glibc/deno"), "run", "--no-prompt", ...permissions()],
};

/** Only the permissions that docs/testing.md lists. */
function permissions(): string[] {
  const [, flags = ""] = /`deno test ([^`]*--allow-run[^`]*)`/.exec(readDocument("docs/testing.md").text) ?? [];
  return flags.split(" ");
}

describe("stkpush-sandbox/testing", () => {
  for (const [runtime, command] of Object.entries(RUNTIMES)) {
    const isThere = existsSync(command[0] ?? "");
    describe.skipIf(!isThere)(named(runtime, isThere ? "" : "npm has none for this machine"), () => {
      testHelperIn(runtime, command, () => project);
    });
  }
});
