import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { type Served, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

/** What the same command does on the data directory of a server that was killed. */

test("a clock that --clock lets run goes on, with the payments that it has passed", async () => {
  const flags = ["--data", join(newFolder(), "data"), "--clock", "2026-03-31 10:00:00; running", "--outcome", "manual"];
  const now = async ({ control }: Served) => String((await control("GET", "/clock")).now);
  const first = await serveMomo(flags);
  expect(await now(first)).toStartWith("2026-03-31 10:0");
  const id = await first.pay();
  await first.kill();

  const second = await serveMomo(flags);
  expect(await now(second)).toStartWith("2026-03-31 10:0");
  await second.control("POST", "/clock", { to: "2026-03-31 23:00:00" });
  expect(await second.statusOf(id)).toBe("expired");
  await second.kill();

  const third = await serveMomo(flags);
  expect(await now(third)).toStartWith("2026-03-31 23:0");
  expect(await third.statusOf(id)).toBe("expired");
  expect(third.child.stderr.text).toBe("");
});
