import { afterAll, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/binary.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runToEnd, serveMomo } from "../support/momo.ts";
import { testWith } from "../support/needs.ts";

afterAll(cleanUp);

/** The dev container of a clone, such as in Codespaces, whose forwarder needs a token for the control API. */
const container = JSON.parse(readFileSync(join(ROOT, ".devcontainer/devcontainer.json"), "utf8"));
const home = "/home/node";
const tokenFile: string = container.remoteEnv.MOMO_SERVE_CONTROL_TOKEN_FILE;

test("it forwards the usual port, and has the command on its path", () => {
  expect(container.forwardPorts).toEqual([2547]);
  expect(Object.keys(container.portsAttributes)).toEqual(["2547"]);
  expect(container.remoteEnv.PATH).toMatch(/^[^:]+Folder\}\/bin:/);
});

testWith(["node"], "its command sets a clone up, and makes a private token that momo serve takes", async () => {
  const folder = newFolder();
  const env = { HOME: folder, PATH: process.env.PATH ?? "" };
  const made = await runToEnd(["sh", "-c", container.postCreateCommand], { cwd: ROOT, env });
  expect(made).toMatchObject({ exitCode: 0 });
  const file = tokenFile.replace(home, folder);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const momo = await serveMomo([], { env: { MOMO_SERVE_CONTROL_TOKEN_FILE: file } });
  const headers = {
    "X-Forwarded-Host": "a-2547.app.example",
    Authorization: `Bearer ${readFileSync(file, "utf8").trim()}`,
  };
  const asked = (more: object) => fetch(`${momo.ready.control_url}/server`, { headers: { ...headers, ...more } });
  expect(await (await asked({})).json()).toMatchObject({ base_url: "http://a-2547.app.example/v2" });
  expect((await asked({ Authorization: "Bearer another-token-of-the-api" })).status).toBe(401);
});
