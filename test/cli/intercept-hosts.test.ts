import { expect, test } from "bun:test";
import { readHosts } from "../../cli/intercept/hosts.ts";

const names = (count: number) => Array.from({ length: count }, (_, n) => `h${n}.example`).join();

test("--intercept accepts up to ten hosts, in any letter case, and those of its earlier uses", () => {
  expect(readHosts("A.Example, b.example", ["c.example"])).toEqual(["c.example", "a.example", "b.example"]);
  expect(readHosts(names(10))).toHaveLength(10);
});

test.each([
  ["https://payflow.example/api/v2", "give the name alone, such as payflow.example"],
  ["payflow.example:443", "is not the name of a host"],
  ["payflow.example/api", "is not the name of a host"],
  ["127.0.0.1", "is an address: give the name of a host"],
  ["::1", "is an address: give the name of a host"],
  ["localhost", "is not the name of a host"],
  ["shop.localhost", "is not the name of a host"],
  ["*.example", "is not the name of a host"],
  ["-a.example", "is not the name of a host"],
  ["", "is not the name of a host"],
  ["a.example,", "is not the name of a host"],
  ["a.example,A.example", "a.example is named twice"],
  [names(11), "10 hosts at most; there are 11"],
  [`${"a".repeat(64)}.example`, "is not the name of a host"],
])("--intercept %s is refused", (hosts, why) => {
  expect(() => readHosts(hosts)).toThrow(why);
});
