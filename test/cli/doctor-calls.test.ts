import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { at, findingsOf, needingAction } from "../support/doctor.ts";
import { serveFake } from "../support/fake-server.ts";
import { runMomo, runToEnd, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

/** A data directory without a server. */
const NOWHERE = ["--data", join(newFolder(), "data")];

describe("it believes nothing, and calls the address with that key and that account", () => {
  test.concurrent("a running server: the address, the key and the account have been tried, and nothing was stored", async () => {
    const server = await serveMomo();
    const findings = await findingsOf(server.at);
    expect(at(findings, "API")).toBe(`${server.ready.base_url} answers, and takes ${server.ready.api_key}`);
    expect(at(findings, "payment account")).toBe("1 takes payments");
    expect((await runMomo(["list", "-q", ...server.at])).stdout).toBe("");
  });

  test.concurrent("an account that is not the merchant's, from a flag or a variable", async () => {
    const server = await serveMomo();
    expect(needingAction(await findingsOf([...server.at, "--account", "77"]))).toEqual(["payment account"]);
    const env = { MOMO_PAYMENT_ACCOUNT_ID: "77" };
    expect(needingAction(await findingsOf(server.at, { env }))).toEqual(["payment account"]);
  });

  test.concurrent("a key of the environment that is refused: the environment is to blame", async () => {
    const server = await serveMomo();
    const findings = await findingsOf(server.at, { env: { MOMO_API_KEY: "mk_1", MOMO_API_SECRET: "ms_1" } });
    const refused = findings.find(({ check }) => check === "API key");
    expect(refused?.remedy).toContain("MOMO_API_KEY and MOMO_API_SECRET in the environment");
  });

  test.concurrent("an address where another program answers, or nothing", async () => {
    const other = serveFake(() => new Response("It works!"));
    const named = ["--api-key", "mk_1", "--api-secret", "ms_1"];
    const findings = await findingsOf(["--base-url", other.baseUrl, ...named, ...NOWHERE]);
    expect(at(findings, "API")).toContain("not like the payment service");
    expect(needingAction(await findingsOf(["--base-url", "http://127.0.0.1:1/v2", ...named, ...NOWHERE]))).toEqual([
      "API",
    ]);
  });

  test.concurrent("a control token that is refused", async () => {
    const server = await serveMomo(["--host", "0.0.0.0"]);
    const findings = await findingsOf(server.at, { env: { MOMO_CONTROL_TOKEN: "not-the-token-at-all" } });
    expect(needingAction(findings)).toEqual(["control token"]);
  });

  test.concurrent("injected faults, which a trial would use up; rules and a default are mentioned", async () => {
    const server = await serveMomo();
    await runMomo(["faults", "add", "error", "--times", "1", ...server.at]);
    expect(needingAction(await findingsOf(server.at))).toEqual(["faults"]);
    const { stdout } = await runMomo(["faults", "list", "--json", ...server.at]);
    expect(JSON.parse(stdout).faults).toMatchObject([{ times: 1 }]);
    await runMomo(["faults", "clear", ...server.at]);
    await runMomo(["rules", "add", "cancelled", ...server.at]);
    await runMomo(["default", "set", "manual", ...server.at]);
    const findings = await findingsOf(server.at);
    expect(needingAction(findings)).toEqual([]);
    expect(at(findings, "rules")).toContain("1 rule in force");
    expect(at(findings, "default")).toContain("manual");
  });

  test.concurrent("a stopped server (SIGSTOP) is not said to be none, and the remedy helps", async () => {
    const server = await serveMomo();
    process.kill(server.ready.pid, "SIGSTOP");
    const findings = await findingsOf(server.at);
    expect(needingAction(findings)).toEqual(["server"]);
    expect(at(findings, "server")).toContain(`process ${server.ready.pid} at ${server.ready.base_url} is stopped`);
    const remedy = findings.find(({ check }) => check === "server")?.remedy ?? "";
    expect(remedy).not.toContain("momo serve");
    await runToEnd(["sh", "-c", remedy.replace(/ lets it.*/, "")]);
    expect(needingAction(await findingsOf(server.at))).toEqual([]);
  });

  test.concurrent("a proxy of the environment that stands between is named", async () => {
    const named = ["--base-url", "http://momo.invalid/v2", "--api-key", "mk_1", "--api-secret", "ms_1", ...NOWHERE];
    const findings = await findingsOf(named, { env: { http_proxy: "http://127.0.0.1:1" } });
    expect(at(findings, "proxy")).toContain("http_proxy of the environment stands between");
    expect(needingAction(findings)).toEqual(["API"]);
  });
});
