import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "./cleanup.ts";
import { type RunOptions, runMomo } from "./momo.ts";

/** Commands that `momo exec --intercept` runs, and the parts of a call that one of them makes. */

export const intercept = (command: readonly string[], options?: RunOptions) =>
  runMomo(["exec", "--intercept", "payflow.example", "--", ...command], options);
export const sh = (script: string, options?: RunOptions) => intercept(["sh", "-c", script], options);

export const PUSH = `curl -sS https://payflow.example/api/v2/stkpush.php -H "Content-Type: application/json" \
  -d '{"payment_account_id": 1, "phone": "0712345678", "amount": 100, "reference": "ORDER-1"}'`;
export const KEY = `-H "X-API-Key: live_key_of_a_shop"`;
export const SECRET = `-H "X-API-Secret: live_secret_of_a_shop"`;

const FOLDER = join(import.meta.dir, "../integration/intercept/programs");

/** Runs a program unchanged, and expects that its payment is accepted. @param source else it is a file of test/integration/intercept/programs */
export async function expectToPay(command: readonly string[], file: string, source?: string): Promise<void> {
  const path = join(source === undefined ? FOLDER : newFolder(), file);
  if (source !== undefined) writeFileSync(path, source);
  expect(await runMomo(["exec", "--intercept", "payflow.example", "--", ...command, path])).toEqual({
    stdout: expect.stringMatching(/^\{"success":true,.*"checkout_request_id":"ws_CO_/),
    stderr: "",
    exitCode: 0,
  });
}
