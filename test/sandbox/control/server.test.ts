import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../cli/version.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { openControl } from "../../support/control.ts";
import { startIn } from "../../support/sandbox.ts";

afterAll(cleanUp);

describe("GET /_momo/server: what a line to paste needs", () => {
  test("of a whole server: addresses, the key of its data directory and its account, without the secret", async () => {
    const directory = join(newFolder(), "data");
    const server = await startIn(directory, { form: "short" });
    const { api_key, api_secret } = JSON.parse(readFileSync(join(directory, "credentials.json"), "utf8"));
    const answer = await server.control("GET", "/server");
    expect(answer).toEqual({
      success: true,
      message: `momo ${version}`,
      base_url: server.baseUrl,
      control_url: `${server.origin}/_momo`,
      version,
      name: null,
      default_merchant_id: 1,
      payment_account_id: 1,
      api_key,
      accept: "strict",
      response_form: "short",
      prompt_timeout_ms: 60_000,
      data: directory,
    });
    expect(JSON.stringify(answer)).not.toContain(api_secret);
  });

  test("the address is the one that the caller has used", async () => {
    const scene = await openControl();
    const { body } = await scene.call("GET", "/server", { headers: { Host: "localhost:8080" } });
    expect(body).toMatchObject({
      base_url: "http://localhost:8080/v2",
      control_url: "http://localhost:8080/_momo",
      data: null,
    });
    await scene.close();
  });

  test("a revoked key is not told; another in force is, and null where there is none", async () => {
    const scene = await openControl();
    const keyOf = async () => (await scene.call("GET", "/server")).body.api_key;
    const { body: next } = await scene.call("POST", "/keys", { json: { label: "next" } });
    expect(await keyOf()).toBe(scene.caller.key.apiKey);
    await scene.call("DELETE", `/keys/${scene.caller.key.apiKey}`);
    expect(await keyOf()).toBe(next.api_key);
    await scene.call("DELETE", `/keys/${next.api_key}`);
    expect(await keyOf()).toBeNull();
    await scene.close();
  });
});
