import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { examine } from "../support/doctor.ts";
import { flagsOf, serveFake } from "../support/fake-server.ts";
import { runToEnd, serveMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

/** A data directory without a server. */
const NOWHERE = ["--data", join(newFolder(), "data")];

describe("doctor calls the address with that key and that account, as momo pay would", () => {
  test.concurrent("a running server: address, key and account are tried, and nothing is stored", async () => {
    const { at, baseUrl, headers, list } = await startIn(newFolder());
    const { found, needAction } = await examine(at);
    expect(needAction).toEqual([]);
    expect(found.server).toMatch(new RegExp(`^momo .*, process ${process.pid}, serves ${baseUrl}$`));
    expect(found.database).toMatch(/^sound, schema [0-9]+$/);
    expect(found.API).toBe(`${baseUrl} answers, and accepts ${headers["X-API-Key"]}`);
    expect(found["payment account"]).toBe("1 takes payments");
    expect(await list()).toEqual([]);
  });

  test.concurrent("an account of another merchant, from a flag or a variable; a refused key of the environment", async () => {
    const { at } = await startIn(newFolder());
    expect((await examine([...at, "--account", "77"])).needAction).toEqual(["payment account"]);
    const account = { MOMO_PAYMENT_ACCOUNT_ID: "77" };
    expect((await examine(at, { env: account })).needAction).toEqual(["payment account"]);
    const { remedies } = await examine(at, { env: { MOMO_API_KEY: "mk_1", MOMO_API_SECRET: "ms_1" } });
    expect(remedies["API key"]).toContain("MOMO_API_KEY and MOMO_API_SECRET in the environment");
  });

  test.concurrent("an address where another program answers, or nothing", async () => {
    const other = serveFake(() => new Response("It works!"));
    expect((await examine([...flagsOf(other), ...NOWHERE])).found.API).toContain("not like the payment service");
    const closed = flagsOf({ baseUrl: "http://127.0.0.1:1/v2" });
    expect((await examine([...closed, ...NOWHERE])).needAction).toEqual(["API"]);
  });

  test.concurrent("a control token that is refused", async () => {
    const { at } = await startIn(newFolder(), { controlToken: "the-token-of-this-sandbox" });
    const env = { MOMO_CONTROL_TOKEN: "not-the-token-at-all" };
    expect((await examine(at, { env })).needAction).toEqual(["control token"]);
  });

  test.concurrent("injected faults need action, and none is used up; rules and a default are mentioned", async () => {
    const { at, control } = await startIn(newFolder());
    await control("PUT", "/faults", { faults: [{ kind: "error", times: 1 }] });
    expect((await examine(at)).needAction).toEqual(["faults"]);
    expect(await control("GET", "/faults")).toMatchObject({ faults: [{ times: 1 }] });
    await control("DELETE", "/faults");
    await control("POST", "/rules", { match: {}, outcome: "cancelled" });
    await control("PUT", "/default", { outcome: "manual" });
    const { found, needAction } = await examine(at);
    expect(needAction).toEqual([]);
    expect(found.rules).toContain("1 rule in force");
    expect(found.default).toContain("manual");
  });

  test.concurrent("a server that is stopped with SIGSTOP: the remedy lets it continue", async () => {
    const { ready, at } = await serveMomo();
    process.kill(ready.pid, "SIGSTOP");
    const { found, remedies, needAction } = await examine(at);
    expect(needAction).toEqual(["server"]);
    expect(found.server).toContain(`process ${ready.pid} at ${ready.base_url} is stopped`);
    const remedy = remedies.server ?? "";
    expect(remedy).not.toContain("momo serve");
    await runToEnd(["sh", "-c", remedy.replace(/ lets it.*/, "")]);
    expect((await examine(at)).needAction).toEqual([]);
  });

  test.concurrent("a proxy of the environment is named", async () => {
    const flags = [...flagsOf({ baseUrl: "http://momo.invalid/v2" }), ...NOWHERE];
    const { found, needAction } = await examine(flags, { env: { http_proxy: "http://127.0.0.1:1" } });
    expect(found.proxy).toContain("requests go through http_proxy of the environment");
    expect(needAction).toEqual(["API"]);
  });
});
