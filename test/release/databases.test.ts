import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import manifest from "../../package.json" with { type: "json" };
import { releasedVersions } from "../../scripts/release/texts.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { readDocument } from "../support/documents.ts";
import { runMomo, serveMomo } from "../support/momo.ts";
import { isRecording } from "../support/recording.ts";
import { rejectionOf } from "../support/waiting.ts";

/**
 * A database of each released version, and its payments: today's momo must open it, and find the same payments. `npm run
 * release:database` saves those of the released version: commit them with the next change.
 */
const FOLDER = join(import.meta.dir, "databases");

afterAll(cleanUp);

type Payment = Readonly<Record<string, unknown>>;

/** The columns that change when a pending payment expires while no server runs. */
const CHANGES_WHEN_IT_ENDS = ["status", "result_code", "result_desc", "completed_at", "fee_amount", "fee_deducted"];

const OUTCOMES = ["completed; after=1ms", "insufficient_funds; after=1ms", "cancelled; after=1ms", "silent"];

interface Saved {
  readonly database: Uint8Array;
  readonly payments: readonly Payment[];
}

async function makeDatabase(): Promise<Saved> {
  const { ready, at, stop } = await serveMomo();
  for (const outcome of OUTCOMES) await runMomo(["pay", "0712345678", "100", ...at, "--outcome", outcome]);
  const payments = await paymentsAt(at);
  await stop();
  return { database: readFileSync(join(ready.data, "momo.db")), payments };
}

async function paymentsAt(at: readonly string[]): Promise<Payment[]> {
  return JSON.parse((await runMomo(["list", ...at, "--limit", "100", "--json"])).stdout).transactions;
}

/** @returns what is not as it was @throws Error if the server does not start */
async function open({ database, payments }: Saved): Promise<string[]> {
  const data = newFolder();
  writeFileSync(join(data, "momo.db"), database);
  const { at, stop } = await serveMomo(["--data", data]);
  const found = await paymentsAt(at);
  await stop();
  return payments.flatMap((payment, index) =>
    Object.entries(payment)
      .filter(([name]) => !(payment.status === "pending" && CHANGES_WHEN_IT_ENDS.includes(name)))
      .filter(([name, value]) => found[index]?.[name] !== value)
      .map(([name, value]) => `payment ${payment.id}: ${name} was ${value}, and is ${found[index]?.[name]}`),
  );
}

let own: Saved;
beforeAll(async () => {
  own = await makeDatabase();
});

test("a database of this version has a payment with every end and a pending one, and opens", async () => {
  expect(own.payments.map(({ status }) => status)).toEqual(["pending", "cancelled", "failed", "completed"]);
  expect(gzipSync(own.database).length).toBeLessThan(20_000);
  expect(await open(own)).toEqual([]);
});

test("a payment that is not as it was is named, and a damaged database does not open", async () => {
  const [pending, cancelled, ...others] = own.payments;
  const changed = [{ ...pending, amount: 101, status: "x" }, { ...cancelled, phone: "x" }, ...others];
  expect(await open({ ...own, payments: changed })).toEqual([
    expect.stringContaining("status was x, and is pending"),
    expect.stringContaining("amount was 101, and is 100"),
    expect.stringContaining("phone was x, and is 254712345678"),
  ]);
  const damaged = Buffer.from(own.database).fill(0, 100, 4096);
  expect(String(await rejectionOf(open({ ...own, database: damaged })))).toContain("database");
});

test("the database of every released version is kept, and opens", async () => {
  if (isRecording()) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, `${manifest.version}.db.gz`), gzipSync(own.database, { level: 9 }));
    writeFileSync(join(FOLDER, `${manifest.version}.json`), `${JSON.stringify(own.payments, null, 2)}\n`);
  }
  const names = existsSync(FOLDER) ? readdirSync(FOLDER) : [];
  const kept = names.filter((name) => name.endsWith(".db.gz")).map((name) => name.replace(".db.gz", ""));
  const released = releasedVersions(readDocument("CHANGELOG.md").text, manifest.version);
  expect(released.filter((version) => !kept.includes(version))).toEqual([]);
  for (const version of kept) {
    const database = gunzipSync(readFileSync(join(FOLDER, `${version}.db.gz`)));
    const payments = JSON.parse(readFileSync(join(FOLDER, `${version}.json`), "utf8"));
    expect({ version, changes: await open({ database, payments }) }).toEqual({ version, changes: [] });
  }
});
