import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { AuditReport } from "../../../npm/records.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { readDocument } from "../../support/documents.ts";
import { describeWith } from "../../support/needs.ts";
import { until } from "../../support/waiting.ts";
import { delivered, KINDS, type Kind, openShop, type Shop } from "./shops.ts";

/** The example shops: what they do when customers pay, cancel and come back, and what the audit finds in the wrong ones. */

afterAll(cleanUp);

const loseTheAnswer = { kind: "disconnect", path: "/stkpush.php", times: 1 };

for (const [name, kind] of Object.entries(KINDS)) {
  describeWith(kind.needs, `${name}: ${kind.right}`, () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await openShop(kind, kind.right);
    });

    test("a customer who pays, with two clicks, is charged once", async () => {
      expect(await shop.pay("order1001")).toMatchObject({ status: "pending", asks_again: true });
      expect(await shop.pay("order1001")).toMatchObject({ status: "pending" });
      expect(await shop.later("order1001")).toMatchObject({ status: "completed", asks_again: false });
      expect(await shop.momo.list()).toHaveLength(1);
    });

    test("an order whose answer was lost is found, and not pushed again", async () => {
      await shop.momo.control("POST", "/faults", loseTheAnswer);
      expect(await shop.pay("order1002")).toMatchObject({ status: "unknown", asks_again: true });
      expect(await shop.later("order1002")).toMatchObject({ status: "completed", asks_again: false });
      expect(await shop.momo.list()).toHaveLength(2);
    });

    test("an unknown order is refused, and starts nothing", async () => {
      expect(await shop.pay("order1003")).toEqual({ text: "There is no such order." });
      expect(await shop.momo.list()).toHaveLength(2);
    });

    test("its audit is clean, to the last note", async () => {
      expect((await shop.audit()).findings).toEqual([]);
    });
  });

  describeWith(kind.needs, `${name}: ${kind.right}, customers who do not pay`, () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await openShop(kind, kind.right);
    });

    test("who cancels can try again, and pays once", async () => {
      expect(await shop.pay("order1001", "254700000032")).toMatchObject({ status: "pending" });
      expect(await shop.later("order1001")).toMatchObject({ status: "cancelled", asks_again: false });
      expect(await shop.pay("order1001")).toMatchObject({ status: "pending" });
      expect(await shop.pay("order1001")).toMatchObject({ status: "pending" });
      expect(await shop.later("order1001")).toMatchObject({ status: "completed" });
      expect(await shop.pay("order1001")).toMatchObject({ status: "completed" });
      expect(await shop.momo.list()).toHaveLength(2);
      expect(delivered(shop.folder)).toEqual(["order1001.delivered"]);
    });

    test("whose phone is none hears it in the words of the shop", async () => {
      expect(await shop.pay("order1002", "07")).toEqual({ text: "Please enter a phone number." });
    });

    test("whom the network refuses hears at once that nothing was paid", async () => {
      expect(await shop.pay("order1002", "254700000500")).toMatchObject({ status: "not_started", asks_again: false });
    });

    test("its audit is clean", async () => {
      expect((await shop.audit()).findings).toEqual([]);
    });
  });
}

for (const [name, kind] of Object.entries(KINDS).filter(([, { hook }]) => hook)) {
  describeWith(kind.needs, `${name}: what was paid is delivered once`, () => {
    test("by a page, by a webhook that comes twice, and not by a webhook about another payment", async () => {
      const shop = await openShop(kind, kind.right);
      await shop.pay("order1001");
      const [row] = await shop.momo.list();
      await shop.momo.control("POST", "/clock", { advance: "5s" });
      const hook = { status: "completed", checkout_request_id: row?.checkout_request_id };
      expect(await shop.post("/hook", { ...hook, checkout_request_id: "ws_CO_forged" })).toBe(404);
      expect(await shop.post("/hook", { status: "completed" })).toBe(404);
      expect(delivered(shop.folder)).toEqual([]);
      expect(await shop.post("/hook", { data: hook })).toBe(200);
      expect(await shop.post("/hook", hook)).toBe(200);
      expect(await shop.get("/orders/order1001")).toMatchObject({ status: "completed" });
      expect(delivered(shop.folder)).toEqual(["order1001.delivered"]);
      expect((await shop.audit()).findings).toEqual([]);
    });
  });
}

for (const [name, kind] of Object.entries(KINDS).filter(([, { cron }]) => cron)) {
  describeWith(kind.needs, `${name}: a cron`, () => {
    test("delivers what nobody asks for, and what a crash has left between the end and the booking", async () => {
      const shop = await openShop(kind, kind.right);
      await shop.pay("order1001");
      await shop.momo.control("POST", "/clock", { advance: "5s" });
      await kind.cron?.(shop);
      expect(delivered(shop.folder)).toEqual(["order1001.delivered"]);
      rmSync(join(shop.folder, "orders/order1001.delivered")); // as if the shop had not booked it
      await kind.cron?.(shop);
      expect(delivered(shop.folder)).toEqual(["order1001.delivered"]);
      expect((await shop.audit()).findings).toEqual([]);
    });
  });
}

/** The kinds and severities that the page names under the file. */
const foundIn = (report: AuditReport) => report.findings.map(({ severity, kind }) => `${severity}: ${kind}`).sort();

/** What docs/shops.md says that the audit finds, in the section of a file. */
function promised(file: string): string[] {
  const section = readDocument("docs/shops.md")
    .text.split(/^## /m)
    .find((text) => text.includes(`examples/${file})`));
  return [...(section ?? "").matchAll(/^- `(\w+)` \((error|warning|note)\)/gm)]
    .map(([, kind, severity]) => `${severity}: ${kind}`)
    .sort();
}

describeWith(["node", "Express"], "Express, wrong", () => {
  test("a lost answer makes it push again, and the audit says so", async () => {
    const shop = await openShop(KINDS.Express as Kind, "shop-express-wrong.mjs");
    await shop.momo.control("POST", "/faults", loseTheAnswer);
    const { checkout_request_id } = await shop.pay("order1001");
    await shop.momo.control("POST", "/clock", { advance: "5s" });
    expect(await shop.get(`/payments/${checkout_request_id}`)).toMatchObject({ status: "completed" });
    expect(await shop.momo.list("?status=completed")).toHaveLength(2);
    expect(foundIn(await shop.audit())).toEqual(promised("shop-express-wrong.mjs"));
  });
});

describeWith([], "Next.js, wrong", () => {
  test("a customer who pays after 15 s is told that the payment failed", async () => {
    const shop = await openShop(KINDS["Next.js"] as Kind, "shop-next-wrong.mjs");
    await shop.momo.control("PUT", "/default", { outcome: "completed", after: "30s" });
    // The route waits in real time: this clock follows each of its polls.
    const answer = shop.pay("order1001");
    for (let polls = 0; polls < 5; polls += 1) {
      await until(
        async () => (await shop.momo.control("GET", "/requests?path=status.php")).requests as unknown[],
        ({ length }) => length > polls,
      );
      await shop.momo.control("POST", "/clock", { advance: "3s" });
    }
    expect(await answer).toEqual({ text: "The payment failed." });
    await shop.momo.control("POST", "/clock", { advance: "1m" });
    expect(foundIn(await shop.audit())).toEqual(promised("shop-next-wrong.mjs"));
  });
});

describeWith(["php"], "PHP, wrong", () => {
  test("a customer who cancelled gets what another customer has paid", async () => {
    const shop = await openShop(KINDS.PHP as Kind, "shop-wrong.php");
    const { checkout_request_id } = await shop.pay("order1001", "254700000032");
    await shop.pay("order1002");
    await shop.momo.control("POST", "/clock", { advance: "5s" });
    expect(await shop.get(`/?checkout_request_id=${checkout_request_id}`)).toEqual({ paid: true });
    expect(foundIn(await shop.audit())).toEqual(promised("shop-wrong.php"));
  });
});
