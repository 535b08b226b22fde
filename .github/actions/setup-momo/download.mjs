/** The executable from the release that belongs to this action. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { environment } from "./runner.mjs";

const LONGEST_DOWNLOAD_MS = 5 * 60_000;

/**
 * Downloads the archive for this machine, checks its sum, and unpacks it. The runner's tool cache keeps the executable by this sum.
 * @returns the path of the executable
 * @throws Error in one line that says what to do
 */
export async function download(folder) {
  const name = `momo-${target()}.${process.platform === "win32" ? "zip" : "tar.gz"}`;
  // A folder, or an address.
  const releases = process.env.MOMO_RELEASES || releasesOfThisAction();
  const sums = (await fetchFile(`${releases}/SHA256SUMS`)).toString("utf8");
  const expected = new RegExp(`^([0-9a-f]{64})  ${name.replaceAll(".", "\\.")}$`, "m").exec(sums)?.[1];
  if (expected === undefined) throw new Error(`${releases}/SHA256SUMS has no ${name}`);
  const executable = process.platform === "win32" ? "momo.exe" : "momo";
  const cache = process.env.RUNNER_TOOL_CACHE;
  const kept = cache ? join(cache, "momo", expected, executable) : "";
  if (existsSync(kept)) return kept;
  const bytes = await fetchFile(`${releases}/${name}`);
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found !== expected)
    throw new Error(`the sum of ${name} is ${found}, and SHA256SUMS says ${expected}: it is not what was released`);

  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), bytes);
  // The tar of Windows reads .zip, too; another one can come first on the path.
  const tar = process.platform === "win32" ? join(environment("SystemRoot"), "System32", "tar.exe") : "tar";
  const { status, stderr, error } = spawnSync(tar, ["-xf", name, executable], { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`${name} cannot be unpacked: ${error?.message ?? stderr.trim()}`);
  const unpacked = join(folder, executable);
  if (!cache) return unpacked;
  mkdirSync(dirname(kept), { recursive: true });
  // Another job may do the same.
  copyFileSync(unpacked, `${kept}.${process.pid}`);
  renameSync(`${kept}.${process.pid}`, kept);
  return kept;
}

/** The action is part of momo's own repository, so its address and its version are those of momo. */
function releasesOfThisAction() {
  const repository = process.env.GITHUB_ACTION_REPOSITORY || environment("GITHUB_REPOSITORY");
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  return `${environment("GITHUB_SERVER_URL")}/${repository}/releases/download/v${version}`;
}

function target() {
  const system = { linux: "linux", darwin: "darwin", win32: "windows" }[process.platform];
  if (system === undefined || !["x64", "arm64"].includes(process.arch)) {
    throw new Error(
      `momo has no executable for ${process.platform} on ${process.arch}; it has some for Linux, macOS and Windows on x64 and arm64`,
    );
  }
  const isMusl = system === "linux" && process.report.getReport().header.glibcVersionRuntime === undefined;
  return `${system}-${process.arch}${isMusl ? "-musl" : ""}`;
}

async function fetchFile(address) {
  if (!/^https?:/.test(address)) return readFileSync(address);
  let why = "";
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    try {
      const answer = await fetch(address, { signal: AbortSignal.timeout(LONGEST_DOWNLOAD_MS) });
      if (answer.ok) return Buffer.from(await answer.arrayBuffer());
      why = `the server answers ${answer.status}`;
      if (answer.status < 500) break;
    } catch (error) {
      why = error.cause?.message || error.message;
    }
  }
  throw new Error(`${address} cannot be downloaded: ${why}`);
}
