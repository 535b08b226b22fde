import { expect, test } from "bun:test";
import { isLoopbackName } from "../../../sandbox/console/browser/logic/loopback.ts";

test.each([
  ...["localhost", "shop.localhost", "127.0.0.1", "127.1.2.3", "[::1]"].map((name) => [name, true] as const),
  ...[
    "localhost.evil.example",
    "127.evil.example",
    "127.0.0.1.example",
    "evil-localhost",
    "[::1].example",
    "10.0.0.1",
  ].map((name) => [name, false] as const),
])("the page takes %s for this machine: %p", (name, expected) => {
  expect(isLoopbackName(name)).toBe(expected);
});
