import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { openAll, openDatabase, releasedVersions, saveDatabase } from "../../scripts/release/databases.ts";
import { builtBinary } from "../support/binary.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { rejectionOf } from "../support/waiting.ts";

afterAll(cleanUp);

const momo = await builtBinary();
const folder = newFolder();
beforeAll(() => saveDatabase(momo, "1.0.0", folder));

/** A copy with one file changed. */
function changed(name: string, change: (content: Buffer) => Uint8Array | string): string {
  const copy = newFolder();
  for (const file of ["1.0.0.db.gz", "1.0.0.json"]) copyFileSync(join(folder, file), join(copy, file));
  writeFileSync(join(copy, name), change(readFileSync(join(copy, name))));
  return copy;
}

test("the database of a version has a payment with every end and a pending one, is small, and opens", async () => {
  const payments = JSON.parse(readFileSync(join(folder, "1.0.0.json"), "utf8"));
  expect(payments.map(({ status }: { status: string }) => status)).toEqual([
    "pending",
    "cancelled",
    "failed",
    "completed",
  ]);
  expect(readFileSync(join(folder, "1.0.0.db.gz")).length).toBeLessThan(20_000);
  expect(await openDatabase(momo, "1.0.0", folder)).toBe(4);
});

test("a payment that is not as it was, a damaged database and a missing one stop the release", async () => {
  const other = changed("1.0.0.json", (text) => text.toString().replace('"amount": 100', '"amount": 101'));
  expect(String(await rejectionOf(openDatabase(momo, "1.0.0", other)))).toContain("amount was 101, and is 100");
  const damaged = changed("1.0.0.db.gz", (bytes) => gzipSync(gunzipSync(bytes).fill(0, 0, 4096)));
  expect(String(await rejectionOf(openAll(momo, [], damaged)))).toContain("database");
  const missing = await rejectionOf(openAll(momo, ["1.0.0", "1.1.0"], folder));
  expect(String(missing)).toContain("the database of 1.1.0 was not kept");
  expect(await openAll(momo, ["1.0.0"], folder)).toEqual(["1.0.0"]);
});

test("the released versions are those of the changelog, without the unreleased one", () => {
  const changelog = "# Changelog\n\n## 1.2.0\n\n- new\n\n## 1.1.0 (2026-03-01)\n\n## 1.0.0\n";
  expect(releasedVersions(changelog, "1.2.0")).toEqual(["1.1.0", "1.0.0"]);
  expect(releasedVersions("## Unreleased\n", "0.1.0")).toEqual([]);
});
