import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { describeWith } from "../../support/needs.ts";
import {
  askAfterLoss,
  CHECKOUT_ID,
  json,
  LOST,
  OWN_ROW,
  PAID,
  PAYMENT,
  PHONE,
  PROGRAMS,
  runnerOf,
  serveService,
  storeNotFound,
} from "./programs.ts";

/** Services that do not search, or only a part of it, and whose lists have short pages. */

/** For how long a push was not found, as the folder has it. */
function notFoundMs(orders: string): number {
  const texts = readdirSync(orders).map((file) => readFileSync(join(orders, file), "utf8"));
  return Math.max(0, ...texts.flatMap((text) => JSON.parse(text).clocks?.[0].not_found_ms ?? []));
}

afterAll(cleanUp);

for (const program of PROGRAMS) {
  const { name, needs } = program;
  const run = runnerOf(program);

  describeWith(needs, `the client in ${name}`, () => {
    test("finds a payment that comes after its order was not found in time", async () => {
      let rows: object[] = [];
      const list = (_page: number, search: string, pushed: string) =>
        json({ transactions: search === pushed ? rows : [] });
      const { baseUrl, pushes, orders } = serveService({ push: LOST, list });
      expect((await run(baseUrl, orders, "start", ...PAYMENT)).status).toBe("unknown");
      storeNotFound(orders, 600_000);
      const notStarted = { status: "not_started", may_have_paid: false };
      expect(await run(baseUrl, orders, "ask", "ORDER-0001")).toMatchObject(notStarted);
      expect(await run(baseUrl, orders, "ask", "ORDER-0001")).toMatchObject(notStarted);
      rows = [OWN_ROW];
      expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe("completed");
      expect(pushes()).toBe(1);
    });

    test("does not say which payment is that of a stored order, if the service searches for phones alone", async () => {
      const list = (_page: number, search: string) => json({ transactions: search === PHONE ? [OWN_ROW] : [] });
      const { baseUrl, orders } = serveService({ status: () => json(PAID), list });
      await run(baseUrl, orders, "start", ...PAYMENT);
      await run(baseUrl, orders, "ask", "ORDER-0001");
      expect((await run(baseUrl, orders, "find", ...PAYMENT)).error).toMatchObject({ code: "unknown" });
    });

    test.each([
      ["a service that ignores the page", () => 0],
      ["100 payments that arrive between two pages", (page: number) => (page - 1) * 100],
    ])("takes no part of a list for the whole: %s", async (_, shift) => {
      const rows = Array.from({ length: 250 }, (__, index) => ({ ...OWN_ROW, id: index + 1, phone: "254700000000" }));
      const list = (page: number) => {
        const first = shift(page) === 0 ? 0 : (page - 1) * 100 - shift(page);
        return json({ transactions: rows.slice(first, first + 100) });
      };
      expect((await askAfterLoss(run, list)).result).toMatchObject({
        status: "unknown",
        reason: "/transactions.php: a list without its end",
      });
    });

    test("takes no part of a list for the whole: pages of ten rows, while ten payments arrive between two pages", async () => {
      const rows = Array.from({ length: 40 }, (_, index) => ({ ...OWN_ROW, id: index + 1, phone: "254700000000" }));
      const list = (page: number) =>
        json({ transactions: rows.slice(0, 10), pagination: { current_page: page, total_pages: 3 + page } });
      expect((await askAfterLoss(run, list)).result).toMatchObject({
        status: "unknown",
        reason: "/transactions.php: a list without its end",
      });
    });

    test.each([
      ["of the same phone and amount", [OWN_ROW]],
      ["of many customers", [{ ...OWN_ROW, id: 1, amount: 5 }, OWN_ROW]],
    ])("does not believe a service that ignores the search, and lists payments %s", async (_, rows) => {
      const { baseUrl, orders } = serveService({ push: LOST, list: () => json({ transactions: rows }) });
      await run(baseUrl, orders, "start", ...PAYMENT);
      for (let look = 0; look < 2; look += 1) {
        const said = await run(baseUrl, orders, "ask", "ORDER-0001");
        expect(said).toMatchObject({ status: "unknown", checkout_request_id: null, may_have_paid: true });
      }
      expect(notFoundMs(orders)).toBe(0);
      const { error } = await run(baseUrl, orders, "find", ...PAYMENT);
      expect(error?.code).toBe("unknown");
      expect(error?.message).toContain("the service shows a payment that can be that of");
    });

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
    ])("of a service that searches for phones alone, and lists %s", async (_, rows, isNotStarted) => {
      let isAnswered = true;
      const { baseUrl, orders } = serveService({
        push: () => (isAnswered ? json({ checkout_request_id: CHECKOUT_ID }) : LOST()),
        status: () => json(PAID),
        list: (_page, search) => json({ transactions: search === PHONE ? rows : [] }),
      });
      await run(baseUrl, orders, "start", "ORDER-0002", "0712345678", "100");
      await run(baseUrl, orders, "ask", "ORDER-0002");
      isAnswered = false;
      expect((await run(baseUrl, orders, "start", ...PAYMENT)).status).toBe("unknown");
      storeNotFound(orders, 599_000);
      const { status } = await run(baseUrl, orders, "ask", "ORDER-0001");
      expect(status).toBe(isNotStarted ? "not_started" : "unknown");
    });

    test.each([
      ["phones alone", false, "unknown"],
      ["phones and references", true, "completed"],
    ])("of a service that shows phones as 07…, and searches %s", async (_, searchesReferences, expected) => {
      const row = { ...OWN_ROW, phone: "0712345678" };
      const list = (_page: number, search: string, pushed: string) => {
        const isReference = searchesReferences && search === pushed;
        return json({ transactions: isReference || row.phone.startsWith(search) ? [row] : [] });
      };
      expect((await askAfterLoss(run, list, 599_000)).status).toBe(expected);
    });

    const page = (number: number) => ({ id: number, amount: 1, phone: "254700000000", status: "failed" });
    test.each([
      ["says that there are three", { per_page: 100, total_pages: 3 }],
      ["has no size of its pages", { per_page: null, total_pages: 3 }],
      ["has no total", { per_page: null, total_pages: null }],
      ["has null for the pages", null],
      ["has an array for the pages", []],
    ])("reads pages that are short to the end of a list that %s", async (_, pagination) => {
      const rows = [page(1), page(2), OWN_ROW];
      const list = (number: number, search: string) => {
        const isOwn = /~[0-9a-f]+$/.test(search) || search === PHONE;
        return json(isOwn ? { transactions: rows.slice(number - 1, number), pagination } : { transactions: [] });
      };
      const { baseUrl } = serveService({ list });
      // All rows have the start of the reference, and one has the phone and the amount.
      const { result } = await run(baseUrl, newFolder(), "find", ...PAYMENT);
      expect(result).toMatchObject({ id: 7 });
    });
  });
}
