import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { completions } from "../../cli/run.ts";
import { cleanUp, newFolder, newProgramFolder } from "../support/cleanup.ts";
import { PROGRAM, runMomo } from "../support/momo.ts";
import { testWith } from "../support/needs.ts";
import { startIn } from "../support/sandbox.ts";
import { KEYS, openMomo } from "../support/terminal.ts";

afterAll(cleanUp);

const sandbox = await startIn(newFolder());
await sandbox.control("POST", "/accounts", { name: "Till" });
const open = await sandbox.pay({}, "manual");
const { api_key: gone } = await sandbox.control("POST", "/keys", { label: "gone" });
await sandbox.control("DELETE", `/keys/${gone}`);

const at = sandbox.at.join(" ");

/** The typed words and the offered ones; after a colon the character that the shell adds. */
const OFFERED: [typed: string, offered: string][] = [
  ["se", "serve :"],
  ["nothing-begins-so", ":"],
  ["nosuch ", ":"],
  ["clock ", "show freeze advance resume :"],
  ["help clock f", "freeze :"],
  ["pay --out", "--outcome :"],
  ["pay 0712345678 1 --outcome ins", "insufficient_funds :"],
  ["answer 1 --outcome canc", "cancelled :"],
  ["rules add wrong", "wrong_pin :"],
  ["list --status ", "pending completed failed cancelled expired :"],
  ["list --type w", "web wallet_deposit :"],
  ["pay --kind credit", "credit_topup :"],
  ["env --format ", "shell powershell dotenv github json :"],
  [`keys revoke ${at} `, `${sandbox.headers["X-API-Key"]} :`],
  [`pay ${at} --account `, "1 2 :"],
  [`status ${at} ws_`, `${open} :`],
  [`answer ${at} `, `${open} :`],
  [`phone ${at} `, "254712345678 :"],
  ["export ", ":files"],
  ["serve --rules ", ":files"],
  ["list --data ", ":files"],
  ["exec -- ", ":commands"],
  ["exec -- npm ", ":files"],
  ["pay 0712345678 ", ":"],
];
test.concurrent.each(OFFERED)("momo %s: %s", async (typed, expected) => {
  const lines = (await completions(typed.split(" "), "1.0.0")).trimEnd().split("\n");
  expect(lines.map((line) => line.split("\t")[0]).join(" ")).toBe(expected);
});

test.concurrent("momo complete prints it: a word, a tab and a description on each line", async () => {
  const { stdout, stderr, exitCode } = await runMomo(["complete", "--", ""]);
  expect(stdout).toMatch(/^serve\t\w.*\n(?:[a-z]+\t.*\n)+:\n$/);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
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
    ["momo import my-c", /my-copy\.backup/],
    ["momo exec -- zz-m", /exec -- zz-mine/],
    ["momo pay '$(touch made)' '`touch made`' --outcome insuff", /insufficient_funds/],
  ] as const) {
    type(typed + KEYS.tab);
    await screen.until(completed);
    type(KEYS.ctrlU);
  }
  type("exit\r");
  // fish may leave a hidden file here.
  const files = readdirSync(folder).filter((name) => !name.startsWith("."));
  expect(files.sort()).toEqual(["momo", "my-copy.backup", "zz-mine"]);
}

test.concurrent("momo completion powershell prints a script", async () => {
  const { stdout, stderr, exitCode } = await runMomo(["completion", "powershell"]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(stdout).toContain("momo complete --");
});
