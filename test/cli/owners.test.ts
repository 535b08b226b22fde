import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { runMomo, serveMomo } from "../support/momo.ts";
import { giveAway, OTHER_UID, testWithOtherUser } from "../support/other-user.ts";

afterAll(cleanUp);

const ended = await serveMomo();
await ended.stop();

/** A copy of the data directory of a server that has ended, with its key, and an address where somebody listens. */
async function trap() {
  const data = newFolder();
  cpSync(ended.ready.data, data, { recursive: true });
  const heard: string[] = [];
  const { port } = serveFake((request) => {
    heard.push(`${request.method} ${request.url} ${JSON.stringify([...request.headers])}`);
    return Response.json({ success: true, message: "thank you" });
  });
  const [base_url, control_url] = [`http://127.0.0.1:${port}/v2`, `http://127.0.0.1:${port}/_momo`];
  const record = { pid: 7, base_url, control_url, control_token: "a-token-of-a-server-of-ours" };
  writeFileSync(join(data, "server.json"), JSON.stringify(record), { mode: 0o600 });
  return { data, heard };
}

/** Each command that uses the data directory; but `phone`, which needs a terminal, and finds its server as `answer` does. */
const COMMANDS: readonly (readonly string[])[] = [
  ["serve", "--port", "0"],
  ["pay", "0712345678", "1"],
  ["status", "ws_CO_1"],
  ["list"],
  ["answer", "ws_CO_1", "--pin", "1234"],
  ["clock", "show"],
  ["reset"],
  ["merchants", "create", "--name", "Duka"],
  ["merchants", "list"],
  ["accounts", "list"],
  ["keys", "list"],
  ["env"],
  ["export", "copy"],
  ["import", "-"],
];

describe("a data directory of somebody else's is refused, and no secret goes to the port that it names", () => {
  for (const command of COMMANDS) {
    testWithOtherUser(`by momo ${command.join(" ")}`, async () => {
      const { data, heard } = await trap();
      giveAway(data);
      const before = readdirSync(data);
      const run = await runMomo([...command, "--data", data]);
      expect(run).toMatchObject({ stdout: "", exitCode: 1 });
      expect(run.stderr).toStartWith(`momo: ${data} belongs to another user (uid ${OTHER_UID})`);
      expect(heard).toEqual([]);
      expect(readdirSync(data)).toEqual(before);
    });
  }

  testWithOtherUser("through a link of ours, too", async () => {
    const { data, heard } = await trap();
    giveAway(data);
    const link = join(newFolder(), "link");
    symlinkSync(data, link);
    const run = await runMomo(["list", "--data", link]);
    expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("belongs to another user") });
    expect(heard).toEqual([]);
  });

  testWithOtherUser("doctor finds it, and reads nothing there", async () => {
    const { data, heard } = await trap();
    giveAway(data);
    const run = await runMomo(["doctor", "--json", "--port", "0", "--data", data]);
    expect(run.exitCode).toBe(1);
    const { findings } = JSON.parse(run.stdout) as { findings: { check: string; finding: string }[] };
    expect(findings.map(({ check }) => check)).toEqual(["owner", "port"]);
    expect(findings[0]?.finding).toContain(`${data} belongs to another user`);
    expect(heard).toEqual([]);
  });

  testWithOtherUser("it does not matter to a command whose flags say everything", async () => {
    const { data } = await trap();
    giveAway(data);
    const server = await serveMomo();
    const { base_url, api_key, api_secret } = server.ready;
    const env = {
      MOMO_BASE_URL: base_url.replace("127.0.0.1", "0.0.0.0"),
      MOMO_API_KEY: api_key,
      MOMO_API_SECRET: api_secret,
    };
    expect(await runMomo(["list", "--data", data], { env })).toMatchObject({ exitCode: 0, stderr: "" });
  });
});

describe("a file of somebody else's in a data directory of ours is refused, and nothing is sent where it leads", () => {
  for (const name of ["server.json", "credentials.json", "momo.db", "momo.lock"]) {
    testWithOtherUser(name, async () => {
      const { data, heard } = await trap();
      giveAway(join(data, name));
      for (const command of [["serve", "--port", "0"], ["list"], ["clock", "show"], ["merchants", "list"]]) {
        const run = await runMomo([...command, "--data", data]);
        expect(run).toMatchObject({ stdout: "", exitCode: 1 });
        expect(run.stderr).toStartWith(`momo: ${join(data, name)} belongs to another user`);
      }
      const doctor = await runMomo(["doctor", "--port", "0", "--data", data]);
      expect(doctor).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(`${name} belongs to another user`) });
      expect(heard).toEqual([]);
    });
  }
});

describe("a data directory into which others may write is warned of, in one line", () => {
  for (const [mode, who] of [
    [0o770, "the group of DATA may write into it"],
    [0o777, "everybody may write into DATA"],
  ] as const) {
    test.concurrent(`${mode.toString(8)}: by serve, by a command, and by doctor`, async () => {
      const data = join(newFolder(), "data");
      mkdirSync(data);
      chmodSync(data, mode);
      const said = `${who.replace("DATA", data)}`;
      const server = await serveMomo(["--data", data]);
      const line = `momo: ${said}; chmod go-w on it, or choose another folder with --data\n`;
      expect(server.child.stderr.text).toBe(line);
      expect(await runMomo(["list", "--data", data])).toMatchObject({ exitCode: 0, stderr: line });
      expect(await runMomo(["merchants", "list", "--data", data])).toMatchObject({ exitCode: 0, stderr: line });
      const doctor = await runMomo(["doctor", "--data", data]);
      expect(doctor).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(said) });
    });
  }

  test.concurrent("0755 is not: others may only look at the names", async () => {
    const data = newFolder();
    chmodSync(data, 0o755);
    const server = await serveMomo(["--data", data]);
    expect(await runMomo(["list", "--data", data])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(server.child.stderr.text).toBe("");
  });
});

describe("a control token file that others can read is warned of", () => {
  const warningsFor = async (prepare: (file: string) => void) => {
    const file = join(newFolder(), "token");
    writeFileSync(file, "a-control-token-of-our-own", { mode: 0o600 });
    prepare(file);
    const server = await serveMomo(["--control-token-file", file]);
    return server.child.stderr.text.replace(file, "FILE");
  };

  test.concurrent("0644 and 0640 are, 0600 is not", async () => {
    const line = "momo: others can read the token in FILE; chmod 600 it\n";
    expect(await warningsFor((file) => chmodSync(file, 0o644))).toBe(line);
    expect(await warningsFor((file) => chmodSync(file, 0o640))).toBe(line);
    expect(await warningsFor(() => {})).toBe("");
  });

  testWithOtherUser("so is one of somebody else's", async () => {
    expect(await warningsFor(giveAway)).toContain("the token in FILE belongs to another user");
  });
});
