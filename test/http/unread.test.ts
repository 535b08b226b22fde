import { expect, test } from "bun:test";
import { respond, succeed } from "../../src/http/reply.ts";

const MEGABYTE = 1024 * 1024;

const answer = () => respond(succeed("a", { text: "ä".repeat(MEGABYTE / 2 - 50) }));

test("of clients that read slowly, 64 MB wait in sum; then 503, and when they have read or gone, answers again", async () => {
  const readers = [];
  for (let count = 0; count < 64; count += 1) {
    const response = answer();
    expect(response.status).toBe(200);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    readers.push(reader);
  }
  const refused = answer();
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "1"]);
  expect(await refused.json()).toMatchObject({ message: expect.stringContaining("64 MB") });
  expect(await respond(succeed("small", {})).text()).toContain("small");
  const [gone, slow] = readers as [(typeof readers)[0], (typeof readers)[0]];
  await gone.cancel();
  expect(await answer().text()).toContain("success");
  while (!(await slow.read()).done);
  for (const more of [answer(), answer()]) expect(await more.text()).toContain("success");
  expect(answer().status).toBe(200);
  for (const reader of readers) await reader.cancel();
});
