import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { dataDirectoryAt, filesOf } from "../../cli/files/data-directory.ts";
import { unlessGone } from "../../cli/files/files.ts";
import { toFailure } from "../../cli/terminal/failure.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { contentsOf } from "../support/contents.ts";
import { expectRefusal, PROGRAM, type Run, runMomo, runToEnd, serveMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { rejectionOf } from "../support/waiting.ts";
import { usedDirectory } from "./used-directory.ts";

/** Files of other programs under the names of momo's, in a folder that a command is given as its data directory. */

afterAll(cleanUp);

const { used, copy } = await usedDirectory();

const otherDatabase = join(newFolder(), "other.db");
{
  using database = new Database(otherDatabase, { create: true });
  database.run("PRAGMA journal_mode = WAL");
  database.run("CREATE TABLE pages (text)");
  database.run("INSERT INTO pages VALUES ('a page of a wiki')");
}

const NAMES = filesOf(dataDirectoryAt("/")).map((file) => basename(file));
/** An empty one is an empty database, or a lock. */
const MAY_BE_EMPTY = NAMES.filter((name) => !name.endsWith(".json"));

type Put = (file: string) => void;
const text = (content: string | Uint8Array): Put => {
  return (file) => writeFileSync(file, content);
};

const FOREIGN: Readonly<Record<string, Put>> = {
  "an object of another program": text('{"name":"my server","port":8080,"base_url":"http://x/","pid":7}'),
  "an array": text("[1,2,3]\n"),
  "a text": text("notes of mine\n"),
  "half a record": text('{"merchant_id":1,"paym'),
  bytes: text(new Uint8Array([255, 254, 1, 2, 3])),
  "a database of another program": (file) => copyFileSync(otherDatabase, file),
  "a folder with a file": (file) => {
    mkdirSync(file);
    writeFileSync(join(file, "page"), "mine");
  },
  "a link to a file": (file) => {
    writeFileSync(`${file}-of-mine`, "mine");
    symlinkSync(`${file}-of-mine`, file);
  },
  "a link to nowhere": (file) => symlinkSync("nowhere", file),
  "a pipe": (file) => void Bun.spawnSync(["mkfifo", file]),
  "an empty file": text(""),
};

/** Every command that uses a data directory, but `phone`, which needs a terminal, and `mcp`, `open` and `tail`, which go on. */
const COMMANDS = [
  "serve --port 0",
  `import ${copy}`,
  `import ${copy} --replace --yes`,
  "export -",
  "merchants create --name Duka",
  "merchants list",
  "accounts list",
  "keys create",
  "keys revoke mk_1 --yes",
  "doctor --port 0",
  "doctor --port 0 --mend",
  "health",
  "pay 0712345678 5",
  "status 1",
  "list",
  "answer 1 --pin 1234",
  "clock show",
  "reset --yes",
  "env",
  "audit",
  "mcp",
  "open --print",
  "tail",
].map((line) => line.split(" "));

/** In this process, if it can run here; what serves is started here as well, and must be refused. */
async function run(words: readonly string[], data: string): Promise<Run> {
  if (words[0] !== "serve") return runMomo([...words, "--data", data]);
  const refusal = await rejectionOf(startIn(data));
  if (refusal === null) return { stdout: "it serves", stderr: "", exitCode: 0 };
  const { message, hint, exitCode } = toFailure(refusal);
  return { stdout: "", stderr: `${message}\n${hint}`, exitCode };
}

/** With the executable. */
const runProgram = (words: readonly string[], data: string) =>
  runToEnd([...PROGRAM, ...words, "--data", data], { stdin: "" });

async function expectUntouched(
  words: readonly string[],
  data: string,
  named: readonly string[],
  start = run,
): Promise<string> {
  const before = contentsOf(data);
  const { exitCode, stdout, stderr } = await start(words, data);
  expect(contentsOf(data)).toEqual(before);
  expect(exitCode).toBe(words[0] === "health" ? 6 : 1);
  const said = stdout + stderr;
  expect(said).toContain("choose another folder with --data");
  expect(said).not.toMatch(/\b(?:delete|remove)/);
  expect(named.some((name) => said.includes(join(data, name)))).toBe(true);
  expect(stderr).not.toMatch(/^\s+at /m);
  return said;
}

describe("a folder with a file of another program under a name of momo's is refused by its name, and nothing changes", () => {
  for (const name of NAMES) {
    const kinds = Object.entries(FOREIGN).filter(
      ([what]) => !(what === "an empty file" && MAY_BE_EMPTY.includes(name)),
    );
    test.concurrent.each(kinds)(`${name}: %s`, async (what, put) => {
      const data = newFolder();
      put(join(data, name));
      // The property below draws the other commands.
      for (const words of [["serve", "--port", "0"], ["import", copy, "--replace", "--yes"], ["list"]]) {
        const said = await expectUntouched(words, data, [name]);
        if (what.startsWith("a link")) expect(said).toContain(`${name} is a link, which momo does not follow`);
      }
    });

    test.concurrent(`${name}: also by the executable`, async () => {
      const data = newFolder();
      FOREIGN["an array"]?.(join(data, name));
      await expectUntouched(["serve", "--port", "0"], data, [name], runProgram);
    });
  }

  const drawn = fc.record({
    words: fc.constantFrom(...COMMANDS),
    foreign: fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom(...Object.keys(FOREIGN)), {
      minKeys: 1,
      maxKeys: 3,
    }),
    own: fc.subarray(readdirSync(used)),
    mode: fc.constantFrom(0o600, 0o644, 0o666),
    drafts: fc.subarray(["credentials.json.1.tmp", "server.json.22.tmp", "momo.db.3.tmp", "momo.db.3.tmp-wal"]),
  });

  test("any of them, with files of momo's beside them, for any command", async () => {
    const property = fc.asyncProperty(drawn, async ({ words, foreign, own, mode, drafts }) => {
      const data = newFolder();
      const named: string[] = [];
      for (const [name, what] of Object.entries(foreign)) {
        FOREIGN[what]?.(join(data, name));
        if (!(what === "an empty file" && MAY_BE_EMPTY.includes(name))) named.push(name);
      }
      fc.pre(named.length > 0);
      for (const name of own.filter((each) => !(each in foreign)))
        writeFileSync(join(data, name), await Bun.file(join(used, name)).bytes(), { mode });
      for (const name of drafts) writeFileSync(join(data, name), "not of momo", { mode });
      await expectUntouched(words, data, named);
    });
    await fc.assert(property, { numRuns: 60, endOnFailure: true });
  });
});

describe("a command that is refused for another reason changes nothing either", () => {
  test.concurrent("a taken port: no data directory is made", async () => {
    const { origin } = await startIn(newFolder());
    const { port } = new URL(origin);
    const data = join(newFolder(), "data");
    expectRefusal(await runProgram(["serve", "--port", port], data), 1, `127.0.0.1:${port} is in use by another momo`);
    const refused = await runProgram(["serve", "--port", "0", "--control-port", port], data);
    expectRefusal(refused, 1, "--control-port");
    expect(readdirSync(join(data, ".."))).toEqual([]);
  });

  test.concurrent("half a key in the environment: no data directory is made", async () => {
    const data = join(newFolder(), "data");
    const refused = await runMomo(["serve", "--port", "0", "--data", data], { env: { MOMO_API_KEY: "mk_1" } });
    expectRefusal(refused, 2, "MOMO_API_SECRET is not");
    expect(readdirSync(join(data, ".."))).toEqual([]);
  });

  test.concurrent("an import of no database, or without --replace", async () => {
    const data = newFolder();
    writeFileSync(join(data, "notes.txt"), "mine");
    const wrong = join(data, "notes.txt");
    for (const [words, says] of [
      [["import", wrong], "is damaged or not a database"],
      [["import", otherDatabase], "is not a database of momo's"],
      [["import", `${wrong}.gone`], "there is no file"],
    ] as const) {
      const before = contentsOf(data);
      expect((await run(words, data)).stderr).toContain(says);
      expect(contentsOf(data)).toEqual(before);
    }
    copyFileSync(copy, join(data, "momo.db"));
    const before = contentsOf(data);
    expect((await run(["import", copy], data)).stderr).toContain("already exists, and would be lost");
    expect(contentsOf(data)).toEqual(before);
  });

  test.concurrent("MOMO_DATA names a file", async () => {
    const data = join(newFolder(), "file");
    writeFileSync(data, "mine");
    for (const words of [["serve", "--port", "0"], ["list"], ["merchants", "list"], ["import", copy]])
      expectRefusal(await runMomo(words, { env: { MOMO_DATA: data } }), 1, `${data} is not a folder`);
    expect(await Bun.file(data).text()).toBe("mine");
  });
});

test.concurrent("files of another program that appear under a running server stay when it stops", async () => {
  const data = newFolder();
  const server = await serveMomo(["--data", data]);
  writeFileSync(join(data, "server.json"), "mine");
  writeFileSync(join(data, "clock.json"), "mine too");
  await server.control("POST", "/clock", { advance: "1s" });
  await server.stop();
  const { "server.json": record, "clock.json": clock } = contentsOf(data);
  expect([record, clock]).toEqual([
    expect.stringContaining(Buffer.from("mine").toString("base64")),
    expect.stringContaining(Buffer.from("mine too").toString("base64")),
  ]);
});

test("a file that another momo removes while it is judged is no failure, and one that stays is", () => {
  const file = join(newFolder(), "momo.db-shm");
  const cannotBeRead = () => {
    throw new Error("it cannot be read");
  };
  writeFileSync(file, "");
  expect(() => unlessGone(file, cannotBeRead)).toThrow("it cannot be read");
  const goes = () => {
    rmSync(file);
    cannotBeRead();
  };
  expect(unlessGone(file, goes)).toBeNull();
});
