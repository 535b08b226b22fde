import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { builtBinary, ROOT } from "./binary.ts";
import { newFolder } from "./cleanup.ts";
import { type Run, runToEnd, serveMomo } from "./momo.ts";

/** The documents that people read, and their parts. */

export interface Document {
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
}

export const readDocument = (path: string): Document => ({ path, text: readFileSync(join(ROOT, path), "utf8") });

/** README and all of docs/. */
export const USER_DOCUMENTS: readonly Document[] = [
  "README.md",
  ...[...new Bun.Glob("docs/*.md").scanSync({ cwd: ROOT })].sort(),
].map(readDocument);

/** The blocks of a document in one language. */
export const blocksOf = ({ text }: Document, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, block = ""]) => block);

/** The text without code: code has no links and no headings. */
const proseOf = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "");

/** The targets of links and pictures. */
export const linksOf = ({ text }: Document): string[] =>
  [...proseOf(text).matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g)].map(
    ([, link, attribute]) => link ?? attribute ?? "",
  );

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf({ text }: Document): Set<string> {
  const headings = [...text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.*)$/gm)];
  return new Set(headings.map(([, heading = ""]) => anchorOf(heading)));
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

/** A reader of the documents: a new folder, momo on the path, and a running server. `cleanUp` ends it. */
export interface Session {
  readonly folder: string;
  /** What `momo env` prints for the server. */
  readonly variables: Readonly<Record<string, string>>;
  /** Runs a script in bash, as a reader would paste it. */
  run(script: string, more?: Readonly<Record<string, string>>): Promise<Run>;
  /** The same while the sandbox's clock runs fast, so that no command waits for the simulated network. */
  runWithFastClock(script: string, more?: Readonly<Record<string, string>>): Promise<Run>;
}

/** Go needs no C compiler, and compiles its library once. */
export const GO = { CGO_ENABLED: "0", GOCACHE: join(homedir(), ".cache/go-build") };

export async function startSession(): Promise<Session> {
  const folder = newFolder();
  symlinkSync(await builtBinary(), join(folder, "momo"));
  writeTestFiles(folder);
  const environment = {
    PATH: `${folder}:${process.env.PATH}`,
    HOME: folder,
    MOMO_DATA: join(folder, "data"),
    npm_config_update_notifier: "false",
    ...GO,
  };
  const { ready } = await serveMomo(["--data", environment.MOMO_DATA]);
  // A reader has sent requests before: an audit of a server without any says so.
  const headers = { "X-API-Key": ready.api_key, "X-API-Secret": ready.api_secret };
  await fetch(`${ready.base_url}/transactions.php`, { headers });

  const run: Session["run"] = (script, more = {}) =>
    runToEnd(["bash", "-euo", "pipefail", "-c", script], { cwd: folder, env: { ...environment, ...more } });

  return {
    folder,
    variables: {
      MOMO_BASE_URL: ready.base_url,
      MOMO_API_KEY: ready.api_key,
      MOMO_API_SECRET: ready.api_secret,
      MOMO_PAYMENT_ACCOUNT_ID: String(ready.payment_account_id),
      MOMO_CONTROL_URL: ready.control_url,
    },
    run,
    async runWithFastClock(script, more) {
      let hasEnded = false;
      const result = run(script, more).finally(() => {
        hasEnded = true;
      });
      while (!hasEnded) {
        const headers = { "Content-Type": "application/json" };
        await fetch(`${ready.control_url}/clock`, { method: "POST", headers, body: '{"advance":"1s"}' });
        await Promise.race([result, Bun.sleep(20)]);
      }
      return result;
    },
  };
}

/** A client that is not momo itself, which an audit does not count. */
const LIST =
  'curl -s "$MOMO_BASE_URL/transactions.php" -H "X-API-Key: $MOMO_API_KEY" -H "X-API-Secret: $MOMO_API_SECRET"';

/** The test files of a reader who tests in shell, and of one who tests with npm. */
function writeTestFiles(folder: string): void {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { test: LIST } }));
  mkdirSync(join(folder, "tests"));
  for (const name of ["a", "b"]) {
    const pay = `momo pay 0712345678 100 --reference ${name} --outcome "completed; after=10ms" --wait --interval 50ms -q`;
    writeFileSync(join(folder, `tests/${name}.sh`), `${pay} && test "$(momo list -q | wc -l)" -eq 1\n`);
  }
}
