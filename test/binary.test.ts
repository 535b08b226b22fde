import { afterAll, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import packageJson from "../package.json";
import { builtBinary, ROOT } from "./support/binary.ts";
import { startChild } from "./support/child.ts";
import { cleanUp, newFolder, newProgramFolder } from "./support/cleanup.ts";
import { serveFake } from "./support/fake-server.ts";
import { type Run, runToEnd, serveMomo } from "./support/momo.ts";
import { testWith } from "./support/needs.ts";
import { insertPending, openStoreWithMerchants } from "./support/shop.ts";

const BINARY = await builtBinary();

afterAll(cleanUp);

/** Runs the binary in an empty folder, without any environment. */
const runBinary = (args: readonly string[], cwd?: string, env?: Record<string, string>) =>
  runBare([BINARY, ...args], cwd, env);

async function runBare(command: readonly string[], cwd = newFolder(), env = {}): Promise<Run> {
  const child = startChild(command, { cwd, env });
  const exitCode = await child.exited;
  return { stdout: child.stdout.text, stderr: child.stderr.text, exitCode };
}

test.concurrent("the binary has the code of its second thread, which reads long lists, and the page of the console", async () => {
  const data = newFolder();
  const store = await openStoreWithMerchants(join(data, "momo.db"));
  await Promise.all(Array.from({ length: 3000 }, (_, index) => insertPending(store, { reference: `ORDER-${index}` })));
  store.close();
  const { get, ready } = await serveMomo(["--data", data], { program: [BINARY] });
  const list = await (await get("/transactions.php?search=order&limit=1")).json();
  expect(list).toMatchObject({ success: true, pagination: { total_items: 3000 } });
  const response = await fetch(ready.console_url);
  expect(response.headers.get("Content-Security-Policy")).toContain("script-src 'sha256-");
  expect(response.headers.get("Content-Encoding")).toBe("gzip");
  const html = await response.text();
  expect(html).toContain("<title>momo</title>");
  expect(html).not.toMatch(/(?:src|href)="(?!data:)/);
  expect(html).not.toContain(ROOT);
});

test.concurrent("`.env` and `bunfig.toml` of the current folder are never read", async () => {
  const cwd = newFolder();
  const planted = ["MOMO_BASE_URL=http://127.0.0.1:1/v2", "MOMO_API_KEY=mk_planted", "MOMO_API_SECRET=ms_planted"];
  for (const name of [".env", ".env.local", ".env.production", ".env.development"]) {
    writeFileSync(join(cwd, name), planted.join("\n"));
  }
  writeFileSync(join(cwd, "bunfig.toml"), 'preload = ["./planted.ts"]\n');
  writeFileSync(join(cwd, "planted.ts"), 'require("node:fs").writeFileSync("planted.txt", "run")\n');
  writeFileSync(join(cwd, "package.json"), '{"name":"planted","version":"9.9.9"}');
  writeFileSync(join(cwd, "tsconfig.json"), "{ not json");
  const before = readdirSync(cwd).sort();
  const env = { XDG_DATA_HOME: join(newFolder(), "share") };
  const run = await runBinary(["list"], cwd, env);
  // With the planted variables it would say that nothing answers at port 1.
  expect(run).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("no sandbox is running") });
  expect((await runBinary(["--version"], cwd, env)).stdout).toBe(`${packageJson.version}\n`);
  expect(readdirSync(cwd).sort()).toEqual(before);
});

test.concurrent("no source path of the machine that built it is printed in an error", async () => {
  const folder = newFolder();
  mkdirSync(join(folder, "momo.db"));
  const odd = serveFake(() => Response.json({ success: true, message: "", transactions: [null] }));
  const known = ["--api-key", "mk_x", "--api-secret", "ms_x"];
  const runs = await Promise.all([
    runBinary(["frobnicate"]),
    runBinary(["serve", "--port", "0", "--data", folder]),
    runBinary(["serve", "--port", "0", "--data", "/proc/x"]),
    runBinary(["serve", "--port", "0", "--ephemeral", "--host", "nowhere.invalid"]),
    runBinary(["list", "-q", "--base-url", odd.baseUrl, ...known]),
    runBinary(["list", "--base-url", "http://127.0.0.1:1", ...known]),
    runBinary(["merchants", "list", "--data", folder]),
    runBare(["/bin/sh", "-c", '"$0" outcomes --json >/dev/full', BINARY]),
    runBare(["/bin/sh", "-c", '"$0" --version >/dev/full', BINARY]),
  ]);
  for (const { stderr, exitCode } of runs) {
    expect(exitCode).not.toBe(0);
    expect(stderr).not.toContain(ROOT);
    expect(stderr).not.toMatch(/\$bunfs|\.ts\b|^\s+at /m);
    expect(stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(2);
  }
});

testWith(
  ["node"],
  "set-up installs a changed lock file with npm or Bun, again after a failure, and builds a changed page; stdout stays empty",
  async () => {
    const clone = newProgramFolder();
    const page = "sandbox/console/browser/page.html";
    const views = "sandbox/console/browser/views";
    for (const name of ["scripts", views, "sandbox/console/dist", "sandbox/faults", "sandbox/network", "src/domain"])
      mkdirSync(join(clone, name), { recursive: true });
    copyFileSync(join(ROOT, "scripts/setup.mjs"), join(clone, "scripts/setup.mjs"));
    const put = (name: string, text: string) => writeFileSync(join(clone, name), text, { mode: 0o755 });
    for (const name of ["package-lock.json", "sandbox/curl.ts", "sandbox/loopback.ts", page, join(views, "list.tsx")])
      put(name, "one");
    const build = `[ "$1 $2" = "install --frozen-lockfile" ] && printf B >> calls && exit
      for word; do [ "$flag" = --outdir ] && draft=$word; flag=$word; done
      mkdir "$draft"; cp "$word" "$draft/page.html"; printf b >> calls; exit`;
    put("bun", `#!/bin/sh\n${build}\n${" ".repeat(1e6)}`);
    const install = `import fs from "node:fs"; fs.cpSync("bun", "node_modules/bun/bin/bun.exe");
      fs.appendFileSync("calls", "i"); console.log("npm");
      process.exit(fs.existsSync("broken") || !process.argv.includes("--include=dev") ? 1 : 0);`;
    put("npm-cli.js", install);
    const setUp = async (installer = "npm-cli.js") => {
      const env = { npm_execpath: join(clone, installer) };
      const { exitCode, stdout } = await runToEnd(["node", "scripts/setup.mjs"], { cwd: clone, env });
      const [calls, built] = ["calls", "sandbox/console/dist/console.html"].map((name) =>
        readFileSync(join(clone, name), "utf8"),
      );
      return [exitCode, stdout, calls, built];
    };
    for (const _ of [1, 2]) expect(await setUp()).toEqual([0, "", "ib", "one"]);
    put("package-lock.json", "two");
    put("broken", "");
    expect(await setUp()).toEqual([1, "", "ibi", "one"]);
    rmSync(join(clone, "broken"));
    expect(await setUp()).toEqual([0, "", "ibiib", "one"]);
    put(page, "new");
    expect(await setUp()).toEqual([0, "", "ibiibb", "new"]);
    put(join(views, "list.tsx"), "new");
    expect(await setUp()).toEqual([0, "", "ibiibbb", "new"]);
    put("package-lock.json", "three");
    expect(await setUp("bun")).toEqual([0, "", "ibiibbbBb", "new"]);
    const place = 'require("node:fs").cpSync("bun", "node_modules/bun/bin/bun.exe")';
    put("node_modules/bun/install.js", place);
    put("node_modules/bun/bin/bun.exe", "what stands there where npm runs no install scripts");
    put(page, "newer");
    expect(await setUp()).toEqual([0, "", "ibiibbbBbb", "newer"]);
    put("node_modules/bun/bin/bun.exe", `#!/bin/sh\necho "$@"; exit 3\n${" ".repeat(1e6)}`);
    const run = await runToEnd(["node", "scripts/setup.mjs", "cli/main.ts", "serve"], { cwd: clone });
    expect(run).toEqual({ stdout: "cli/main.ts serve\n", stderr: "", exitCode: 3 });
  },
);

/** What cmd.exe, which npm uses on Windows, does not understand in a line that a shell of Unix does. */
const ONLY_UNIX: readonly (readonly [RegExp, string])[] = [
  [/(?:^|&& )exec /, "exec is no program"],
  [/(?:^|&& )[^ "]*\//, "a slash ends the name of a program: npm has the programs on the path"],
  [/(?:^|&& )\w+=/, "a variable before a program"],
  [/[';`$%^<>|]|(?<!&)&(?!&)/, "a sign with another meaning there"],
  [/^(?:[^"]|"[^"]*")*[*?]/, "a pattern that nobody expands"],
];
const notForWindows = (line: string): string[] =>
  ONLY_UNIX.flatMap(([pattern, words]) => (pattern.test(line.replaceAll(/"[^"$%]*"/g, '""')) ? [words] : []));

test("each script is a line of cmd.exe, too", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const wrong = Object.entries<string>(scripts).flatMap(([name, line]) =>
    notForWindows(line).map((words) => `${name}: ${words}`),
  );
  expect(wrong).toEqual([]);
});

test.each([
  "node a.mjs && exec bun b.ts",
  "node a.mjs && node_modules/.bin/bun b.ts",
  "MOMO_TEST_RECORD=1 bun test",
  "bun test --path-ignore-patterns 'test/integration/**'",
  "bun test test/*.ts",
  "bun a.ts; bun b.ts",
  'bun "$HOME/a.ts"',
])("cmd.exe does not understand %s", (line) => expect(notForWindows(line)).not.toEqual([]));

test("set-up builds the page again when a file changes that is part of it", async () => {
  const [, list = ""] =
    /^const sources = (\[[^\]]*?),?\n?\];$/m.exec(readFileSync(join(ROOT, "scripts/setup.mjs"), "utf8")) ?? [];
  const page = join(ROOT, "sandbox/console/browser/page.html");
  const { metafile } = await Bun.build({ entrypoints: [page], target: "browser", root: ROOT, metafile: true });
  const files = Object.keys(metafile?.inputs ?? {}).map((name) => relative(ROOT, resolve(name)));
  const others = files.filter(
    (name) => !(JSON.parse(`${list}]`) as string[]).some((source) => name.startsWith(source)),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(others.filter((name) => !name.startsWith("node_modules/"))).toEqual([]); // the lock file stands for those
});
