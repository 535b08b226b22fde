import { afterAll, describe, expect, test } from "bun:test";
import { isLoopbackName } from "../../../sandbox/console/browser/logic/loopback.ts";

// What the page uses of the browser. In this test there is no browser: no notifications, no storage and no clipboard. The path is in
// a variable, because the page has types of its own.
const file = "../../../sandbox/console/browser/system.ts";
const { copyText, isLoopback, longMemory, notificationPermission, notify } = await import(file);

test("a browser without notifications, storage or clipboard has none of them, and the page goes on", async () => {
  expect(notificationPermission()).toBe("denied");
  notify("0711 000 001 rings", "Demo Shop asks for KES 1.00");
  longMemory.write("theme", "dark");
  expect(longMemory.read("theme")).toBe(null);
  expect(await copyText("secret")).toBe(false);
});

describe("the browser runs on the machine of the server", () => {
  const { location } = globalThis as { location?: unknown };
  afterAll(() => Object.assign(globalThis, { location }));

  test.each([
    ...["localhost", "127.0.0.1", "127.9.9.9", "[::1]"].map((name) => [name, true] as const),
    ...["0.0.0.0", "192.168.1.7", "[fe80::1]", "shop.test", "10.127.0.1"].map((name) => [name, false] as const),
  ])("at %s: %p", (hostname, isHere) => {
    Object.assign(globalThis, { location: { hash: "", hostname } });
    expect(isLoopback()).toBe(isHere);
  });
});

test("the page takes only names of loopback for this machine", () => {
  const own = ["localhost", "shop.localhost", "127.0.0.1", "127.1.2.3", "[::1]"];
  const evil = ["localhost.evil.example", "127.evil.example", "127.0.0.1.example", "evil-localhost", "[::1].example"];
  expect([...own, ...evil, "10.0.0.1"].filter(isLoopbackName)).toEqual(own);
});
