import { afterEach, expect, mock, spyOn, test } from "bun:test";
import { createClient, fileStore } from "../../clients/client.mjs";
import { cleanUp, newFolder } from "../support/cleanup.ts";

/** What runtimes say of a connection that ended: the push may have arrived. Of one that was never there: nothing was sent. */

afterEach(async () => {
  mock.restore();
  await cleanUp();
});

const clientOf = () =>
  createClient({
    baseUrl: "http://127.0.0.1:1/v2",
    apiKey: "k",
    apiSecret: "s",
    paymentAccountId: 1,
    store: fileStore(newFolder()),
  });

test.each([
  ["Bun 1.1", { code: "ConnectionClosed", message: "The socket connection was closed unexpectedly." }],
  ["Bun 1.4", { code: "ECONNRESET", message: "The socket connection was closed unexpectedly." }],
  ["Node", { code: "UND_ERR_SOCKET", message: "other side closed" }],
  ["Node, a reset", { code: "ECONNRESET", syscall: "read", message: "read ECONNRESET" }],
])("a connection that was closed is a lost answer: %s", async (_runtime, cause) => {
  const fetch = spyOn(globalThis, "fetch").mockRejectedValue(Object.assign(new Error(cause.message), cause));
  const momo = clientOf();
  for (let call = 0; call < 2; call += 1)
    expect(await momo.start("ORDER-1", "0712345678", 5)).toMatchObject({ status: "unknown", may_have_paid: true });
  expect(fetch).toHaveBeenCalledTimes(1);
});

test.each([
  ["Bun", { code: "ConnectionRefused", message: "Unable to connect. Is the computer able to access the url?" }],
  ["Node", { code: "ECONNREFUSED", syscall: "connect", message: "connect ECONNREFUSED 127.0.0.1:1" }],
  [
    "Node, no such host",
    { code: "ENOTFOUND", syscall: "getaddrinfo", message: "getaddrinfo ENOTFOUND nobody.invalid" },
  ],
  ["Node, no connection in time", { code: "UND_ERR_CONNECT_TIMEOUT", message: "Connect Timeout Error" }],
])("nothing was sent to a server that is not there: %s", async (_runtime, cause) => {
  spyOn(globalThis, "fetch").mockRejectedValue(Object.assign(new TypeError("fetch failed"), { cause }));
  const error = await clientOf()
    .start("ORDER-1", "0712345678", 5)
    .catch((one: unknown) => one);
  expect(error).toMatchObject({ kind: "unreachable", mayHavePaid: false });
});

test("names the code of a host whose addresses all refuse", async () => {
  const cause = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });
  spyOn(globalThis, "fetch").mockRejectedValue(Object.assign(new TypeError("fetch failed"), { cause }));
  const error = await clientOf()
    .list()
    .catch((one: unknown) => one);
  expect(error).toMatchObject({ message: expect.stringContaining("no answer of the service (ECONNREFUSED)") });
});
