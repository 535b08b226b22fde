import { setDefaultTimeout } from "bun:test";
import { join } from "node:path";
import { freshBinary } from "./binary.ts";
import { TEST_TIMEOUT_MS } from "./waiting.ts";

/** Loaded before every test file (bunfig.toml). */

// If files share a process, bun forgets this after the first file: `npm test` sets it by an option as well.
setDefaultTimeout(TEST_TIMEOUT_MS);

// Variables that lead to a sandbox of the user's.
for (const name of Object.keys(process.env)) if (/^MOMO_(?!TEST_)/.test(name)) delete process.env[name];

// The test helper starts this. The executable starts in a quarter of the time.
process.env.MOMO_EXECUTABLE = freshBinary() ?? join(import.meta.dir, "../../bin/momo");
