import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runMomo, runToEnd, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

/** A data directory that a server has made, for copies. */
let model: string;
beforeAll(async () => {
  const server = await serveMomo();
  model = server.ready.data;
  await fetch(`${server.ready.control_url}/clock`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: '{"advance":"1s"}',
  });
  await server.stop();
});

function copyOfModel(): string {
  const data = newFolder();
  for (const name of readdirSync(model)) copyFileSync(join(model, name), join(data, name));
  return data;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe("no symlink is followed out of the data directory", () => {
  for (const name of ["momo.db", "momo.db-wal", "momo.db-shm", "momo.lock", "credentials.json", "clock.json"]) {
    test.concurrent(`${name}: momo serve refuses, and what it leads to stays as it was`, async () => {
      const data = copyOfModel();
      const elsewhere = join(newFolder(), "elsewhere");
      if (existsSync(join(data, name))) copyFileSync(join(data, name), elsewhere);
      else writeFileSync(elsewhere, "somebody's");
      chmodSync(elsewhere, 0o644);
      const before = readFileSync(elsewhere);
      await runToEnd(["rm", "-f", join(data, name)]);
      symlinkSync(elsewhere, join(data, name));
      const run = await runMomo(["serve", "--port", "0", "--data", data]);
      expect(run).toMatchObject({ stdout: "", exitCode: 1 });
      expect(run.stderr).toStartWith(`momo: ${join(data, name.replace(/-.*/, ""))}`);
      expect(readFileSync(elsewhere).equals(before)).toBe(true);
      expect(modeOf(elsewhere)).toBe("644");
      expect(lstatSync(join(data, name)).isSymbolicLink()).toBe(true);
    });
  }

  test.concurrent("momo.db and momo.lock: nothing is made where a link leads", async () => {
    for (const name of ["momo.db", "momo.lock"]) {
      const data = newFolder();
      const elsewhere = join(newFolder(), "elsewhere");
      symlinkSync(elsewhere, join(data, name));
      expect((await runMomo(["serve", "--port", "0", "--data", data])).exitCode).toBe(1);
      expect((await runMomo(["merchants", "create", "--name", "A", "--data", data])).exitCode).toBe(
        name === "momo.db" ? 1 : 0,
      );
      expect(existsSync(elsewhere)).toBe(false);
    }
  });

  test.concurrent("server.json: it is replaced, not written through", async () => {
    const data = copyOfModel();
    const elsewhere = join(newFolder(), "elsewhere");
    writeFileSync(elsewhere, "somebody's");
    symlinkSync(elsewhere, join(data, "server.json"));
    await serveMomo(["--data", data]);
    expect(readFileSync(elsewhere, "utf8")).toBe("somebody's");
    expect(lstatSync(join(data, "server.json")).isFile()).toBe(true);
  });

  test.concurrent("--ready-file too", async () => {
    const folder = newFolder();
    const [file, elsewhere] = [join(folder, "ready"), join(folder, "elsewhere")];
    writeFileSync(elsewhere, "somebody's");
    symlinkSync(elsewhere, file);
    await serveMomo(["--ready-file", file]);
    expect(readFileSync(elsewhere, "utf8")).toBe("somebody's");
    expect(modeOf(file)).toBe("600");
  });

  test.concurrent("a pipe in the place of a record does not hold the command", async () => {
    const data = copyOfModel();
    await runToEnd(["sh", "-c", `rm '${data}/credentials.json'; mkfifo '${data}/credentials.json'`]);
    const run = await runMomo(["serve", "--port", "0", "--data", data]);
    expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("credentials.json") });
  });

  test.concurrent("the data directory itself may be reached by a link", async () => {
    const link = join(newFolder(), "link");
    symlinkSync(copyOfModel(), link);
    expect((await (await serveMomo(["--data", link])).get("/transactions.php")).status).toBe(200);
  });
});

describe("a data directory that exists", () => {
  test.concurrent("keeps its mode, 0755 say; the files of momo's in it become the owner's alone, and others stay", async () => {
    const data = copyOfModel();
    const other = join(data, "notes.txt");
    writeFileSync(other, "mine");
    // Each way in which others may read one: the group alone, the others alone, both.
    for (const [index, name] of readdirSync(data).sort().entries()) {
      chmodSync(join(data, name), [0o640, 0o604, 0o644][index % 3] ?? 0);
    }
    chmodSync(other, 0o644);
    chmodSync(data, 0o755);
    const server = await serveMomo(["--data", data]);
    expect(modeOf(data)).toBe("755");
    expect(modeOf(other)).toBe("644");
    for (const name of readdirSync(data))
      if (name !== "notes.txt") expect([name, modeOf(join(data, name))]).toEqual([name, "600"]);
    await server.stop();
    expect(server.child.stderr.text).toBe("");
  });

  test.concurrent("is served, and told of, where everybody may write into it; doctor says so too", async () => {
    const data = join(newFolder(), "data");
    mkdirSync(data);
    chmodSync(data, 0o777);
    const server = await serveMomo(["--data", data]);
    await server.stop();
    expect(server.child.stderr.text).toStartWith(`momo: everybody may write into ${data}; chmod`);
    const doctor = await runMomo(["doctor", "--data", data, "--port", "0"]);
    expect(doctor).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(`everybody may write into ${data}`) });
  });
});

describe("a secret is not shown", () => {
  const secret = `ms_${"a1b2".repeat(10)}`;

  test.concurrent.each([
    [["clock", "show", `--api-secret=${secret}`]],
    [["pay", "0712345678", secret]],
    [[secret]],
    [["list", "--id", secret]],
    [["merchants", "list", "--json", `--wrong=${secret}`]],
  ])("by the refusal of momo %p", async (args) => {
    const { stdout, stderr, exitCode } = await runMomo(args);
    expect(exitCode).not.toBe(0);
    expect(stdout + stderr).not.toContain(secret);
  });

  test.concurrent("by doctor, which is shown to others", async () => {
    const env = {
      MOMO_BASE_URL: "http://me:hunter2@127.0.0.1:1/v2",
      MOMO_CONTROL_URL: "me:hunter2@x",
      MOMO_API_SECRET: secret,
    };
    const { stdout } = await runMomo(["doctor", "--port", "0"], { env });
    expect(stdout).toContain("MOMO_BASE_URL");
    expect(stdout).not.toContain("hunter2");
    expect(stdout).not.toContain(secret);
  });

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
