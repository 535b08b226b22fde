import { afterAll, expect, test } from "bun:test";
import type { AuditReport } from "../../../npm/records.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { readDocument } from "../../support/documents.ts";
import { describeWith } from "../../support/needs.ts";
import { until } from "../../support/waiting.ts";
import { KINDS, type Kind, loseTheAnswer, openShop } from "./shops.ts";

/** The example shops as they are usually written wrong: what happens, and what the audit says. */

afterAll(cleanUp);

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

describeWith(["python3"], "Python, wrong", () => {
  test("a customer who forges the webhook gets the order, and pays nothing", async () => {
    const shop = await openShop(KINDS.Python as Kind, "shop-wrong.py");
    await shop.pay("order1001", "254700000032");
    await shop.momo.control("POST", "/clock", { advance: "5s" });
    expect(await shop.post("/hook", { data: { status: "completed", reference: "order1001" } })).toBe(200);
    expect(await shop.get("/orders/order1001")).toEqual({ paid: true });
    expect(await shop.momo.list("?status=completed")).toEqual([]);
  });

  test("the audit says that a webhook proves no booking", async () => {
    const shop = await openShop(KINDS.Python as Kind, "shop-wrong.py");
    await shop.momo.control("PUT", "/webhook", { url: `${shop.origin}/hook` });
    await shop.pay("order1001");
    await shop.momo.control("POST", "/clock", { advance: "5s" });
    expect(await shop.get("/orders/order1001")).toEqual({ paid: true });
    expect(foundIn(await shop.audit())).toEqual(promised("shop-wrong.py"));
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
