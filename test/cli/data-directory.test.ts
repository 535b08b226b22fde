import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { defaultPlace, watchFolder } from "../../cli/serving/data-directory.ts";
import { prepareReadyFile } from "../../cli/serving/ready.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runMomo, runToEnd, serveMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { rejectionOf } from "../support/waiting.ts";

afterAll(cleanUp);

/** A data directory that a server has made, with the record of a moved clock. */
const model = newFolder();
beforeAll(async () => {
  const sandbox = await startIn(model);
  await sandbox.control("POST", "/clock", { advance: "1s" });
  await sandbox.stop();
});

function copyOfModel(): string {
  const data = newFolder();
  for (const name of readdirSync(model)) copyFileSync(join(model, name), join(data, name));
  return data;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test.each([
  ["linux", { home: "/home/a" }, "/home/a/.local/share/momo"],
  ["linux", { home: "/home/a", xdgDataHome: "/data" }, "/data/momo"],
  ["linux", { home: "/home/a", xdgDataHome: "data" }, "/home/a/.local/share/momo"],
  ["darwin", { home: "/Users/a" }, "/Users/a/Library/Application Support/momo"],
  ["win32", { home: "C:\\Users\\a", localAppData: "D:\\Local", xdgDataHome: "/d" }, "D:\\Local\\momo"],
  ["win32", { home: "C:\\Users\\a" }, "C:\\Users\\a\\AppData\\Local\\momo"],
  ["darwin", { home: null }, null],
] as const)("on %s with %j the data directory is %p", (platform, folders, place) => {
  expect(defaultPlace(platform, folders)).toBe(place);
});

/** sessions/serve.txt has the refusal of each of its files. */
describe("no link is followed out of the data directory", () => {
  test.each(["momo.db", "momo.lock"])("%s: nothing is made where a link leads", async (name) => {
    const data = newFolder();
    const target = join(newFolder(), "target");
    symlinkSync(target, join(data, name));
    expect(await rejectionOf(startIn(data))).not.toBeNull();
    await runMomo(["merchants", "create", "--name", "A", "--data", data]);
    expect(existsSync(target)).toBe(false);
  });

  test.each([
    ["server.json", (file: string) => startIn(join(file, ".."))],
    ["a ready file", async (file: string) => prepareReadyFile(file).write({ pid: 1 })],
  ])("%s is replaced, not written through", async (_what, write) => {
    const file = join(copyOfModel(), "server.json");
    const target = join(newFolder(), "target");
    writeFileSync(target, "not momo's");
    symlinkSync(target, file);
    await write(file);
    expect(readFileSync(target, "utf8")).toBe("not momo's");
    expect(lstatSync(file).isFile()).toBe(true);
    expect(modeOf(file)).toBe("600");
  });

  test("the data directory itself may be reached by a link", async () => {
    const link = join(newFolder(), "link");
    symlinkSync(copyOfModel(), link);
    expect(await (await startIn(link)).pay()).toStartWith("ws_CO_");
  });
});

test("an existing data directory keeps its mode and other files; only the owner may read momo's files", async () => {
  const data = copyOfModel();
  // A killed server leaves these.
  for (const name of ["momo.db-wal", "momo.db-shm"]) writeFileSync(join(data, name), "not empty");
  // Each way in which others may read one: the group alone, the others alone, both.
  for (const [index, name] of readdirSync(data).sort().entries()) {
    chmodSync(join(data, name), [0o640, 0o604, 0o644][index % 3] ?? 0);
  }
  const other = join(data, "notes.txt");
  writeFileSync(other, "mine");
  chmodSync(other, 0o644);
  chmodSync(data, 0o755);
  await startIn(data);
  expect([modeOf(data), modeOf(other)]).toEqual(["755", "644"]);
  for (const name of readdirSync(data)) {
    if (name !== "notes.txt") expect([name, modeOf(join(data, name))]).toEqual([name, "600"]);
  }
});

describe("a secret is not shown", () => {
  test.concurrent("by the list of processes: neither a server nor a wrapped command has one in its title", async () => {
    const token = join(newFolder(), "token");
    writeFileSync(token, "a-control-token-of-our-own");
    const server = await serveMomo(["--host", "0.0.0.0", "--control-token-file", token]);
    const title = readFileSync(`/proc/${server.child.pid}/cmdline`, "utf8");
    expect(title).toContain("serve");
    expect(title).not.toContain(server.ready.api_secret);
    expect(title).not.toContain("a-control-token-of-our-own");
    const script = '"$@" exec -- sh -c \'cat /proc/$$/cmdline /proc/$PPID/cmdline; echo; echo "$MOMO_API_SECRET"\'';
    const { stdout } = await runToEnd(["sh", "-c", script, "sh", ...PROGRAM]);
    const [titles = "", secretOfExec = ""] = stdout.split("\n");
    expect(secretOfExec).toMatch(/^ms_/);
    expect(titles).not.toContain(secretOfExec);
  });
});

test("a server whose payments are in PostgreSQL notices that its folder was moved, and that it is back", () => {
  const folder = newFolder();
  const look = watchFolder(folder);
  expect(look()).toBeNull();
  renameSync(folder, `${folder}-moved`);
  expect(look()?.message).toContain(`the folder ${folder} was moved or removed`);
  mkdirSync(folder);
  expect(look()).not.toBeNull();
  rmdirSync(folder);
  renameSync(`${folder}-moved`, folder);
  expect(look()).toBeNull();
});
