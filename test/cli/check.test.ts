import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckReport } from "../../sandbox/check/result.ts";
import { newFolder } from "../support/cleanup.ts";
import { momo, runMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
