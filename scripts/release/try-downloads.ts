import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { homebrewFormula, scoopManifest } from "./channels.ts";
import { run } from "./run.ts";
import { parseSums } from "./sums.ts";
import { tryMomo } from "./trial.ts";
import { megabytes, row, seconds, stepTimes } from "./trial-table.ts";

/**
 * Gets momo from the files in dist/release without npm, from a server on this machine. It prints a table, and ends with 1 if a way
 * does not work.
 */

const OUT = join(import.meta.dir, "../../dist/release");
const { version } = manifest;
const archive = `momo-linux-${process.arch}.tar.gz`;
const sums = parseSums(readFileSync(join(OUT, "SHA256SUMS"), "utf8"));

const work = mkdtempSync(join(tmpdir(), "momo-downloads-"));
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ url }) => new Response(Bun.file(join(OUT, new URL(url).pathname))),
});
const releases = `http://127.0.0.1:${server.port}`;
try {
  process.stdout.write("| way | command | took | downloads | momo |\n|---|---|---|---|---|\n");
  const fetched = `curl -fsSLO ${releases}/${archive}`;
  await tryWay("install.sh", "curl -fsSL ADDRESS/install.sh \\| sh", archive, {
    script: `curl -fsSL ${releases}/install.sh | MOMO_RELEASES=${releases} sh`,
    momo: "home/.local/bin/momo",
  });
  await tryWay("archive", `curl -fsSLO ADDRESS/${archive} && tar -xzf ${archive}`, archive, {
    script: `${fetched} && tar -xzf ${archive}`,
    momo: "momo",
  });
  await tryText("Homebrew formula", "ruby -c momo.rb", async (folder) => {
    writeFileSync(join(folder, "momo.rb"), homebrewFormula(version, releases, sums));
    if (Bun.which("ruby") === null) return "not checked: there is no ruby";
    return (await run(["ruby", "-c", "momo.rb"], { cwd: folder })).trim();
  });
  await tryText("Scoop manifest", "its address, downloaded; its hash, compared", async () => {
    const { url, hash } = scoopManifest(version, releases, sums).architecture["64bit"];
    const content = await (await fetch(url)).arrayBuffer();
    const found = new Bun.CryptoHasher("sha256").update(content).digest("hex");
    if (found !== hash) throw new Error(`the hash is ${found} instead of ${hash}`);
    return `${megabytes(content.byteLength)}, the hash fits`;
  });
} finally {
  await server.stop(true);
  rmSync(work, { recursive: true, force: true });
}

interface Way {
  /** The shell script that gets momo; it runs in an empty folder. */
  readonly script: string;
  /** The path of momo after that. */
  readonly momo: string;
}

async function tryWay(name: string, typed: string, download: string, { script, momo }: Way): Promise<void> {
  const folder = join(work, name);
  mkdirSync(folder);
  await row([name, `\`${typed}\``], async (cells) => {
    const startedMs = performance.now();
    await run(["sh", "-euc", script], { cwd: folder, env: { HOME: join(folder, "home"), no_proxy: "127.0.0.1" } });
    cells.push(seconds(performance.now() - startedMs), megabytes(statSync(join(OUT, download)).size));
    const steps = await tryMomo([join(folder, momo)], version, { folder: join(folder, "project") });
    cells.push(stepTimes(steps));
  });
}

async function tryText(name: string, how: string, check: (folder: string) => Promise<string>): Promise<void> {
  await row([name, how], async (cells) => void cells.push("-", "-", await check(work)));
}
