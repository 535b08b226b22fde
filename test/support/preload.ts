import { setDefaultTimeout } from "bun:test";
import { join } from "node:path";
import { TEST_TIMEOUT_MS } from "./time-outs.ts";

/** Loaded before every test file (bunfig.toml). */

setDefaultTimeout(TEST_TIMEOUT_MS);

// The test helper starts this, unless a test says otherwise.
process.env.MOMO_EXECUTABLE ??= join(import.meta.dir, "momo-from-source.sh");
