import { afterAll, expect, test } from "bun:test";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { describeWith } from "../../support/needs.ts";
import {
  CHECKOUT_ID,
  json,
  LOST,
  OWN_ROW,
  PAID,
  PAYMENT,
  PROGRAMS,
  runnerOf,
  serveService,
  storeNotFound,
} from "./programs.ts";

/** What services answer to pushes and polls. */

afterAll(cleanUp);

for (const program of PROGRAMS) {
  const { name, needs } = program;
  const run = runnerOf(program);

  describeWith(needs, `the client in ${name}`, () => {
    test.each([
      [404, "no such payment", "refused"],
      [400, "checkout_request_id is wrong", "refused"],
      [403, "the account is closed", "refused"],
      [401, "the key is wrong", "credentials"],
    ])(
      "tells that the service answers %d for a payment that it had, and keeps the order open",
      async (status, message, code) => {
        let isRefused = true;
        const { baseUrl, pushes, orders } = serveService({
          status: () => (isRefused ? json({ message }, status) : json(PAID)),
        });
        await run(baseUrl, orders, "start", ...PAYMENT);
        for (const call of [
          ["ask", "ORDER-0001"],
          ["wait", "ORDER-0001"],
        ]) {
          const said = await run(baseUrl, orders, ...call);
          expect(said).toMatchObject({ error: { code, message, may_have_paid: true } });
        }
        expect((await run(baseUrl, orders, "open")).result).toMatchObject([{ status: "pending" }]);
        isRefused = false;
        expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe("completed");
        expect(pushes()).toBe(1);
      },
    );

    test.each([
      ["the paid one", ["expired", "completed"], "completed"],
      ["none while one of them is pending", ["expired", "pending"], "unknown"],
      ["the newest, if none is paid", ["expired", "failed"], "expired"],
    ])("of a push that a proxy has repeated, takes %s", async (_, statuses, status) => {
      const rows = statuses.map((one, index) => ({ ...OWN_ROW, id: index + 1, status: one }));
      const list = (_page: number, search: string, pushed: string) =>
        json({ transactions: search === pushed ? rows : [] });
      const { baseUrl, orders } = serveService({ push: LOST, list });
      expect((await run(baseUrl, orders, "start", ...PAYMENT)).status).toBe("unknown");
      expect((await run(baseUrl, orders, "ask", "ORDER-0001")).status).toBe(status);
    });

    test.each([
      ["COMPLETED"],
      ["paid"],
      ["not_started"],
      ["unknown"],
      [""],
      [null],
      [5],
      [["completed"]],
      [{ completed: true }],
    ])("learns nothing from the status %p, and says so", async (status) => {
      const { baseUrl, orders } = serveService({ status: () => json({ ...PAID, status }) });
      await run(baseUrl, orders, "start", ...PAYMENT);
      const said = await run(baseUrl, orders, "ask", "ORDER-0001");
      expect(said).toMatchObject({ status: "pending", may_have_paid: true });
      expect((said.result as { reason: string }).reason).toStartWith("the service shows ");
      const row = { ...OWN_ROW, status };
      const lost = serveService({ push: LOST, row });
      const others = newFolder();
      await run(lost.baseUrl, others, "start", ...PAYMENT);
      expect(await run(lost.baseUrl, others, "ask", "ORDER-0001")).toMatchObject({ status: "unknown" });
    });

    test("does not take the answer about another payment", async () => {
      const { baseUrl, orders } = serveService({ status: () => json({ ...PAID, checkout_request_id: "ws_CO_2" }) });
      await run(baseUrl, orders, "start", ...PAYMENT);
      const { result } = await run(baseUrl, orders, "ask", "ORDER-0001");
      expect(result).toMatchObject({ status: "pending", reason: `/status.php: the answer is not of ${CHECKOUT_ID}` });
    });

    test.each([
      ["another phone", { phone: "2547****5678" }],
      ["another amount", { amount: 101 }],
    ])("never says not_started of a push that the service shows with %s", async (_, shown) => {
      const list = (_page: number, search: string, pushed: string) =>
        json({ transactions: search !== "" && pushed.startsWith(search) ? [{ ...OWN_ROW, ...shown }] : [] });
      const { baseUrl, orders } = serveService({ push: LOST, list });
      await run(baseUrl, orders, "start", ...PAYMENT);
      storeNotFound(orders, 599_000);
      expect((await run(baseUrl, orders, "ask", "ORDER-0001")).result).toMatchObject({
        status: "unknown",
        reason: "the service shows a payment that can be that of ORDER-0001",
      });
      expect((await run(baseUrl, newFolder(), "find", ...PAYMENT)).error).toMatchObject({ code: "unknown" });
    });

    test("gives no reason for a push that is accepted", async () => {
      const push = () => json({ checkout_request_id: CHECKOUT_ID, result_desc: "Request accepted" });
      const { result } = await run(serveService({ push }).baseUrl, newFolder(), "start", ...PAYMENT);
      expect(result).toMatchObject({ status: "pending", may_have_paid: true });
      expect(result).not.toHaveProperty("reason");
    });

    test("says that a payment has no status", async () => {
      const { baseUrl, orders } = serveService({ status: () => json({ amount: 100 }) });
      await run(baseUrl, orders, "start", ...PAYMENT);
      const { result } = await run(baseUrl, orders, "ask", "ORDER-0001");
      expect(result).toMatchObject({ status: "pending", reason: "the service shows [null]" });
    });

    test("says why it does not know", async () => {
      let isBusy = false;
      const list = () => (isBusy ? json({ message: "busy" }, 503) : json({ transactions: [] }));
      const { baseUrl, orders } = serveService({ push: LOST, list });
      const reasonOf = ({ result }: { result: unknown }) => (result as { reason?: string }).reason;
      expect(reasonOf(await run(baseUrl, orders, "start", ...PAYMENT))).toBe("/stkpush.php: HTTP 504");
      expect(reasonOf(await run(baseUrl, orders, "ask", "ORDER-0001"))).toBe("the service shows no payment");
      isBusy = true;
      expect(reasonOf(await run(baseUrl, orders, "ask", "ORDER-0001"))).toBe("busy");
      storeNotFound(orders, 600_000);
      expect((await run(baseUrl, orders, "ask", "ORDER-0001")).result).toMatchObject({
        status: "not_started",
        receipt: null,
        result_code: null,
        result_desc: "not found in time",
      });
    });

    test.each([[["no"]], [{ text: "no" }], [5], [true]])(
      "takes a refusal whose message is %p for a refusal",
      async (message) => {
        const { baseUrl } = serveService({ push: () => json({ message }, 400) });
        const { error } = await run(baseUrl, newFolder(), "start", ...PAYMENT);
        expect(error).toMatchObject({ code: "refused", may_have_paid: false });
      },
    );

    test("takes the words of a refused push in the answer to a question for no end", async () => {
      const { baseUrl, orders } = serveService({ status: () => json({ message: "STK push initiation failed" }, 500) });
      await run(baseUrl, orders, "start", ...PAYMENT);
      expect(await run(baseUrl, orders, "ask", "ORDER-0001")).toMatchObject({ status: "pending" });
    });

    test("takes a list of pairs for no answer", async () => {
      const pairs = () =>
        Response.json([
          ["success", true],
          ["checkout_request_id", CHECKOUT_ID],
        ]);
      const { baseUrl } = serveService({ push: pairs });
      expect(await run(baseUrl, newFolder(), "start", ...PAYMENT)).toMatchObject({ status: "unknown" });
    });

    test("takes a refusal without a message for a refusal", async () => {
      const { baseUrl } = serveService({ push: () => Response.json({ success: false }, { status: 400 }) });
      const { error } = await run(baseUrl, newFolder(), "start", ...PAYMENT);
      expect(error).toEqual({ code: "refused", message: "/stkpush.php: HTTP 400", may_have_paid: false });
    });
  });
}
