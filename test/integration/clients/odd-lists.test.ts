import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { serveFake } from "../../support/fake-server.ts";
import { describeWith } from "../../support/needs.ts";
import { askAfterLoss, json, LOST, OWN_ROW, PAYMENT, PHONE, PROGRAMS, runnerOf, serveService } from "./programs.ts";

/** Services whose search finds other references, and whose lists have odd rows, odd pages or no end. */

afterAll(cleanUp);

for (const program of PROGRAMS) {
  const { name, needs } = program;
  const run = runnerOf(program);

  describeWith(needs, `the client in ${name}`, () => {
    test("ends a list of which each page has new rows, without an end", async () => {
      let id = 0;
      const list = () => {
        id += 1;
        return json({ transactions: [{ ...OWN_ROW, id }] });
      };
      const { baseUrl, looks } = serveService({ list });
      const { error } = await run(baseUrl, newFolder(), "find", ...PAYMENT);
      expect(error).toMatchObject({ code: "unknown", message: "/transactions.php: a list without its end" });
      expect(looks()).toBe(10_000);
    });

    test.each([
      ["amount", true],
      ["phone", { number: "254712345678" }],
      ["phone", true],
      ["phone", null],
    ])("takes no row whose %s is %p for that of an order of 100", async (member, value) => {
      const list = (_page: number, search: string, pushed: string) =>
        json({ transactions: search === pushed ? [{ ...OWN_ROW, [member]: value }] : [] });
      expect((await askAfterLoss(run, list)).result).toMatchObject({
        status: "unknown",
        reason: "the service shows a payment that can be that of ORDER-0001",
      });
    });

    test.each([
      ["id", [1]],
      ["id", {}],
      ["id", null],
      ["checkout_request_id", [1]],
      ["checkout_request_id", { a: 1 }],
    ])("never says not_started where the list has a row whose %s is %p", async (member, value) => {
      const list = (_page: number, search: string) =>
        json({
          transactions: search === PHONE ? [{ ...OWN_ROW, [member]: value }] : [],
          pagination: { total_pages: 1 },
        });
      expect((await askAfterLoss(run, list, 599_000)).status).toBe("unknown");
    });

    test.each([
      ["amount", "1,000.00"],
      ["amount", "KES 100"],
      ["amount", ""],
      ["amount", null],
      ["amount", {}],
      ["amount", Number("9".repeat(300))],
      ["phone", "254712***678"],
      ["phone", "5678"],
      ["phone", null],
    ])("never says not_started where the %s of a row cannot be read: %p", async (member, value) => {
      const list = (_page: number, search: string) =>
        json({ transactions: search === PHONE ? [{ ...OWN_ROW, [member]: value }] : [] });
      expect((await askAfterLoss(run, list, 599_000)).result).toMatchObject({
        status: "unknown",
        reason: "the service shows a payment that can be that of ORDER-0001",
      });
    });

    test("reads an amount of 400 digits", async () => {
      const text = JSON.stringify({ success: true, message: "", transactions: [{ ...OWN_ROW, amount: 777 }] });
      const list = () => new Response(text.replace("777", "7".repeat(400)));
      expect((await askAfterLoss(run, list)).status).toBe("unknown");
    });

    test.each([[{}], [""], [{ 1: OWN_ROW }], [null], [0]])("takes %p for no list", async (transactions) => {
      const list = () => json({ transactions, pagination: { total_pages: 1 } });
      expect((await askAfterLoss(run, list, 599_000)).result).toMatchObject({
        status: "unknown",
        reason: "/transactions.php: the answer has no list of payments",
      });
    });

    test.each([[[]], [null], [{}], [{ total_pages: "3" }], [{ total_pages: [] }], ["x"], [5]])(
      "reads a list whose pagination is %p",
      async (pagination) => {
        const list = (_page: number, search: string, pushed: string) =>
          json({ transactions: search === pushed ? [OWN_ROW] : [], pagination });
        expect((await askAfterLoss(run, list)).status).toBe("completed");
      },
    );

    test.each([
      ["a number", 100],
      ["a text", "100"],
      ["a text with a decimal", "100.0"],
      ["a text with decimals", "100.00"],
    ])("finds the payment whose amount is %s", async (_, amount) => {
      const { baseUrl, orders } = serveService({ push: LOST, row: { ...OWN_ROW, amount } });
      await run(baseUrl, orders, "start", ...PAYMENT);
      expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe("completed");
    });

    describe("of a service that searches in the middle of references", () => {
      /** Each push is a paid row. The list has those whose reference has the search anywhere, or whose phone begins with it. */
      function serveSubstrings() {
        const rows: { reference: string; id: number }[] = [];
        const { baseUrl } = serveFake(async (request) => {
          if (request.method === "GET") {
            const search = (new URL(request.url).searchParams.get("search") ?? "").toLowerCase();
            const found = rows.filter(({ reference }) => reference.toLowerCase().includes(search));
            const shown = (PHONE.startsWith(search) ? rows : found).map(({ id }) => ({
              ...OWN_ROW,
              id,
              checkout_request_id: `ws_CO_${id}`,
            }));
            return json({ transactions: shown });
          }
          const { reference } = (await request.json()) as { reference: string };
          rows.push({ reference, id: rows.length + 1 });
          return LOST();
        });
        return baseUrl;
      }

      test("does not show the payment of another order, whose reference ends with the one to find", async () => {
        const baseUrl = serveSubstrings();
        const others = newFolder();
        for (const reference of ["ORDER-1", "X 1", "11"])
          await run(baseUrl, others, "start", reference, "0712345678", "100");
        const { error } = await run(baseUrl, newFolder(), "find", "1", "0712345678", "100");
        expect(error).toMatchObject({ code: "unknown", may_have_paid: true });
        expect((await run(baseUrl, newFolder(), "find", "order-1", "0712345678", "100")).result).toMatchObject({
          id: 1,
        });
      });

      test("takes the own payment of each order, if the answers to the pushes were lost", async () => {
        const baseUrl = serveSubstrings();
        const orders = newFolder();
        const references = ["1", "ORDER-1", "R-1"];
        for (const reference of references) await run(baseUrl, orders, "start", reference, "0712345678", "100");
        for (const [index, reference] of references.entries())
          expect((await run(baseUrl, orders, "ask", reference)).result).toMatchObject({
            status: "completed",
            checkout_request_id: `ws_CO_${index + 1}`,
          });
      });
    });
  });
}
