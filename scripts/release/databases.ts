import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import manifest from "../../package.json" with { type: "json" };
import { inTemporaryFolder, run, withoutMomo } from "./run.ts";

/**
 * A database of each released version, and its content. Later versions must open it, and find the same content. As a program, it saves
 * those of the released version: commit them with the next change.
 */

type Payment = Readonly<Record<string, unknown>>;

/** The columns that change when a pending payment expires while no server runs. */
const CHANGES_WHEN_IT_ENDS = ["status", "result_code", "result_desc", "completed_at", "fee_amount", "fee_deducted"];

const OUTCOMES = ["completed; after=1ms", "insufficient_funds; after=1ms", "cancelled; after=1ms", "silent"];

/** Makes the two files of a version with the executable of that version. */
export async function saveDatabase(momo: string, version: string, folder: string): Promise<void> {
  await inTemporaryFolder("database", async (data) => {
    const payments = await whileServing(momo, data, async () => {
      for (const outcome of OUTCOMES)
        await run([momo, "pay", "0712345678", "100", "--data", data, "--outcome", outcome]);
      return paymentsIn(momo, data);
    });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${version}.db.gz`), gzipSync(readFileSync(join(data, "momo.db")), { level: 9 }));
    writeFileSync(join(folder, `${version}.json`), `${JSON.stringify(payments, null, 2)}\n`);
  });
}

/** @throws Error that names the payment that is not as it was, or says why the database does not open */
export async function openDatabase(momo: string, version: string, folder: string): Promise<number> {
  return inTemporaryFolder("database", async (data) => {
    writeFileSync(join(data, "momo.db"), gunzipSync(readFileSync(join(folder, `${version}.db.gz`))));
    const found = await whileServing(momo, data, () => paymentsIn(momo, data));
    const saved = JSON.parse(readFileSync(join(folder, `${version}.json`), "utf8")) as Payment[];
    for (const [index, payment] of saved.entries()) {
      for (const [name, value] of Object.entries(payment)) {
        if (payment.status === "pending" && CHANGES_WHEN_IT_ENDS.includes(name)) continue;
        const now = found[index]?.[name];
        if (now !== value) throw new Error(`payment ${payment.id} of ${version}: ${name} was ${value}, and is ${now}`);
      }
    }
    return saved.length;
  });
}

/** The versions that have a heading in the changelog, except the one that is to be released. */
export function releasedVersions(changelog: string, next: string): string[] {
  const headings = changelog.matchAll(/^## (\d+\.\d+\.\d+\S*)/gm);
  return [...headings].map(([, version = ""]) => version).filter((version) => version !== next);
}

/** @returns the versions whose database opens @throws Error if one is missing or does not */
export async function openAll(momo: string, released: readonly string[], folder: string): Promise<string[]> {
  const saved = existsSync(folder)
    ? readdirSync(folder).flatMap((name) => (name.endsWith(".db.gz") ? [name.replace(/\.db\.gz$/, "")] : []))
    : [];
  const missing = released.filter((version) => !saved.includes(version));
  if (missing.length > 0)
    throw new Error(`the database of ${missing.join(", ")} was not kept (npm run release:database)`);
  for (const version of saved) await openDatabase(momo, version, folder);
  return saved;
}

async function paymentsIn(momo: string, data: string): Promise<Payment[]> {
  return JSON.parse(await run([momo, "list", "--data", data, "--limit", "100", "--json"])).transactions;
}

/** @throws Error with momo's message if the server does not start */
async function whileServing<T>(momo: string, data: string, work: () => Promise<T>): Promise<T> {
  const server = Bun.spawn([momo, "serve", "--data", data, "--port", "0", "--json", "--quiet"], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: withoutMomo(process.env),
  });
  try {
    const { done } = await server.stdout.getReader().read();
    if (done) throw new Error((await new Response(server.stderr).text()).trim());
    return await work();
  } finally {
    server.kill();
    await server.exited;
  }
}

if (import.meta.main) {
  const root = join(import.meta.dir, "../..");
  const folder = "test/release/databases";
  await saveDatabase(join(root, "dist/release", `linux-${process.arch}`, "momo"), manifest.version, join(root, folder));
  process.stdout.write(`${folder}/${manifest.version}.db.gz and .json hold payments of ${manifest.version}\n`);
}
