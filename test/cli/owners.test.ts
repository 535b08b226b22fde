import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataDirectoryAt, filesOf } from "../../cli/files/data-directory.ts";
import { removeDrafts } from "../../cli/files/leftovers.ts";
import { locateDataDirectory, makeDataDirectory, openTo } from "../../cli/files/own-directory.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { TestIo } from "../support/io.ts";
import { expectRefusal, runMomo, serveMomo } from "../support/momo.ts";
import { giveAway, OTHER_UID, testWithOtherUser } from "../support/needs.ts";
import { startIn } from "../support/sandbox.ts";
import { writeServerRecord } from "./used-directory.ts";

afterAll(cleanUp);

const model = await startIn(newFolder());

/** A data directory with a key, and with the record of a server that keeps the requests that it gets. */
function dataWithRecord() {
  const data = newFolder();
  const { port, requests } = serveFake(() => Response.json({ success: true, message: "thank you" }));
  writeServerRecord(data, `http://127.0.0.1:${port}`, { pid: 7, control_token: "a-token-of-a-server-of-ours" });
  const key = { merchant_id: 1, payment_account_id: 1, api_key: "mk_ours", api_secret: "ms_ours" };
  writeFileSync(join(data, "credentials.json"), JSON.stringify(key), { mode: 0o600 });
  return { data, requests };
}

describe("a data directory of another user is refused, and no secret goes to the port that it names", () => {
  /** Each command that uses it, except `phone`, which needs a terminal and finds its server as `answer` does. */
  const COMMANDS = [
    "serve --port 0",
    "pay 0712345678 1",
    "status ws_CO_1",
    "list",
    "answer ws_CO_1 --pin 1234",
    "clock show",
    "reset",
    "merchants create --name Duka",
    "merchants list",
    "accounts list",
    "keys list",
    "env",
    "export copy",
    "import -",
  ];
  for (const command of COMMANDS) {
    testWithOtherUser(`by momo ${command}`, async () => {
      const { data, requests } = dataWithRecord();
      giveAway(data);
      const before = readdirSync(data);
      const run = await runMomo([...command.split(" "), "--data", data]);
      expect(run).toMatchObject({ stdout: "", exitCode: 1 });
      expect(run.stderr).toStartWith(`momo: ${data} belongs to another user (uid ${OTHER_UID})`);
      expect(requests).toEqual([]);
      expect(readdirSync(data)).toEqual(before);
    });
  }

  testWithOtherUser("through our own link, too", async () => {
    const { data } = dataWithRecord();
    giveAway(data);
    const link = join(newFolder(), "link");
    symlinkSync(data, link);
    expect(() => locateDataDirectory(new TestIo(), link)).toThrow(`${link} belongs to another user`);
  });

  testWithOtherUser("doctor finds it, and reads nothing there", async () => {
    const { data, requests } = dataWithRecord();
    giveAway(data);
    const run = await runMomo(["doctor", "--json", "--port", "0", "--data", data]);
    expect(run.exitCode).toBe(1);
    const { findings } = JSON.parse(run.stdout) as { findings: { check: string; finding: string }[] };
    expect(findings.map(({ check }) => check)).toEqual(["owner", "port"]);
    expect(findings[0]?.finding).toContain(`${data} belongs to another user`);
    expect(requests).toEqual([]);
  });

  testWithOtherUser("a command ignores it if variables name the server and the key", async () => {
    const { data } = dataWithRecord();
    giveAway(data);
    const env = { ...model.env, MOMO_BASE_URL: model.baseUrl.replace("127.0.0.1", "0.0.0.0"), MOMO_DATA: data };
    expect(await runMomo(["list"], { env })).toMatchObject({ exitCode: 0, stderr: "" });
  });
});

describe("a file of another user in our data directory is refused, and nothing is sent to the address in it", () => {
  testWithOtherUser("each file of momo's, by a command and at the start of a server", async () => {
    for (const file of filesOf(dataDirectoryAt(newFolder()))) {
      writeFileSync(file, "");
      giveAway(file);
      const data = join(file, "..");
      expect(() => locateDataDirectory(new TestIo(), data)).toThrow(`${file} belongs to another user`);
      expect(() => makeDataDirectory(dataDirectoryAt(data), () => {})).toThrow(`${file} belongs to another user`);
      rmSync(file);
    }
  });

  testWithOtherUser("server.json, by momo list and by doctor", async () => {
    const { data, requests } = dataWithRecord();
    giveAway(join(data, "server.json"));
    const refusal = `${join(data, "server.json")} belongs to another user`;
    const run = await runMomo(["list", "--data", data]);
    expectRefusal(run, 1, refusal);
    const doctor = await runMomo(["doctor", "--port", "0", "--data", data]);
    expect(doctor).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(refusal) });
    expect(requests).toEqual([]);
  });
});

describe("one line warns of a data directory that others may write into", () => {
  test.each([
    [0o770, "the group of DATA may write into it"],
    [0o702, "everybody may write into DATA"],
    [0o777, "everybody may write into DATA"],
    [0o755, null],
  ])("%o: %p", (mode, said) => {
    const data = newFolder();
    chmodSync(data, mode);
    expect(openTo(data)).toBe(said?.replace("DATA", data) ?? null);
  });

  test.concurrent("by serve, by commands with and without a server, and by doctor", async () => {
    const data = join(newFolder(), "data");
    mkdirSync(data);
    chmodSync(data, 0o777);
    const said = `everybody may write into ${data}`;
    const line = `momo: ${said}; chmod go-w on it, or choose another folder with --data\n`;
    const server = await serveMomo(["--data", data]);
    expect(await runMomo(["list", "--data", data])).toMatchObject({ exitCode: 0, stderr: line });
    expect(await runMomo(["merchants", "list", "--data", data])).toMatchObject({ exitCode: 0, stderr: line });
    const doctor = await runMomo(["doctor", "--data", data]);
    expect(doctor).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(said) });
    await server.stop();
    // The doctor's own trial, which is refused on purpose, is not logged.
    expect(server.child.stderr.text).toBe(line);
  });
});

testWithOtherUser("a draft of another user in our folder is no leftover of momo's, and stays", async () => {
  const data = newFolder();
  for (const name of ["clock.json.12.tmp", "clock.json.13.tmp"]) writeFileSync(join(data, name), '{"ahead_ms":1}');
  giveAway(join(data, "clock.json.12.tmp"));
  removeDrafts(dataDirectoryAt(data));
  expect(readdirSync(data)).toEqual(["clock.json.12.tmp"]);
});

testWithOtherUser("momo warns of a file with a secret that belongs to another user", async () => {
  const file = join(newFolder(), "token");
  writeFileSync(file, "a-control-token-of-our-own", { mode: 0o600 });
  giveAway(file);
  const { child } = await serveMomo(["--control-token-file", file]);
  expect(child.stderr.text).toContain(`the token in ${file} belongs to another user`);
});
