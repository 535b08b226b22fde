import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { serveFake } from "../../support/fake-server.ts";
import { describeWith } from "../../support/needs.ts";
import { TEST_TIMEOUT_MS } from "../../support/waiting.ts";
import {
  CHECKOUT_ID,
  json,
  PAID,
  PAYMENT,
  PHONE,
  PROGRAMS,
  runnerOf,
  serveService,
  storeNotFound,
} from "./programs.ts";

/** Services that do not search, or only a part of it, and whose lists have short pages. */

const LOST = () => json({}, 504);
const OWN_ROW = { id: 7, amount: 100, phone: "254712345678", checkout_request_id: CHECKOUT_ID, ...PAID };

/** For how long a push was not found, as the folder has it. */
function notFoundMs(orders: string): number {
  const texts = readdirSync(orders).map((file) => readFileSync(join(orders, file), "utf8"));
  return Math.max(...texts.map((text) => JSON.parse(text).not_found_ms ?? 0));
}

afterAll(cleanUp);

for (const program of PROGRAMS) {
  const { name, needs } = program;
  const run = runnerOf(program);

  describeWith(needs, `the client in ${name}`, () => {
    test(
      "finds a payment that comes after its order was not found in time",
      async () => {
        let rows: object[] = [];
        const list = (_page: number, search: string, pushed: string) =>
          json({ transactions: search === pushed ? rows : [] });
        const { baseUrl, pushes } = serveService({ push: LOST, list });
        const orders = newFolder();
        expect((await run(baseUrl, orders, "start", ...PAYMENT)).status).toBe("unknown");
        storeNotFound(orders, 600_000);
        const notStarted = { status: "not_started", may_have_paid: false };
        expect(await run(baseUrl, orders, "ask", "ORDER-0001")).toMatchObject(notStarted);
        expect(await run(baseUrl, orders, "ask", "ORDER-0001")).toMatchObject(notStarted);
        rows = [OWN_ROW];
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe("completed");
        expect(pushes()).toBe(1);
      },
      TEST_TIMEOUT_MS,
    );

    test(
      "does not say which payment is that of a stored order, if the service searches for phones alone",
      async () => {
        const list = (_page: number, search: string) => json({ transactions: search === PHONE ? [OWN_ROW] : [] });
        const { baseUrl } = serveService({ status: () => json(PAID), list });
        const orders = newFolder();
        await run(baseUrl, orders, "start", ...PAYMENT);
        await run(baseUrl, orders, "ask", "ORDER-0001");
        expect((await run(baseUrl, orders, "find", ...PAYMENT)).error).toMatchObject({ code: "unknown" });
      },
      TEST_TIMEOUT_MS,
    );

    test.each([
      ["a service that ignores the page", () => 0],
      ["100 payments that arrive between two pages", (page: number) => (page - 1) * 100],
    ])(
      "takes no part of a list for the whole: %s",
      async (_, shift) => {
        const rows = Array.from({ length: 250 }, (__, index) => ({ ...OWN_ROW, id: index + 1, phone: "254700000000" }));
        const list = (page: number) => {
          const first = shift(page) === 0 ? 0 : (page - 1) * 100 - shift(page);
          return json({ transactions: rows.slice(first, first + 100) });
        };
        const { baseUrl } = serveService({ push: LOST, list });
        const orders = newFolder();
        await run(baseUrl, orders, "start", ...PAYMENT);
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).result).toMatchObject({
          status: "unknown",
          reason: "/transactions.php: a list without its end",
        });
      },
      TEST_TIMEOUT_MS,
    );

    test(
      "takes no part of a list for the whole: pages of ten rows, while ten payments arrive between two pages",
      async () => {
        const rows = Array.from({ length: 40 }, (_, index) => ({ ...OWN_ROW, id: index + 1, phone: "254700000000" }));
        const list = (page: number) =>
          json({ transactions: rows.slice(0, 10), pagination: { current_page: page, total_pages: 3 + page } });
        const { baseUrl } = serveService({ push: LOST, list });
        const orders = newFolder();
        await run(baseUrl, orders, "start", ...PAYMENT);
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).result).toMatchObject({
          status: "unknown",
          reason: "/transactions.php: a list without its end",
        });
      },
      TEST_TIMEOUT_MS,
    );

    test(
      "ends a list of which each page has new rows, without an end",
      async () => {
        let id = 0;
        const list = () => {
          id += 1;
          return json({ transactions: [{ ...OWN_ROW, id }] });
        };
        const { baseUrl, looks } = serveService({ list });
        const { error } = await run(baseUrl, newFolder(), "find", ...PAYMENT);
        expect(error).toMatchObject({ code: "unknown", message: "/transactions.php: a list without its end" });
        expect(looks()).toBe(10_000);
      },
      TEST_TIMEOUT_MS,
    );

    test.each([
      ["amount", true],
      ["phone", { number: "254712345678" }],
      ["phone", true],
      ["phone", null],
    ])(
      "takes no row whose %s is %p for that of an order of 100",
      async (member, value) => {
        const list = (_page: number, search: string, pushed: string) =>
          json({ transactions: search === pushed ? [{ ...OWN_ROW, [member]: value }] : [] });
        const { baseUrl } = serveService({ push: LOST, list });
        const orders = newFolder();
        await run(baseUrl, orders, "start", ...PAYMENT);
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).result).toMatchObject({
          status: "unknown",
          reason: "the service shows a payment that can be that of ORDER-0001",
        });
      },
      TEST_TIMEOUT_MS,
    );

    test.each([
      ["id", [1]],
      ["id", {}],
      ["id", null],
      ["checkout_request_id", [1]],
      ["checkout_request_id", { a: 1 }],
    ])(
      "never says not_started where the list has a row whose %s is %p",
      async (member, value) => {
        const list = (_page: number, search: string) =>
          json({
            transactions: search === PHONE ? [{ ...OWN_ROW, [member]: value }] : [],
            pagination: { total_pages: 1 },
          });
        const { baseUrl } = serveService({ push: LOST, list });
        const orders = newFolder();
        await run(baseUrl, orders, "start", ...PAYMENT);
        storeNotFound(orders, 599_000);
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe("unknown");
      },
      TEST_TIMEOUT_MS,
    );

    test.each(["1,000.00", "", null, {}])(
      "takes no row whose amount is %p for that of its order",
      async (amount) => {
        const list = (_page: number, search: string) =>
          json({ transactions: search === PHONE ? [{ ...OWN_ROW, amount }] : [] });
        const { baseUrl } = serveService({ push: LOST, list });
        const orders = newFolder();
        await run(baseUrl, orders, "start", ...PAYMENT);
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).result).toMatchObject({
          status: "unknown",
          reason: "the service shows no payment",
        });
      },
      TEST_TIMEOUT_MS,
    );

    test.each([[[]], [null], [{}], [{ total_pages: "3" }], [{ total_pages: [] }], ["x"], [5]])(
      "reads a list whose pagination is %p",
      async (pagination) => {
        const list = (_page: number, search: string, pushed: string) =>
          json({ transactions: search === pushed ? [OWN_ROW] : [], pagination });
        const { baseUrl } = serveService({ push: LOST, list });
        const orders = newFolder();
        await run(baseUrl, orders, "start", ...PAYMENT);
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe("completed");
      },
      TEST_TIMEOUT_MS,
    );

    test.each([
      ["of the same phone and amount", [OWN_ROW]],
      ["of many customers", [{ ...OWN_ROW, id: 1, amount: 5 }, OWN_ROW]],
    ])(
      "does not believe a service that ignores the search, and lists payments %s",
      async (_, rows) => {
        const { baseUrl } = serveService({ push: LOST, list: () => json({ transactions: rows }) });
        const orders = newFolder();
        await run(baseUrl, orders, "start", ...PAYMENT);
        for (let look = 0; look < 2; look += 1) {
          const said = await run(baseUrl, orders, "ask", "ORDER-0001");
          expect(said).toMatchObject({ status: "unknown", checkout_request_id: null, may_have_paid: true });
        }
        expect(notFoundMs(orders)).toBe(0);
        const { error } = await run(baseUrl, orders, "find", ...PAYMENT);
        expect(error?.code).toBe("unknown");
        expect(error?.message).toContain("the service shows a payment that can be that of");
      },
      TEST_TIMEOUT_MS,
    );

    test.each([
      ["no payment", [], true],
      [
        "payments of another phone and another amount",
        [
          { ...OWN_ROW, phone: "254799999999" },
          { ...OWN_ROW, amount: 2 },
        ],
        true,
      ],
      ["a payment of this phone and amount that another order has", [OWN_ROW], true],
      [
        "a payment of this phone and amount that is no other order's",
        [{ ...OWN_ROW, checkout_request_id: "ws_CO_2" }],
        false,
      ],
      ["a payment of this phone and amount without an id", [{ ...OWN_ROW, checkout_request_id: undefined }], false],
    ])(
      "of a service that searches for phones alone, and lists %s",
      async (_, rows, isNotStarted) => {
        let isAnswered = true;
        const { baseUrl } = serveService({
          push: () => (isAnswered ? json({ checkout_request_id: CHECKOUT_ID }) : LOST()),
          status: () => json(PAID),
          list: (_page, search) => json({ transactions: search === PHONE ? rows : [] }),
        });
        const orders = newFolder();
        await run(baseUrl, orders, "start", "ORDER-0002", "0712345678", "100");
        await run(baseUrl, orders, "ask", "ORDER-0002");
        isAnswered = false;
        expect((await run(baseUrl, orders, "start", ...PAYMENT)).status).toBe("unknown");
        storeNotFound(orders, 599_000);
        const { status } = await run(baseUrl, orders, "ask", "ORDER-0001");
        expect(status).toBe(isNotStarted ? "not_started" : "unknown");
      },
      TEST_TIMEOUT_MS,
    );

    test.each([
      ["phones alone", false, "unknown"],
      ["phones and references", true, "completed"],
    ])(
      "of a service that shows phones as 07…, and searches %s",
      async (_, searchesReferences, expected) => {
        const row = { ...OWN_ROW, phone: "0712345678" };
        const list = (_page: number, search: string, pushed: string) => {
          const isReference = searchesReferences && search === pushed;
          return json({ transactions: isReference || row.phone.startsWith(search) ? [row] : [] });
        };
        const { baseUrl } = serveService({ push: LOST, list });
        const orders = newFolder();
        await run(baseUrl, orders, "start", ...PAYMENT);
        storeNotFound(orders, 599_000);
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe(expected);
      },
      TEST_TIMEOUT_MS,
    );

    test.each([
      ["a number", 100],
      ["a text", "100"],
      ["a text with a decimal", "100.0"],
      ["a text with decimals", "100.00"],
    ])(
      "finds the payment whose amount is %s",
      async (_, amount) => {
        const { baseUrl } = serveService({ push: LOST, row: { ...OWN_ROW, amount } });
        const orders = newFolder();
        await run(baseUrl, orders, "start", ...PAYMENT);
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe("completed");
      },
      TEST_TIMEOUT_MS,
    );

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

      test(
        "does not show the payment of another order, whose reference ends with the one to find",
        async () => {
          const baseUrl = serveSubstrings();
          const others = newFolder();
          for (const reference of ["ORDER-1", "X 1", "11"])
            await run(baseUrl, others, "start", reference, "0712345678", "100");
          const { error } = await run(baseUrl, newFolder(), "find", "1", "0712345678", "100");
          expect(error).toMatchObject({ code: "unknown", may_have_paid: true });
          expect((await run(baseUrl, newFolder(), "find", "order-1", "0712345678", "100")).result).toMatchObject({
            id: 1,
          });
        },
        TEST_TIMEOUT_MS,
      );

      test(
        "takes the own payment of each order, if the answers to the pushes were lost",
        async () => {
          const baseUrl = serveSubstrings();
          const orders = newFolder();
          const references = ["1", "ORDER-1", "R-1"];
          for (const reference of references) await run(baseUrl, orders, "start", reference, "0712345678", "100");
          for (const [index, reference] of references.entries())
            expect((await run(baseUrl, orders, "ask", reference)).result).toMatchObject({
              status: "completed",
              checkout_request_id: `ws_CO_${index + 1}`,
            });
        },
        TEST_TIMEOUT_MS,
      );
    });

    const page = (number: number) => ({ id: number, amount: 1, phone: "254700000000", status: "failed" });
    test.each([
      ["says that there are three", { per_page: 100, total_pages: 3 }],
      ["has no size of its pages", { per_page: null, total_pages: 3 }],
      ["has no total", { per_page: null, total_pages: null }],
      ["has null for the pages", null],
      ["has an array for the pages", []],
    ])(
      "reads pages that are short to the end of a list that %s",
      async (_, pagination) => {
        const rows = [page(1), page(2), OWN_ROW];
        const list = (number: number, search: string) => {
          const isOwn = /~[0-9a-f]+$/.test(search) || search === PHONE;
          return json(isOwn ? { transactions: rows.slice(number - 1, number), pagination } : { transactions: [] });
        };
        const { baseUrl } = serveService({ list });
        // All rows have the start of the reference, and one has the phone and the amount.
        const { result } = await run(baseUrl, newFolder(), "find", ...PAYMENT);
        expect(result).toMatchObject({ id: 7 });
      },
      TEST_TIMEOUT_MS,
    );
  });
}
