import { setDefaultTimeout } from "bun:test";
import { TEST_TIMEOUT_MS } from "./time-outs.ts";

/** Loaded before every test file (bunfig.toml). */

setDefaultTimeout(TEST_TIMEOUT_MS);
