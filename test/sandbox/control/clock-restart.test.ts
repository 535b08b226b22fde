import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { rejectionOf } from "../../support/rejection.ts";
import { type Sandbox, startIn } from "../../support/sandbox.ts";
import { SLACK_MS } from "../../support/time-outs.ts";

afterAll(cleanUp);

const clockOf = (sandbox: Sandbox) => sandbox.control("GET", "/clock");

describe("the clock survives a restart", () => {
  test("frozen: it stands where it stood", async () => {
    const directory = join(newFolder(), "data");
    const first = await startIn(directory);
    await first.control("POST", "/clock", { freeze: true, advance: "1h" });
    const before = await clockOf(first);
    await first.stop();
    expect(statSync(join(directory, "clock.json")).mode & 0o777).toBe(0o600);
    const second = await startIn(directory);
    expect(await clockOf(second)).toEqual(before);
    expect(before.frozen).toBe(true);
  });

  test("advanced without freeze: it is as far ahead as it was", async () => {
    const directory = join(newFolder(), "data");
    const first = await startIn(directory);
    await first.control("POST", "/clock", { advance: "24h" });
    await first.stop();
    const second = await startIn(directory);
    const after = await clockOf(second);
    const aheadMs = Number(after.now_ms) - Date.now();
    expect(after.frozen).toBe(false);
    // Momo's clock does not go back where this machine's does.
    expect(aheadMs).toBeWithin(86_400_000 - SLACK_MS, 86_400_000 + SLACK_MS);
  });

  test("a prompt that was pending is pending still, and due when the clock comes to it", async () => {
    const directory = join(newFolder(), "data");
    const first = await startIn(directory);
    await first.control("POST", "/clock", { freeze: true });
    const id = await first.pay();
    await first.stop();
    const second = await startIn(directory);
    await second.control("POST", "/clock", { advance: "2999ms" });
    expect(await second.statusOf(id)).toBe("pending");
    await second.control("POST", "/clock", { advance: "1ms" });
    expect(await second.statusOf(id)).toBe("completed");
  });

  test("a reset forgets it: the next start goes with this machine's clock", async () => {
    const directory = join(newFolder(), "data");
    const first = await startIn(directory);
    await first.control("POST", "/clock", { freeze: true, advance: "24h" });
    await first.control("POST", "/reset", {});
    expect(existsSync(join(directory, "clock.json"))).toBe(false);
    await first.stop();
    const after = await clockOf(await startIn(directory));
    expect(after.frozen).toBe(false);
    expect(Math.abs(Number(after.now_ms) - Date.now())).toBeLessThan(SLACK_MS);
  });
});

describe("a damaged clock.json is refused with a line that names it, and stays as it is", () => {
  test.each([
    "",
    "{",
    "null",
    "[]",
    "12",
    '"2026-11-20"',
    "{}",
    '{"frozen_at_ms":"now"}',
    '{"frozen_at_ms":1.5}',
    '{"frozen_at_ms":1e300}',
    '{"frozen_at_ms":1,"ahead_ms":2}',
    '{"ahead_ms":null}',
    // No calendar goes so far.
    '{"frozen_at_ms":9007199254740991}',
    '{"ahead_ms":9007199254740991}',
    '{"ahead_ms":-9007199254740991}',
  ])("%p", async (content) => {
    const directory = join(newFolder(), "data");
    const file = join(directory, "clock.json");
    await (await startIn(directory)).stop();
    writeFileSync(file, content);
    const error = await rejectionOf(startIn(directory));
    expect(error).toMatchObject({ name: "Failure", message: `${file} cannot be read as a file of momo's` });
    expect(await Bun.file(file).text()).toBe(content);
  });
});
