import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { completions } from "../../cli/run.ts";
import { cleanUp, newFolder, newProgramFolder } from "../support/cleanup.ts";
import { TestIo } from "../support/io.ts";
import { KEYS, openMomo, PROGRAM, runMomo } from "../support/momo.ts";
import { testWith } from "../support/needs.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const sandbox = await startIn(newFolder());
await sandbox.control("POST", "/accounts", { name: "Till" });
const open = await sandbox.pay({}, "manual");
const { api_key: gone } = await sandbox.control("POST", "/keys", { label: "gone" });
await sandbox.control("DELETE", `/keys/${gone}`);

/** The typed words and the offered ones; after a colon the character that the shell adds. */
const OFFERED: [typed: string, offered: string][] = [
  ["se", "serve :"],
  ["nothing-begins-so", ":"],
  ["clock ", "show freeze advance resume :"],
  ["help clock f", "freeze :"],
  ["pay --out", "--outcome :"],
  ["pay --outcome=canc", "--outcome=cancelled :"],
  ["serve --rules=", ":files"],
  ["pay 0712345678 1 --outcome ins", "insufficient_funds :"],
  ["list --status ", "pending completed failed cancelled expired :"],
  ["env --format ", "shell powershell dotenv github json :"],
  [`keys revoke ${sandbox.at.join(" ")} `, `${sandbox.headers["X-API-Key"]} :`],
  [`pay ${sandbox.at.join(" ")} --account `, "1 2 :"],
  [`status ${sandbox.at.join(" ")} ws_`, `${open} :`],
  [`status ${sandbox.at.join(" ")} --base-url http://127.0.0.1:1/v2 ws_`, ":"], // it is not this sandbox
  [`answer ${sandbox.at.join(" ")} `, `${open} :`],
  ["export ", ":files"],
  ["exec --audit -- ", ":commands"],
  ["exec --audit -- npm ", ":files"],
  ["pay 0712345678 ", ":"],
  ["rules add --phone 0712345678 wrong", "wrong_pin :"],
  ["help i", "import install intercept :"],
  ["exec ", "-- :commands"],
  ["completion ", "bash zsh fish powershell :"],
  [`answer -q ${sandbox.at.join(" ")} `, `${open} :`],
  [`keys list ${sandbox.at.join(" ")} --merchant `, "1 :"],
  [`list ${sandbox.at.join(" ")} --api-key `, `${sandbox.headers["X-API-Key"]} :`],
  [`phone ${sandbox.at.join(" ")} 254 `, "254712345678 :"],
];
// One after another: what a sandbox does not answer in 1.5 s is not offered.
test.each(OFFERED)("momo %s: %s", async (typed, expected) => {
  const lines = (await completions(new TestIo(), typed.split(" "), "1.0.0")).trimEnd().split("\n");
  expect(lines.map((line) => line.split("\t")[0]).join(" ")).toBe(expected);
});

/** How each shell starts without the user's settings, and how it reads the script. */
const SHELLS: [name: "bash" | "zsh" | "fish", flags: string, setUp: string][] = [
  ["bash", "--norc -i", "source <(momo completion bash)"],
  ["zsh", "-f -i", "autoload -Uz compinit && compinit -u -D && source <(momo completion zsh)"],
  ["fish", "--no-config --interactive", "momo completion fish | source"],
];

describe("Tab in a real shell completes, and runs nothing of what was typed", () => {
  for (const [name, flags, setUp] of SHELLS) {
    testWith([name], name, () => expectCompletion([name, ...flags.split(" ")], setUp));
  }
});

testWith(["zsh"], "zsh without compinit is told what comes first", async () => {
  const { stdout: script } = await runMomo(["completion", "zsh"]);
  const run = Bun.spawnSync(["zsh", "-f", "-c", script], { stdout: "pipe", stderr: "pipe" });
  expect([run.stdout.toString(), run.stderr.toString()]).toEqual([
    "",
    "momo: completion needs compinit: put autoload -Uz compinit && compinit before this line\n",
  ]);
});

const TYPE_AGAIN_MS = 5000;
const MOST_TIMES = 20;

async function expectCompletion(program: readonly string[], setUp: string): Promise<void> {
  const folder = newProgramFolder();
  const momo = PROGRAM.map((word) => `'${word}'`).join(" ");
  writeFileSync(join(folder, "momo"), `#!/bin/sh\nexec ${momo} "$@"\n`, { mode: 0o755 });
  writeFileSync(join(folder, "zz-mine"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(join(folder, "my-copy.backup"), "");
  const PATH = `${folder}:${process.env.PATH}`;
  const env = { MOMO_DATA: sandbox.at[1], PATH, PS1: "$ ", SHELL: "/bin/sh" };
  const { screen, type } = openMomo([], { program, cwd: folder, columns: 200, env });
  type(`${setUp}; echo rea''dy\r`);
  await screen.until(/^.*ready\r?\n/m);
  for (const [typed, completed] of [
    ["momo clock fre", /momo clock freeze/],
    ["momo status ws", new RegExp(open)],
    ["momo pay --outcome=insuff", /--outcome=insufficient_funds/],
    ["momo list --base-url http://127.0.0.1:1/v2 --sta", /\/v2 --status/],
    ["momo import my-c", /my-copy\.backup/],
    ["momo exec -- zz-m", /exec -- zz-mine/],
    ["momo pay '$(touch made)' '`touch made`' --outcome insuff", /insufficient_funds/],
  ] as const) {
    // A completion that needs the sandbox offers nothing if the answer takes too long, so this types again until it comes.
    for (let time = 1; ; time += 1) {
      type(KEYS.ctrlU + typed + KEYS.tab);
      if (await Promise.race([screen.until(completed), Bun.sleep(TYPE_AGAIN_MS)])) break;
      if (time === MOST_TIMES) throw new Error(`${typed} is not completed`);
    }
    type(KEYS.ctrlU);
  }
  type("exit\r");
  // fish may leave a hidden file here.
  const files = readdirSync(folder).filter((name) => !name.startsWith("."));
  expect(files.sort()).toEqual(["momo", "my-copy.backup", "zz-mine"]);
}
