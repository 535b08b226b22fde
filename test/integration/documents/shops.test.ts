import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp } from "../../support/cleanup.ts";
import { describeWith } from "../../support/needs.ts";
import { delivered, fileOf, KINDS, loseTheAnswer, newShop, openShop, type Shop } from "./shops.ts";

/** The example shops: what they do when customers pay, cancel and come back. */

afterAll(cleanUp);

for (const [name, kind] of Object.entries(KINDS)) {
  describeWith(kind.needs, `${name}: ${kind.right}`, () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await newShop(kind);
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
      shop = await newShop(kind);
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

    test("who cancels, and clicks twice at once to try again, gets one prompt", async () => {
      await shop.renew();
      await shop.pay("order1001", "254700000032");
      await shop.momo.control("POST", "/clock", { advance: "5s" });
      await Promise.all([shop.pay("order1001"), shop.pay("order1001")]);
      expect(await shop.later("order1001")).toMatchObject({ status: "completed" });
      expect(await shop.momo.list()).toHaveLength(2);
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
      const shop = await newShop(kind);
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

    test("while the file of one order cannot be read, by a webhook about another one", async () => {
      const shop = await openShop(kind, kind.right);
      await shop.pay("order1001");
      await shop.pay("order1002");
      const rows = await shop.momo.list();
      const row = rows.find(({ amount }) => amount === 250);
      await shop.momo.control("POST", "/clock", { advance: "5s" });
      writeFileSync(fileOf(shop, "order1001-1~pending"), "{");
      expect(await shop.post("/hook", { checkout_request_id: row?.checkout_request_id })).toBe(200);
      expect(delivered(shop.folder)).toEqual(["order1002.delivered"]);
      const first = rows.find(({ amount }) => amount === 100);
      expect(await shop.post("/hook", { checkout_request_id: first?.checkout_request_id })).toBe(503);
    });

    test("if the service refuses the question, the webhook is answered with 503", async () => {
      const shop = await newShop(kind);
      await shop.pay("order1001");
      const [row] = await shop.momo.list();
      await shop.momo.control("POST", "/faults", { kind: "error", path: "/status.php", status: 403, times: 1 });
      expect(await shop.post("/hook", { checkout_request_id: row?.checkout_request_id })).toBe(503);
    });
  });
}

for (const [name, kind] of Object.entries(KINDS)) {
  describeWith(kind.needs, `${name}: a cron`, () => {
    test("delivers, once, what nobody asks for, and what was paid when the server had ended", async () => {
      const shop = await newShop(kind);
      await shop.pay("order1001");
      await shop.restart();
      await shop.momo.control("POST", "/clock", { advance: "5s" });
      const said = [await kind.cron(shop), await kind.cron(shop), shop.said()].join("");
      expect(delivered(shop.folder)).toEqual(["order1001.delivered"]);
      expect(said.match(/deliver order1001/g)).toHaveLength(1);
      expect((await shop.audit()).findings).toEqual([]);
    });

    test("delivers what a crash has left between the end and the booking", async () => {
      const shop = await newShop(kind);
      await shop.pay("order1001");
      await shop.later("order1001");
      rmSync(join(shop.folder, "orders/order1001.delivered")); // as if the shop had not booked it
      await kind.cron(shop);
      expect(delivered(shop.folder)).toEqual(["order1001.delivered"]);
    });

    test("delivers the other orders if one cannot be read, and the page of that one asks again", async () => {
      const shop = await newShop(kind);
      await shop.pay("order1001");
      await shop.pay("order1002");
      await shop.momo.control("POST", "/clock", { advance: "5s" });
      const file = fileOf(shop, "order1001-1~pending");
      const stored = readFileSync(file);
      writeFileSync(file, "{");
      const said = (await kind.cron(shop)) + shop.said();
      expect(delivered(shop.folder)).toEqual(["order1002.delivered"]);
      expect(said).toContain("order1001: ");
      const answer = await shop.send("/orders/order1001");
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({ asks_again: true });
      writeFileSync(file, stored);
      await kind.cron(shop);
      expect(delivered(shop.folder).sort()).toEqual(["order1001.delivered", "order1002.delivered"]);
    });
  });

  describeWith(kind.needs, `${name}: a page in two tabs`, () => {
    test("is no fast polling: the second tab asks 1 s after the first, each every 5 s", async () => {
      const shop = await newShop(kind);
      await shop.momo.control("PUT", "/default", { outcome: "completed", after: "14s" });
      await shop.pay("order1001");
      for (const advance of ["5s", "1s", "4s", "1s", "4s"]) {
        await shop.momo.control("POST", "/clock", { advance });
        await shop.get("/orders/order1001");
      }
      expect(delivered(shop.folder)).toEqual(["order1001.delivered"]);
      expect((await shop.audit()).findings).toEqual([]);
    });
  });

  describeWith(kind.needs, `${name}: an order that is paid`, () => {
    test("is delivered without a receipt, if the service gives none", async () => {
      const shop = await openShop(kind, kind.right, { profile: { response_form: "short" } });
      await shop.pay("order1001");
      expect(await shop.later("order1001")).toMatchObject({ status: "completed", asks_again: false });
      expect(delivered(shop.folder)).toEqual(["order1001.delivered"]);
      expect((await shop.audit()).findings).toEqual([]);
    });

    test("stays paid if an earlier try opens again, and is not pushed again", async () => {
      const shop = await newShop(kind);
      await shop.pay("order1001");
      const ended = fileOf(shop, "order1001-1~ended");
      const pending = fileOf(shop, "order1001-1~pending");
      const stored = JSON.parse(readFileSync(pending, "utf8"));
      writeFileSync(ended, JSON.stringify({ ...stored, status: "not_started" })); // nobody has found it so far
      expect(await shop.pay("order1001", "254700000032")).toMatchObject({ status: "pending" });
      expect(await shop.later("order1001")).toMatchObject({ status: "cancelled" });
      rmSync(ended); // its push came late
      expect(await shop.pay("order1001")).toMatchObject({ status: "completed" });
      expect(delivered(shop.folder)).toEqual(["order1001.delivered"]);
      writeFileSync(pending, "{"); // what is paid needs no other file
      rmSync(ended);
      expect(await shop.later("order1001")).toMatchObject({ status: "completed", asks_again: false });
      expect(await shop.pay("order1001")).toMatchObject({ status: "completed", asks_again: false });
      expect(await shop.momo.list()).toHaveLength(2);
    });
  });

  describeWith(kind.needs, `${name}: requests that are wrong`, () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await newShop(kind);
    });

    test("a page of an order that was never started is not found", async () => {
      const answer = await shop.send("/orders/order1001");
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual({ text: "The payment of this order has not been started." });
    });

    test.each(["{", "null", "", "{}", '{"phone":{}}'])(
      "a payment with the body %p is refused, and starts nothing",
      async (body) => {
        const headers = { "Content-Type": "application/json" };
        const answer = await shop.send(kind.pay("order1001"), { method: "POST", headers, body });
        expect(answer.status).toBe(400);
        expect(await answer.json()).toEqual({
          text: expect.stringMatching(/^(?:Please enter a phone number|The request is not JSON)\.$/),
        });
        expect(await shop.momo.list()).toEqual([]);
      },
    );

    if (kind.isForm) {
      test("a phone that is a list is refused", async () => {
        const body = new URLSearchParams({ "phone[]": "0712345678" });
        expect((await shop.send(kind.pay("order1001"), { method: "POST", body })).status).toBe(400);
      });
    }
  });
}

for (const [name, kind] of Object.entries(KINDS).filter(([, { client }]) => client === "client.mjs")) {
  describeWith(kind.needs, `${name}: two processes`, () => {
    test("the one that books later says that the order is paid", async () => {
      const shop = await newShop(kind);
      await shop.pay("order1001");
      // A link to nowhere: it is not there for the question, but for the writer, like the file of a faster process.
      symlinkSync("nowhere", join(shop.folder, "orders/order1001.delivered"));
      expect(await shop.later("order1001")).toMatchObject({ status: "completed", asks_again: false });
      expect(shop.said()).not.toContain("deliver order1001");
    });
  });
}
