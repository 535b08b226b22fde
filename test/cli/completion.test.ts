import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runMomo, serveMomo } from "../support/momo.ts";
import { KEYS, openMomo, type TerminalSession } from "../support/terminal.ts";

afterAll(cleanUp);

const server = await serveMomo(["--outcome", "manual"]);
await runMomo(["accounts", "create", "--name", "Till", ...server.at]);
const open = (await runMomo(["pay", "0712345678", "100", "-q", ...server.at])).stdout.trim();
const env = { MOMO_DATA: server.ready.data };

describe("momo complete offers what could come next", () => {
  const answered = async (...words: string[]) => {
    const { stdout, stderr, exitCode } = await runMomo(["complete", "--", ...words], { env });
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    return stdout.trimEnd().split("\n");
  };
  const offered = async (...words: string[]) =>
    (await answered(...words)).filter((line) => !line.startsWith(":")).map((line) => line.split("\t")[0]);
  const also = async (...words: string[]) => (await answered(...words)).at(-1);

  test.concurrent("commands, commands of commands, and options", async () => {
    expect(await offered("se")).toEqual(["serve"]);
    expect(await offered("")).toEqual(expect.arrayContaining(["serve", "pay", "rules", "faults", "default", "tail"]));
    expect(await offered("nothing-begins-so")).toEqual([]);
    expect(await offered("nosuch", "")).toEqual([]);
    expect(await offered("clock", "")).toEqual(["show", "freeze", "advance", "resume"]);
    expect(await offered("help", "clock", "f")).toEqual(["freeze"]);
    expect(await offered("pay", "--out")).toEqual(["--outcome"]);
  });

  test.concurrent("outcomes, statuses, kinds and formats", async () => {
    expect(await offered("pay", "0712345678", "1", "--outcome", "ins")).toEqual(["insufficient_funds"]);
    expect(await offered("answer", "1", "--outcome", "canc")).toEqual(["cancelled"]);
    expect(await offered("rules", "add", "wrong")).toEqual(["wrong_pin"]);
    expect(await offered("list", "--status", "")).toEqual(["pending", "completed", "failed", "cancelled", "expired"]);
    expect(await offered("list", "--type", "w")).toEqual(["web", "wallet_deposit"]);
    expect(await offered("pay", "--kind", "credit")).toEqual(["credit_topup"]);
    expect(await offered("env", "--format", "")).toEqual(["shell", "powershell", "dotenv", "github", "json"]);
  });

  test.concurrent("keys, accounts and open prompts of the running sandbox", async () => {
    expect(await offered("keys", "revoke", "")).toEqual([server.ready.api_key]);
    expect(await offered("pay", "--account", "")).toEqual(["1", "2"]);
    expect(await offered("status", "ws_")).toEqual([open]);
    expect(await offered("answer", "")).toEqual([open]);
    expect(await offered("phone", "")).toEqual(["254712345678"]);
  });

  test.concurrent("files where files belong, commands after exec --, and nothing elsewhere", async () => {
    expect(await also("export", "")).toBe(":files");
    expect(await also("serve", "--rules", "")).toBe(":files");
    expect(await also("list", "--data", "")).toBe(":files");
    expect(await also("exec", "--", "")).toBe(":commands");
    expect(await also("exec", "--", "npm", "")).toBe(":files");
    expect(await also("pay", "0712345678", "")).toBe(":");
  });
});

/** A folder with a `momo` in it, and a file that only files complete to. */
function shellFolder(): string {
  const folder = newFolder();
  const quoted = PROGRAM.map((word) => `'${word}'`).join(" ");
  writeFileSync(join(folder, "momo"), `#!/bin/sh\nexec ${quoted} "$@"\n`, { mode: 0o755 });
  writeFileSync(join(folder, "my-copy.backup"), "");
  writeFileSync(join(folder, "zz-mine"), "#!/bin/sh\n", { mode: 0o755 });
  return folder;
}

interface Shell {
  readonly name: string;
  readonly program: readonly string[];
  /** Reads the script, and says that it is ready. */
  readonly setUp: string;
}

const SHELLS: readonly Shell[] = [
  { name: "bash", program: ["bash", "--norc", "-i"], setUp: "source <(momo completion bash)" },
  {
    name: "zsh",
    program: ["zsh", "-f", "-i"],
    setUp: "autoload -Uz compinit && compinit -u -D && source <(momo completion zsh)",
  },
  { name: "fish", program: ["fish", "--no-config", "--interactive"], setUp: "momo completion fish | source" },
];

for (const { name, program, setUp } of SHELLS) {
  if (Bun.which(name) === null) {
    test(`Tab in a real ${name}: left out, it is not installed`, () => {});
    continue;
  }
  describe(`Tab in a real ${name}`, () => {
    const start = async (): Promise<TerminalSession & { folder: string }> => {
      const folder = shellFolder();
      const session = openMomo([], {
        program,
        cwd: folder,
        columns: 200,
        env: { ...env, PATH: `${folder}:${process.env.PATH}`, PS1: "$ ", SHELL: "/bin/sh" },
      });
      session.type(`${setUp}; echo rea''dy\r`);
      await session.screen.until(/^.*ready\r?\n/m);
      return { ...session, folder };
    };
    test("commands, values, files where they belong, commands after exec --; nothing of what was typed is run", async () => {
      const { screen, type, folder } = await start();
      for (const [typed, expected] of [
        ["momo clock fre", /momo clock freeze/],
        ["momo status ws", new RegExp(open)],
        ["momo import my-c", /my-copy\.backup/],
        ["momo exec -- zz-m", /exec -- zz-mine/],
        ["momo pay '$(touch made)' '`touch made`' --outcome insuff", /insufficient_funds/],
      ] as const) {
        type(typed + KEYS.tab);
        await screen.until(expected);
        type(KEYS.ctrlU);
      }
      type("exit\r");
      expect(readdirSync(folder).sort()).toEqual(["momo", "my-copy.backup", "zz-mine"]);
    });
  });
}

test.concurrent.each(["powershell"])("momo completion %s prints a script", async (shell) => {
  const { stdout, stderr, exitCode } = await runMomo(["completion", shell]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(stdout).toContain("momo complete --");
});
