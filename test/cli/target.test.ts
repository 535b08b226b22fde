import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { type FakeServer, serveFake } from "../support/fake-server.ts";
import { failureOf, runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const { at, ready } = await serveMomo();
const data = ready.data;

const started = { success: true, message: "sent", checkout_request_id: "ws_CO_fake", status: "pending" };
const fake = () => serveFake(() => Response.json(started));

/** The credentials that a server was sent. */
const sentTo = ({ requests }: FakeServer) =>
  requests.map(({ headers }) => `${headers.get("X-API-Key")} ${headers.get("X-API-Secret")}`);

describe("which server: flag > MOMO_* > the data directory", () => {
  const env = (server: FakeServer) => ({
    MOMO_BASE_URL: server.baseUrl,
    MOMO_API_KEY: "mk_env",
    MOMO_API_SECRET: "ms_env",
    MOMO_PAYMENT_ACCOUNT_ID: "42",
  });

  test.concurrent("MOMO_* go before the data directory", async () => {
    const named = fake();
    const run = await runMomo(["pay", "0712345678", "1", ...at, "-q"], { env: env(named) });
    expect(run.stdout).toBe("ws_CO_fake\n");
    expect(sentTo(named)).toEqual(["mk_env ms_env"]);
  });

  test.concurrent("flags go before MOMO_*", async () => {
    const [named, flagged] = [fake(), fake()];
    const flags = ["--base-url", flagged.baseUrl, "--api-key", "mk_flag", "--api-secret", "ms_flag"];
    await runMomo(["pay", "0712345678", "1", ...flags], { env: env(named) });
    expect(sentTo(flagged)).toEqual(["mk_flag ms_flag"]);
    expect(named.requests).toHaveLength(0);
  });

  test.concurrent("the payment account: --account, then MOMO_PAYMENT_ACCOUNT_ID, then the data directory's", async () => {
    const accounts: unknown[] = [];
    const server = serveFake(() => Response.json(started));
    const noting = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        accounts.push(((await request.json()) as { payment_account_id: number }).payment_account_id);
        return Response.json(started);
      },
    });
    const variables = { ...env(server), MOMO_BASE_URL: `http://127.0.0.1:${noting.port}/v2` };
    await runMomo(["pay", "0712345678", "1", "--account", "7"], { env: variables });
    await runMomo(["pay", "0712345678", "1"], { env: variables });
    await runMomo(["pay", "0712345678", "1", ...at], { env: { MOMO_BASE_URL: variables.MOMO_BASE_URL } });
    await noting.stop(true);
    expect(accounts).toEqual([7, 42, 1]);
  });

  test.concurrent("the data directory: --data, then MOMO_DATA, then $XDG_DATA_HOME/momo", async () => {
    const byFlag = await runMomo(["list", "--data", data], { env: { MOMO_DATA: newFolder() } });
    expect(byFlag.exitCode).toBe(0);
    expect((await runMomo(["list"], { env: { MOMO_DATA: data } })).exitCode).toBe(0);
    const share = newFolder();
    await serveMomo(["--data", join(share, "momo")]);
    expect((await runMomo(["list"], { env: { XDG_DATA_HOME: share } })).exitCode).toBe(0);
  });

  test.concurrent("an empty variable is as good as none", async () => {
    const env = { MOMO_BASE_URL: "", MOMO_API_KEY: "", MOMO_API_SECRET: "", MOMO_DATA: data };
    expect((await runMomo(["list"], { env })).exitCode).toBe(0);
  });

  test.concurrent("an empty --data is a usage error, and does not mean the current folder", async () => {
    const run = await runMomo(["merchants", "create", "--name", "x", "--data", ""], { cwd: newFolder() });
    expect(run).toMatchObject({ stdout: "", exitCode: 2, stderr: expect.stringContaining("--data") });
  });

  for (const [variable, value] of [
    ["MOMO_BASE_URL", "127.0.0.1:2547"],
    ["MOMO_BASE_URL", "ftp://127.0.0.1/v2"],
    ["MOMO_API_SECRET", "é"],
    ["MOMO_PAYMENT_ACCOUNT_ID", "first"],
  ] as const) {
    test.concurrent(`${variable}=${value} is a usage error that names it: exit 2`, async () => {
      const run = await runMomo(["pay", "0712345678", "1", ...at], { env: { [variable]: value } });
      expect(run).toMatchObject({ stdout: "", exitCode: 2, stderr: expect.stringContaining(variable) });
    });
  }

  test.concurrent("an empty --base-url is a usage error that names it, and does not mean the data directory's", async () => {
    for (const command of [["reset"], ["clock", "show"], ["list"]]) {
      const run = await runMomo([...command, "--base-url", "", ...at]);
      expect(run).toMatchObject({ stdout: "", exitCode: 2, stderr: expect.stringContaining("--base-url") });
    }
  });
});

describe("the data directory's secret is not sent elsewhere", () => {
  for (const url of [
    "http://momo.invalid/v2",
    "http://127.0.0.1.invalid/v2",
    "http://localhost.invalid/v2",
    "http://localhost:1@momo.invalid/v2",
    "http://momo.invalid\\@127.0.0.1/v2",
  ]) {
    test.concurrent(`to ${url}, named by flag: exit 2, before anything is sent`, async () => {
      const run = await runMomo(["pay", "0712345678", "1", "--base-url", url, "--data", data, "--json"]);
      expect(failureOf(run).code).toBe("usage");
      expect(run).toMatchObject({ stdout: "", exitCode: 2 });
    });
  }

  test.concurrent("to another host that MOMO_BASE_URL names: exit 2, and the flag's name", async () => {
    const run = await runMomo(["list", "--data", data], { env: { MOMO_BASE_URL: "http://momo.invalid/v2" } });
    expect(run).toMatchObject({ stdout: "", exitCode: 2, stderr: expect.stringContaining("--api-key") });
  });

  test.concurrent("with another key than its own", async () => {
    const run = await runMomo(["list", "--data", data, "--api-key", "mk_other"]);
    expect(run).toMatchObject({ stdout: "", exitCode: 2, stderr: expect.stringContaining("--api-secret") });
  });
});

describe("a damaged record in the data directory is named, never guessed at", () => {
  for (const file of ["server.json", "credentials.json"]) {
    for (const content of ["", "not json", "{}", '{"base_url":5}', "\xff"]) {
      test.concurrent(`${file} holding ${JSON.stringify(content)}: exit 1`, async () => {
        const folder = newFolder();
        writeFileSync(join(folder, file), Buffer.from(content, "latin1"));
        const flags = file === "server.json" ? [] : ["--base-url", ready.base_url];
        const run = await runMomo(["list", "--data", folder, ...flags]);
        expect(run).toMatchObject({ stdout: "", exitCode: 1, stderr: expect.stringContaining(join(folder, file)) });
      });
    }
  }
});

test.concurrent("MOMO_CONTROL_URL that is no address: what would be right is one of the control API", async () => {
  const run = await runMomo(["clock", "show", "--json"], { env: { MOMO_CONTROL_URL: "garbage" } });
  expect(failureOf(run).message).toBe("MOMO_CONTROL_URL is not an address such as http://127.0.0.1:2547/_momo");
});
