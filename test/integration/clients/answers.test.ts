import { afterAll, expect, test } from "bun:test";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { serveFake, serveRaw } from "../../support/fake-server.ts";
import { runToEnd } from "../../support/momo.ts";
import { describeWith } from "../../support/needs.ts";
import { CLIENTS, PAYMENT, PROGRAMS, PYTHON, runnerOf } from "./programs.ts";

/** The clients of clients/ as programs: what they make of bad answers and bad input, and of a list that grows. */

const NEW_ROWS = 3;

const json = (body: unknown, status = 200) => Response.json(body, { status });
const EMPTY_LIST = { success: true, message: "", transactions: [] };
/** To an address of this service that has a list, which a client would take if it went there. */
const redirect = ({ url }: Request) =>
  url.endsWith("/elsewhere")
    ? json(EMPTY_LIST)
    : new Response(null, { status: 307, headers: { Location: "/elsewhere" } });
const ANSWERS: readonly [name: string, answer: (request: Request) => Response, code: string][] = [
  ["HTML", () => new Response("<html>Welcome</html>"), "unknown"],
  ["HTML with 400", () => new Response("<html>Bad</html>", { status: 400 }), "unknown"],
  ["an empty text", () => new Response(""), "unknown"],
  ["an array", () => json([]), "unknown"],
  ["null", () => json(null), "unknown"],
  ["a success without a list", () => json({ success: true, message: "" }), "unknown"],
  ["a list of numbers", () => json({ success: true, message: "", transactions: [1, 2] }), "unknown"],
  ["a redirect", redirect, "unknown"],
  ["HTTP 429", () => json({ success: false, message: "slowly" }, 429), "unknown"],
  ["a body that is cut", () => new Response('{"success":tr'), "unknown"],
  ["a refusal", () => json({ success: false, message: "no" }, 400), "refused"],
  ["wrong credentials", () => json({ success: false, message: "no" }, 401), "credentials"],
];
/** What comes after a push. Empty: the end of the connection; null: a reset. */
const LOST_ANSWERS: readonly [name: string, answer: string | Uint8Array | null][] = [
  ["a page in Latin-1", "HTTP/1.1 200 OK\r\n\r\n<p>Bient\xf4t</p>"],
  ["a page in Latin-1 with 502", "HTTP/1.1 502 Bad Gateway\r\n\r\n<p>Bient\xf4t</p>"],
  ["bytes of gzip", Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\n\r\n"), Bun.gzipSync("{}")])],
  ["JSON that is no UTF-8", 'HTTP/1.1 200 OK\r\n\r\n{"success":true,"message":"\xf4","status":"pending"}'],
  ["a refusal that is no UTF-8", 'HTTP/1.1 400 Bad Request\r\n\r\n{"success":false,"message":"\xf4"}'],
  ["a redirect to no address", "HTTP/1.1 307 Temporary Redirect\r\nLocation: htp://[\r\nContent-Length: 0\r\n\r\n"],
  ["a body that is cut", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"],
  ["a head that is cut", "HTTP/1.1 200 OK\r\nContent-"],
  ["no HTTP", "SSH-2.0-OpenSSH_9.2\r\n"],
  ["another version of HTTP", "HTTP/9.9 200 OK\r\n\r\n{}"],
  ["nothing", ""],
  ["a reset", null],
];

/** An answer without an end. */
const serveDripping = (head: string) =>
  serveRaw((socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write("a"), 20);
    later(() => clearInterval(timer));
  });

/** A list that gets new rows while its pages are read. */
function serveGrowing() {
  let total = 10_000;
  return serveFake(({ url }) => {
    const skipped = 100 * (Number(new URL(url).searchParams.get("page")) - 1);
    const left = Math.max(0, Math.min(100, total - skipped));
    const transactions = Array.from({ length: left }, (_, index) => ({
      id: total - skipped - index,
      status: "completed",
    }));
    total += NEW_ROWS;
    return json({ success: true, message: "", transactions });
  });
}

afterAll(cleanUp);

for (const program of PROGRAMS) {
  const { name, needs } = program;
  const run = runnerOf(program);

  describeWith(needs, `the client in ${name}`, () => {
    test.each(ANSWERS)("takes %s for what it is", async (_, answer, code) => {
      const { error } = await run(serveFake(answer).baseUrl, newFolder(), "find", ...PAYMENT);
      expect(error?.code).toBe(code);
    });

    test("does not push again after an answer that says nothing", async () => {
      const pushed: (string | undefined)[] = [];
      const { url } = serveRaw((socket, bytes) => {
        const [, order] = /"reference": ?"ORDER-(\d+)~/.exec(bytes.toString()) ?? [];
        const lost = LOST_ANSWERS[Number(order)];
        if (!lost) return; // the headers alone
        pushed.push(order);
        const [, answer] = lost;
        if (answer === null) socket.terminate();
        else socket.end(typeof answer === "string" ? Buffer.from(answer, "latin1") : answer);
      });
      const orders = newFolder();
      for (const [order, [answer]] of LOST_ANSWERS.entries()) {
        for (let call = 0; call < 2; call += 1) {
          const { status } = await run(url, orders, "start", `ORDER-${order}`, "0712345678", "100");
          expect({ answer, status }).toEqual({ answer, status: "unknown" });
        }
      }
      expect(pushed).toEqual(LOST_ANSWERS.map((_, order) => String(order)));
    });

    // That in Python bounds each read, and not their sum.
    if (name !== "Python") {
      test.each([
        ["headers", "HTTP/1.1 200 OK\r\nX: "],
        ["a body", "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"],
      ])("waits no longer for %s that come byte by byte", async (_, head) => {
        const { error } = await runnerOf(program, { timeout: 0.5 })(serveDripping(head).url, newFolder(), "list");
        expect(error?.code).toBe("unknown");
      });
    }

    test.each([
      ["408", 408],
      ["409, as that of a push which a proxy has repeated", 409],
      ["425", 425],
      ["429", 429],
    ])("does not push again after a refusal with %s", async (_, status) => {
      let pushes = 0;
      const { baseUrl } = serveFake(({ method }) => {
        if (method === "GET") return json(EMPTY_LIST);
        pushes += 1;
        return json({ success: false, message: "no" }, status);
      });
      const orders = newFolder();
      for (let call = 0; call < 2; call += 1)
        expect((await run(baseUrl, orders, "start", ...PAYMENT)).status).toBe("unknown");
      expect(pushes).toBe(1);
    });

    test("reads a list of 10,000 rows that grows: no row twice, none left out", async () => {
      const { result } = await run(serveGrowing().baseUrl, newFolder(), "list");
      const ids = (result as { id: number }[]).map(({ id }) => id);
      expect([ids.length, new Set(ids).size]).toEqual([10_000, 10_000]);
    });
  });
}

describeWith(["python3"], "a row with a status that does not exist", () => {
  test("says nothing about the payment", async () => {
    const row = { id: 1, amount: 100, phone: "254712345678", status: "paid", created_at: "2999-01-01 00:00:00" };
    const { baseUrl } = serveFake(({ method }) =>
      method === "POST" ? new Response("", { status: 504 }) : json({ success: true, message: "", transactions: [row] }),
    );
    const pay = `import sys; sys.path.insert(0, "${CLIENTS}"); from client import Client, FileStore
momo = Client("${baseUrl}", "a", "b", 1, FileStore("${newFolder()}"), interval=0, deadline=0)
print(momo.pay("ORDER-0001", "0712345678", 100)["status"])`;
    expect(await runToEnd([...PYTHON, "-c", pay])).toMatchObject({ stdout: "unknown\n", stderr: "" });
  });
});

describeWith(["python3"], "a store in a database that fails after the push", () => {
  test("says that the customer may have paid", async () => {
    const { baseUrl } = serveFake(() => json({ success: true, message: "", checkout_request_id: "ws_CO_1" }));
    const start = `import sqlite3, sys; sys.path.insert(0, "${CLIENTS}"); from client import Client, FileStore, MomoError
class Database(FileStore):
    def add(self, name, order):
        if name == "order-0001":
            return super().add(name, order)
        raise sqlite3.OperationalError("database is locked")
try:
    Client("${baseUrl}", "a", "b", 1, Database("${newFolder()}")).start("ORDER-0001", "0712345678", 100)
except MomoError as error:
    print(error.kind, error.may_have_paid)`;
    expect(await runToEnd([...PYTHON, "-c", start])).toMatchObject({ stdout: "store True\n", stderr: "" });
  });
});
