import { afterAll, expect, test } from "bun:test";
import { cleanUp } from "../../support/cleanup.ts";
import { connectTo } from "../../support/connection.ts";
import { serveMomo } from "../../support/momo.ts";

afterAll(cleanUp);

test("disconnect: over a real socket no answer comes, but the payment exists; the server's stderr stays empty", async () => {
  const server = await serveMomo();
  const { base_url, control_url, api_key, api_secret } = server.ready;
  const control = (method: string, path: string, body?: object) =>
    fetch(control_url + path, {
      method,
      ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    }).then((response) => response.json() as Promise<Record<string, unknown>>);
  await control("PUT", "/faults", { faults: [{ kind: "disconnect", path: "/stkpush.php", times: 3 }] });

  const body = JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 100 });
  const headers = `Host: x\r\nContent-Type: application/json\r\nX-API-Key: ${api_key}\r\nX-API-Secret: ${api_secret}\r\n`;
  for (let count = 0; count < 2; count++) {
    const client = await connectTo(base_url);
    client.write(`POST /v2/stkpush.php HTTP/1.1\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`);
    await client.closed;
    expect(client.received.text).toBe("");
  }
  // An HTTP client sees an error, not an answer.
  const lost = await server.post("/stkpush.php", JSON.parse(body) as object).catch(() => "no answer" as const);
  expect(lost).toBe("no answer");

  const list = (await (await server.get("/transactions.php")).json()) as { transactions: object[] };
  expect(list.transactions).toMatchObject([{ amount: 100 }, { amount: 100 }, { amount: 100 }]);
  const { requests } = await control("GET", "/requests");
  const met = { fault: "disconnect", status: null, answer: null, body };
  expect(requests).toMatchObject([met, met, met, { fault: null, status: 200 }]);
  expect((await server.post("/stkpush.php", JSON.parse(body) as object)).status).toBe(200);
  expect(await server.stop()).toBe(0);
  expect(server.child.stderr.text).toBe("");
});
