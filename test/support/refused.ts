import { expect, test } from "bun:test";
import type { Steered } from "./steered.ts";

/** Defines a test: each body is refused with a message that begins with `says`, and the answer of `GET path` stays as it was. */
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
      expect(await sandbox.refusal(method, path, body)).toStartWith(says);
      expect(await shown(), JSON.stringify(body).slice(0, 200)).toBe(before);
    }
  });
}
