import { expect, test } from "bun:test";
import { startSandbox } from "stkpush-sandbox/testing";
import { askStatus, changeAnswers, describeInBrowser, rowsOf, startPayment, textOf } from "../../support/browser.ts";
import { createClient } from "../../support/client.ts";
import { until } from "../../support/waiting.ts";
import { expectAddress, personAt } from "./person.ts";

const WIDE = { width: 1700, height: 900 };

describeInBrowser("the log of requests", (scene) => {
  test("has what a client sends and gets, also what fails; filters and links lead to the payment and back", async () => {
    const { sandbox } = scene;
    const { post, get } = createClient(sandbox);
    const id = await startPayment(sandbox, { reference: "LATE", amount: 1_234_567.89 });
    await askStatus(sandbox, id);
    await post("/stkpush.php", { amount: "1" });
    await get("/transactions.php?status=failed&limit=2");
    await sandbox.faults.set([
      { path: "/status.php", kind: "error", status: 503, times: 1 },
      { path: "/stkpush.php", kind: "disconnect", times: 1 },
    ]);
    await askStatus(sandbox, id);
    await startPayment(sandbox, { reference: "LOST" }).catch(() => {});
    const person = personAt(await scene.open({ view: "requests", viewport: WIDE }));
    const rows = rowsOf(person.page);
    await rows.nth(5).waitFor();
    const shown = async () => (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));
    expect(await shown()).toEqual([
      expect.stringMatching(/POST stkpush.php lost KES 100.00 for LOST from 0712 345 678/),
      expect.stringMatching(/POST status.php 503.*error.* · LATE/),
      expect.stringMatching(/GET transactions.php 200 \d+ transactions?|GET transactions.php 200/),
      expect.stringMatching(/POST stkpush.php 400 .*must be.*number as text|POST stkpush.php 400/),
      expect.stringMatching(/POST status.php 200 pending · LATE/),
      expect.stringMatching(/POST stkpush.php 200 KES 1,234,567.89 for LATE from 0712 345 678/),
    ]);
    const only = async (filters: Readonly<Record<string, string>>, ...expected: string[]) => {
      await person.fill(filters);
      await until(shown, (found) => found.length === expected.length);
      expect(await shown()).toEqual(expected.map((text) => expect.stringContaining(text)));
    };
    await only({ Answer: "4xx" }, "stkpush.php 400");
    await only({ Answer: "5xx" }, "status.php 503");
    await only({ Answer: "lost" }, "for LOST");
    await only({ Answer: "", Search: "post /v2/status" }, "503", "pending");
    await person.click("Clear");
    await rows.last().click();
    const request = person.at("One request");
    await request.reads('"reference": "LATE"', '"success": true', "took");
    await request.click("Headers");
    await request.reads("content-type application/json", "x-api-key mk_");
    await request.page.evaluate("navigator.clipboard.writeText = async (text) => { copied = text; }");
    await request.click("Copy as curl");
    await request.reads("Copied");
    expect(await request.page.evaluate("copied")).toMatch(/^curl .*stkpush\.php.*"reference":"LATE"/s);
    await request.click("Its payment");
    await person.at("Story of a payment").click("All its requests");
    await expectAddress(person, `#requests?search=${id}`);
    await until(shown, (found) => found.length === 3);
    await rows.last().click();
    await request.click("Its requests");
    // It is sent again with the key of the sandbox, and says so.
    await person.click("Clear");
    const log = await sandbox.requests();
    const poll = log.find(({ target, status }) => target.includes("status.php") && status === 200);
    await person.open(`requests/${poll?.id}`);
    await request.click("Repeat the request");
    await rows.nth(6).waitFor();
    expect((await shown())[0]).toMatch(/POST status.php 200 pending · LATE/);
    await rows.first().click();
    await request.reads(`repeats request ${poll?.id}, from the console`);
    // An answer that was lost does not say what became of the payment, nor does an error.
    await sandbox.faults.set([{ path: "/stkpush.php", kind: "error", status: 503, times: 1 }]);
    await post("/stkpush.php", { payment_account_id: 1, phone: "0712345678", amount: 5, reference: "NONE" });
    const idOf = async (reference: string) =>
      (await sandbox.requests()).find(({ body }) => body?.includes(reference))?.id;
    await person.open(`requests/${await idOf("NONE")}`);
    await request.reads("Nothing was stored");
    await sandbox.faults.set([{ path: "/stkpush.php", kind: "error", status: 200, carried_out: true, cut_after: 20 }]);
    await post("/stkpush.php", { payment_account_id: 1, phone: "0712345678", amount: 5, reference: "HALF" });
    await person.open(`requests/${await idOf("HALF")}`);
    await request.reads("The payment exists (");
    await person.open(`requests/${await idOf("LOST")}`);
    await request.reads("The payment exists (pending), although the client does not know it.");
    await request.click("Its payment");
    await person.at("Story of a payment").reads("Reference LOST");
  });

  test("of a lenient server: what it accepted although the strict form refuses it; a poll names a phone without a reference", async () => {
    const sandbox = await startSandbox({ accept: "lenient", outcome: "manual" });
    const id = await startPayment(sandbox, { payment_account_id: "1" }, null);
    await askStatus(sandbox, id);
    const page = await scene.open({ url: `${sandbox.controlUrl}/`, view: "requests" });
    await rowsOf(page).first().getByText("pending · 0712 345 678").waitFor();
    await rowsOf(page).nth(1).click();
    const person = personAt(page);
    await person.at("One request").reads("payment_account_id has a form that only the lenient mode accepts");
    await person.page.getByTitle(/In force: .*lenient/).waitFor();
    await page.goto("about:blank");
    await sandbox.stop();
  });

  test("a link leads also to a request that waits, because the list is paused", async () => {
    await askStatus(scene.sandbox, "ws_CO_1");
    const person = personAt(await scene.open({ view: "requests", viewport: WIDE }));
    await rowsOf(person.page).first().waitFor();
    await person.click("Pause");
    await askStatus(scene.sandbox, "ws_CO_2");
    await person.reads("1 new");
    const [newest] = (await scene.sandbox.requests()).toSorted((a, b) => b.id - a.id);
    await person.open(`requests/${newest?.id}`);
    await person.at("One request").reads("ws_CO_2");
  });

  test("the refusal of one request is not shown beside another one", async () => {
    for (let poll = 0; poll < 2; poll += 1) await askStatus(scene.sandbox, "ws_CO_1");
    const page = await scene.open({ view: "requests", viewport: WIDE, expected: /409/ });
    const request = page.getByRole("region", { name: "One request" });
    await page.route("**/replay", (route) => route.fulfill({ status: 409, json: { message: "not now" } }), {
      times: 1,
    });
    await rowsOf(page).nth(0).click();
    await request.getByRole("button", { name: "Repeat the request" }).click();
    await request.getByText("not now").waitFor();
    await rowsOf(page).nth(1).click();
    await rowsOf(page).nth(1).locator("[aria-expanded=true]").waitFor();
    expect(await textOf(request)).not.toContain("not now");
  });

  test("a request whose body the log has cut says so, and cannot be sent again or copied", async () => {
    await startPayment(scene.sandbox, { padding: "x ".repeat(3000) });
    const page = await scene.open({ view: "requests", viewport: WIDE });
    await rowsOf(page).first().click();
    const request = page.getByRole("region", { name: "One request" });
    await request.getByText("Sent", { exact: true }).waitFor();
    expect(await textOf(request)).toMatch(/\n[0-9,]+ bytes more, which the log does not keep\.\n/);
    expect(await request.getByRole("button", { name: "Repeat the request" }).isDisabled()).toBe(true);
    expect(await request.getByRole("button", { name: "Copy as curl" }).count()).toBe(0);
  });
});

describeInBrowser("the audit", (scene) => {
  test("says what a client does wrong, and leads to the request and the payment", async () => {
    const { sandbox } = scene;
    const id = await startPayment(sandbox, { reference: "ORDER-1" }, "cancelled; after=1s");
    await sandbox.clock.advance("1s");
    for (let poll = 0; poll < 4; poll += 1) await askStatus(sandbox, id);
    const person = personAt(await scene.open({ view: "audit" }));
    const group = person.at("ignores final");
    await group.reads("error", "payment ORDER-1", "first at");
    await person.reads("Requests 5: 5 accepted, 0 refused", "Payments 1 started, 0 paid");
    const named = Number(await textOf(group.place.getByRole("link", { name: /^\d+$/ }).first()));
    await group.place.getByRole("link", { name: String(named), exact: true }).click();
    await expectAddress(person, `#requests/${named}`);
    await person.at("One request").reads("POST 200", "ignores final".slice(0, 0));
    await person.open("audit");
    await group.click("payment ORDER-1");
    await expectAddress(person, `#transactions/${id}`);
    await rowsOf(person.page).first().getByTitle("ignores final").waitFor({ state: "attached" });
    // After a reset, the finding leads nowhere, and a person can forget it.
    await person.open("audit");
    await group.reads("payment ORDER-1");
    await sandbox.reset();
    await group.reads("payment ORDER-1, from before a reset or restore");
    expect(await group.place.getByRole("link").count()).toBe(0);
    await person.click("Forget the findings …");
    await person.at("Forget the findings?").reads("Lost for good: 1 finding");
    await person.page.locator("dialog[open] .danger:enabled").click();
    await person.reads("Nothing found.");
  });

  test("with a seed, a finding from before a reset stays, and accuses no payment that has the same id now", async () => {
    const sandbox = await startSandbox({ seed: "shop", clock: "2026-11-20 10:00:00", frozen: true });
    const id = await startPayment(sandbox, { reference: "ORDER-1" }, "cancelled; after=1s");
    await sandbox.clock.advance("1s");
    for (let poll = 0; poll < 4; poll += 1) await askStatus(sandbox, id);
    const person = personAt(await scene.open({ url: `${sandbox.controlUrl}/` }));
    await rowsOf(person.page).first().getByTitle("ignores final").waitFor({ state: "attached" });
    await sandbox.reset();
    expect(await startPayment(sandbox, { reference: "ORDER-2" })).toBe(id);
    await rowsOf(person.page).filter({ hasText: "ORDER-2" }).waitFor();
    await person.open("audit");
    const group = person.at("ignores final");
    await group.reads("payment ORDER-1");
    expect(await group.place.getByRole("link").count()).toBe(0);
    await person.open("requests");
    await rowsOf(person.page).first().waitFor();
    expect(await person.page.getByTitle("ignores final").count()).toBe(0);
    await person.open("transactions");
    await rowsOf(person.page).first().waitFor();
    expect(await person.page.getByTitle("ignores final").count()).toBe(0);
    await person.page.goto("about:blank");
    await sandbox.stop();
  });

  test("a payment has the finding in its own words, or only its kind and a link, also after a restore", async () => {
    const { control } = createClient(scene.sandbox);
    const ids: string[] = [];
    for (const [index, reference] of ["ORDER-A1", "ORDER-B2", "ORDER-C3", "ORDER-D4"].entries()) {
      for (let push = 0; push < 2; push += 1) {
        ids.push(await startPayment(scene.sandbox, { reference, phone: `071200000${index}` }));
      }
    }
    const person = personAt(await scene.open({ view: `transactions/${ids[3]}`, viewport: WIDE }));
    const story = person.at("Story of a payment");
    await story.reads("“ORDER-B2” is charged a second time.", "One of 4 mistakes of this kind.");
    await story.misses("ORDER-A1");
    await person.open(`transactions/${ids[7]}`);
    await story.reads("Reference ORDER-D4", "Charges twice. One of 4 mistakes of this kind.");
    await story.misses("ORDER-A1");
    await story.click("Audit");
    await expectAddress(person, "#audit/charges_twice");
    await control("PUT", "/snapshots/charged", {});
    await scene.sandbox.reset();
    await control("POST", "/snapshots/charged/restore", {});
    const group = person.at("charges twice");
    await group.click("payment ORDER-B2");
    await story.reads("“ORDER-B2” is charged a second time.", "Its request is not in the log.");
    await until(
      () => rowsOf(person.page).getByTitle("charges twice").count(),
      (count) => count === ids.length,
    );
    await person.open("requests");
    await person.reads("The log is empty", "A reset or a restore has emptied it.");
    await control("DELETE", "/snapshots/charged");
  });

  test("of many findings of a kind three are shown, or all, with their examples, and how many there are", async () => {
    const page = await scene.open({ view: "about" });
    const ids = { request_ids: [], checkout_request_ids: [], checkout_request_id: "ws_CO_1" };
    const example = { message: "", ...ids, reference: "ORDER" };
    const one = { kind: "number_as_text", severity: "warning", advice: "", section: "4.1", ...example };
    const findings = Array.from({ length: 23 }, (_, index) => ({
      ...one,
      ...{
        message: `number ${index}`,
        advice: index < 2 ? "Do this." : "Do that.",
        first_at: "2026-11-20 10:00:00",
        count: 7,
        examples: Array(3).fill(example),
      },
    }));
    await changeAnswers(page, "/audit", () => ({ findings }));
    await page.reload();
    await page.evaluate(`location.hash = "audit"`);
    const group = personAt(page).at("number as text");
    await group.reads(
      /7 mistakes, first for ORDER: number 0 Do this\.( payment ORDER){3} and 4 more mistakes first at 20 Nov 2026/,
    );
    expect(await group.place.locator("li").count()).toBe(3);
    // Each advice stands at the first finding that it is for.
    await group.reads(/number 1 payment/, /number 2 Do that\. payment/);
    await group.click("Show all 23");
    await group.reads("number 22");
  });

  test("a finding that no event tells of, such as a missing poll, appears by itself", async () => {
    const page = await scene.open({ view: "audit" });
    await page.getByText("Nothing found.").waitFor();
    const told = { kind: "end_not_learned", severity: "error", message: "Not asked for.", count: 1 };
    const finding = {
      ...told,
      request_ids: [],
      checkout_request_ids: [],
      first_at: "2026-11-20 10:00:00",
      examples: [],
    };
    await changeAnswers(page, "/audit", () => ({ findings: [finding] }));
    await page.getByRole("region", { name: "end not learned" }).getByText("Not asked for.").waitFor();
  });
});
