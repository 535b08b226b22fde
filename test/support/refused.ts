import { expect, test } from "bun:test";
import { expectSoundAnswer } from "./scenario.ts";
import type { Steered } from "./steered.ts";

/** Defines a test for each body: refused with 400, in words that begin so, and what `path` shows stays as it was. */
export function testRefusals(
  sandbox: Steered,
  method: "POST" | "PUT",
  path: string,
  rows: readonly (readonly [body: unknown, says: string])[],
): void {
  const shown = async () => (await sandbox.call("GET", path)).text;
  for (const [body, says] of rows) {
    test(`${method} ${JSON.stringify(body).slice(0, 70)}: ${says}`, async () => {
      const before = await shown();
      const refused = await sandbox.call(method, path, { json: body });
      expect(refused.status).toBe(400);
      expectSoundAnswer(refused);
      expect(refused.body.message).toStartWith(says);
      expect(await shown()).toBe(before);
    });
  }
}
