import { expect, test } from "bun:test";
import { askStatus, changeAnswers, describeInBrowser, rowsOf, startPayment } from "../../support/browser.ts";
import { createClient } from "../../support/client.ts";
import { expectAddress, personAt } from "./person.ts";

describeInBrowser("the story of a payment", (scene) => {
  test("tells how it ended, who decided, what to do, and each request as it comes", async () => {
    const { sandbox } = scene;
    const { control } = createClient(sandbox);
    await control("POST", "/rules", [
      { outcome: "wrong_pin", times: 1 },
      { outcome: "insufficient_funds", after: "9s" },
    ]);
    const order = { phone: "0764672239", description: "Shoes" };
    const first = await startPayment(sandbox, { ...order, reference: "FIRST" }, null);
    const second = await startPayment(sandbox, { ...order, reference: "SECOND" }, null);
    const person = personAt(await scene.open({ view: `transactions/${second}`, expected: /404 \(Not Found\)/ }));
    const story = person.at("Story of a payment");
    await story.reads(
      "KES 100.00 pending",
      "Pending is not a failure.",
      "Rule 2 decided",
      "The client has not asked for the status yet.",
    );
    await story.reads("Reference SECOND", "Description Shoes", /Prompt Demo Shop, \d\d:\d\d:\d\d until/);
    await askStatus(sandbox, second);
    await story.reads("status.php", "1 poll.");
    for (let poll = 0; poll < 3; poll += 1) {
      await sandbox.clock.advance("1s");
      await askStatus(sandbox, second);
    }
    await sandbox.clock.advance("9s");
    await story.reads("KES 100.00 failed", "insufficient funds (1)", "Rule 2 decided: insufficient_funds");
    for (let poll = 0; poll < 2; poll += 1) await askStatus(sandbox, second);
    // What the client did wrong, and the requests that show it.
    await story.reads("6 polls.", /Asked again after 1.* One of \d mistakes of this kind\./);
    await story.place.locator(".calls").getByTitle("polls too fast").first().waitFor();
    await story.click(/status.php 200 failed/);
    await person.at("One request").reads("POST 200", '"status": "failed"');

    await person.open(`transactions/${first}`);
    await story.reads("wrong PIN (2001)", "Let the customer try again");
    // Paid: a receipt, and the text message of the customer.
    const paid = await startPayment(sandbox, { reference: "PAID" }, "completed; after=1s");
    await sandbox.clock.advance("1s");
    await person.open(`transactions/${paid}`);
    await story.reads(
      "KES 100.00 completed",
      /Receipt [0-9A-Z]{10}/,
      /Transaction code \S+/,
      /Merchant request id ws_MR_/,
    );
    await story.page.evaluate("navigator.clipboard.writeText = async (text) => { copied = text; }");
    await story.click("Copy reference");
    expect(await story.page.evaluate("copied")).toBe("PAID");
    // After a reset it is gone, and what nobody knows was never there.
    await sandbox.reset();
    await story.reads("This payment is not here. A reset or a restore may have removed it.");
    await story.click("Close the story");
    await expectAddress(person, "#transactions");
  });

  test("starts a payment like it, with the next reference", async () => {
    const { sandbox } = scene;
    const { list } = createClient(sandbox);
    const order = { amount: 250, phone: "0764672239", reference: "APPLE-1", description: "2 kg of tea" };
    const id = await startPayment(sandbox, order, "wrong_pin");
    await sandbox.clock.advance("5s");
    const person = personAt(await scene.open({ view: `transactions/${id}` }));
    const story = person.at("Story of a payment");
    await story.reads("failed");
    await story.click("New prompt like this …");
    await person.at("Test payment").click("Send the prompt");
    await story.reads("KES 250.00 pending", "a person started it here", "Reference APPLE-2", "Description 2 kg of tea");
    // It has no client that could ask.
    await story.misses("The client has not asked");
    expect((await list()).map(({ amount, phone }) => [amount, phone])).toEqual(Array(2).fill([250, "254764672239"]));
  });

  test.each(["1440 × 900", "390 × 780"])("at %s pixels the advice is on the first screen", async (size) => {
    const [width = 0, height = 0] = size.split(" × ").map(Number);
    const id = await startPayment(scene.sandbox, { amount: 999_999_999.99 }, "unreachable; after=1s");
    await scene.sandbox.clock.advance("1s");
    const page = await scene.open({ view: `transactions/${id}`, viewport: { width, height } });
    const advice = page.getByText("Ask the customer to look at the phone, and then try again.");
    await advice.waitFor();
    const { y, height: tall } = (await advice.boundingBox()) ?? { y: Number.NaN, height: 0 };
    expect(y + tall).toBeLessThan(height - 52);
    // The list has the reason of a failure, too, in the words of momo list.
    await page.keyboard.press("Escape");
    await rowsOf(page).getByText("unreachable (1037)").waitFor();
  });

  test("says how many polls there were before", async () => {
    const id = await startPayment(scene.sandbox);
    await askStatus(scene.sandbox, id);
    const page = await scene.open({ view: "about" });
    await changeAnswers(page, `/transactions/${id}`, () => ({ requests_left_out: 40 }));
    await page.evaluate(`location.hash = "transactions/${id}"`);
    await personAt(page).at("Story of a payment").reads("41 polls, the last 1 are here.");
  });
});
