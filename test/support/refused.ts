import { expect, test } from "bun:test";
import { expectSoundAnswer } from "./scenario.ts";
import type { Steered } from "./steered.ts";

/** Defines a test: each body is refused with 400, in words that begin so, and the answer of `GET path` stays as it was. */
export function testRefusals(
  sandbox: Steered,
  method: "POST" | "PUT",
  path: string,
  rows: readonly (readonly [body: unknown, says: string])[],
): void {
  const shown = async () => (await sandbox.call("GET", path)).text;
  test(`${method} ${path} refuses bad bodies, and nothing changes`, async () => {
    const before = await shown();
    for (const [body, says] of rows) {
      const refused = await sandbox.call(method, path, { json: body });
      const context = JSON.stringify(body).slice(0, 200);
      expect(refused.status, context).toBe(400);
      expectSoundAnswer(refused);
      expect(refused.body.message, context).toStartWith(says);
      expect(await shown(), context).toBe(before);
    }
  });
}
