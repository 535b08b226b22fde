/**
 * Builds the console's page, unless it is newer than all its sources: one HTML file with everything inside, which the server serves
 * and the executable contains. It needs only Node's standard library and the packages that setup.mjs installs.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = join(root, "sandbox", "console", "browser");
const folder = join(root, "sandbox", "console", "dist");
const page = join(folder, "console.html");

if (changedAtMs(page) <= Math.max(...inputs().map(changedAtMs))) build();

/** The sources, this program, and the lock file, which says which libraries go into the page. */
function inputs() {
  const names = readdirSync(sources, { recursive: true, encoding: "utf8" });
  return [...names.map((name) => join(sources, name)), fileURLToPath(import.meta.url), join(root, "package-lock.json")];
}

function changedAtMs(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function build() {
  // Write a draft and rename it, because a server may be reading the old page.
  const draft = join(folder, `draft-${process.pid}`);
  const bun = join(root, "node_modules", "bun", "bin", "bun.exe"); // named so on every system
  const options = ["--compile", "--target=browser", "--production", "--minify", "--outdir", draft];
  const { status, stdout, stderr } = spawnSync(bun, ["build", ...options, join(sources, "page.html")], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) {
    process.stderr.write(`The console's page could not be built:\n${stdout ?? ""}${stderr ?? ""}`);
    process.exit(1);
  }
  renameSync(join(draft, "page.html"), page);
  rmSync(draft, { recursive: true, force: true });
}
