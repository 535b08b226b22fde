import { afterAll, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { ROOT } from "./support/binary.ts";
import { cleanUp, newProgramFolder } from "./support/cleanup.ts";
import { runToEnd } from "./support/momo.ts";
import { testWith } from "./support/needs.ts";

afterAll(cleanUp);

testWith(
  ["node"],
  "set-up installs a changed lock file with npm or Bun, again after a failure, and builds a changed page; stdout stays empty",
  async () => {
    const clone = newProgramFolder();
    const page = "sandbox/console/browser/page.html";
    const views = "sandbox/console/browser/views";
    for (const name of ["scripts", views, "sandbox/console/dist", "sandbox/network", "src/domain"])
      mkdirSync(join(clone, name), { recursive: true });
    copyFileSync(join(ROOT, "scripts/setup.mjs"), join(clone, "scripts/setup.mjs"));
    const put = (name: string, text: string) => writeFileSync(join(clone, name), text, { mode: 0o755 });
    for (const name of [
      "package-lock.json",
      "sandbox/curl.ts",
      "sandbox/fault-kinds.ts",
      page,
      join(views, "list.tsx"),
    ])
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
