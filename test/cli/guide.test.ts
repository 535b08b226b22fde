import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OUTCOMES } from "../../sandbox/network/outcomes.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const guide = readFileSync(join(import.meta.dir, "../../docs/llms.txt"), "utf8");

test("GET /llms.txt is docs/llms.txt as plain text, without credentials, on both listeners", async () => {
  const { baseUrl, controlUrl } = await startIn(newFolder(), { controlPort: 0 });
  for (const address of [baseUrl, controlUrl]) {
    const answer = await fetch(new URL("/llms.txt", address));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    expect(await answer.text()).toBe(guide);
  }
  const head = await fetch(new URL("/llms.txt", baseUrl), { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  const post = await fetch(new URL("/llms.txt", baseUrl), { method: "POST", body: "{}" });
  expect([post.status, post.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
  expect(await post.json()).toEqual({ success: false, message: "this path takes GET, HEAD only" });
});

test("every outcome that the guide names is one of the network", () => {
  const [, list = ""] = /^Outcomes \(.*?\): ([^.]*)\./ms.exec(guide) ?? [];
  const named = [...list.replaceAll(/\(.*?\)/gs, "").matchAll(/[a-z_]+/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(10);
  const known: readonly string[] = OUTCOMES.map(({ name }) => name);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});
