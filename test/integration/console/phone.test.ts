import { expect, test } from "bun:test";
import { describeInBrowser, rowsOf, startPayment } from "../../support/browser.ts";
import { createClient } from "../../support/client.ts";
import { until } from "../../support/waiting.ts";
import { expectAddress, personAt } from "./person.ts";

describeInBrowser("the phone", (scene) => {
  test("what stands below the phone is never printed over, also with a refusal", async () => {
    await startPayment(scene.sandbox);
    const page = await scene.open({ viewport: { width: 1280, height: 800 }, expected: /409/ });
    await page.route("**/answer", (route) => route.fulfill({ status: 409, json: { message: "not now ".repeat(20) } }));
    const phone = personAt(page).at("Phones");
    await phone.fill({ "How the prompt ends": "cancelled" });
    await phone.click("End prompt");
    await phone.reads("not now not now");
    const above = await phone.place.getByText("Any PIN pays").boundingBox();
    const below = await phone.place.getByText("I answer the next prompts").boundingBox();
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
  });

  test("shows a prompt; a wrong PIN is refused beside its field; the keypad types, Escape cancels, a PIN pays", async () => {
    const ids: string[] = [];
    for (const order of [{ amount: 11 }, { amount: 22 }, { amount: 1200, reference: "ORDER-7", description: "Shoes" }])
      ids.push(await startPayment(scene.sandbox, order));
    const person = personAt(await scene.open({ expected: /400 \(Bad Request\)/ }));
    const prompt = person.at("Prompt from Demo Shop");
    const phone = person.at("Phone 0712 345 678");
    await prompt.reads("Demo Shop asks you to pay KES 11.00", "2 more waiting");
    await phone.reads("It waits for your answer.");
    await prompt.fill({ "Enter PIN": "12" });
    await prompt.click("Send");
    await prompt.reads("The PIN has 4 to 6 digits");
    await prompt.click("Delete a digit");
    for (const digit of ["3", "0", "0", "0", "9"]) await prompt.click(digit);
    expect(await prompt.values()).toEqual(["130009"]);
    for (let digit = 0; digit < 6; digit += 1) await prompt.click("Delete a digit");
    for (let digit = 0; digit < 4; digit += 1) await prompt.click("0");
    await prompt.click("Send");
    await prompt.reads("KES 22.00", "1 more waiting");
    await prompt.press("1", "Escape");
    await prompt.reads("KES 1,200.00", "Account ORDER-7", "Shoes");
    await prompt.page.keyboard.type("1234");
    await prompt.press("Enter");
    await phone.reads("Paid KES 1,200.00 went to Demo Shop.");
    await rowsOf(person.page).nth(2).getByText("wrong PIN (2001)").waitFor();
    await rowsOf(person.page).nth(1).getByText("cancelled", { exact: true }).waitFor();
    const { control } = createClient(scene.sandbox);
    const decided = async (id = "") => (await control("GET", `/transactions/${id}`)).decided_by as { outcome: string };
    expect([(await decided(ids[0])).outcome, (await decided(ids[1])).outcome]).toEqual(["wrong_pin", "cancelled"]);
    // Its receipts are text messages; those of other phones are not here.
    await startPayment(scene.sandbox, { amount: 55, phone: "0722000001" }, "completed; after=0s");
    await scene.sandbox.clock.advance("1s");
    await phone.click("OK");
    await phone.reads("Ksh1,200.00 sent to Demo Shop");
    await phone.misses("Ksh55.00");
    await person.page.reload();
    await person.fill({ "Open a phone": "0722 000 001" });
    await person.at("Phone 0722 000 001").reads("Ksh55.00 sent to");
  });

  test("one of the phones with a prompt is on the handset, beside it are those that ring; nothing moves", async () => {
    const page = await scene.open({ viewport: { width: 1500, height: 900 } });
    const person = personAt(page);
    const phones = person.at("Phones");
    await person.reads("Live");
    const start = (phone: number) => startPayment(scene.sandbox, { phone: `07110000${phone}` });
    const first = await start(11);
    await person.at("Phone 0711 000 011").reads("Enter PIN");
    for (const phone of [12, 13, 14, 15]) await start(phone);
    await phones.reads("5 prompts open", "0711 000 012 rings: KES 100.00");
    const places = async () => [
      await page.locator(".handset").boundingBox(),
      await page.locator(".dashboard").boundingBox(),
    ];
    const before = await places();
    // The end of a prompt stays visible for a moment, although other phones have one.
    await scene.sandbox.answer(first, { pin: "1234" });
    await person.at("Phone 0711 000 011").reads("KES 100.00 went to Demo Shop.");
    await phones.click(/^0711 000 013 rings/);
    await person.at("Phone 0711 000 013").fill({ "Enter PIN": "1234" });
    await person.press("Enter");
    await person.at("Phone 0711 000 013").reads("KES 100.00 went to Demo Shop.");
    await start(16);
    await phones.reads("4 prompts open");
    expect(await places()).toEqual(before);
    // Any phone can be opened.
    await person.fill({ "Open a phone": "0799000001" });
    await person.at("Phone 0799 000 001").reads("No prompt is open on this phone.");
  });

  test("says who decides, and ends a prompt in any way; a switch lets a person answer, and sets back what was before", async () => {
    const { control } = createClient(scene.sandbox);
    const person = personAt(await scene.open({ view: "steering" }));
    const phones = person.at("Phones");
    const setsDefault = async (body: object, words: string) => {
      await control("PUT", "/default", body);
      await phones.reads(words);
    };
    await setsDefault({ outcome: "cancelled", after: "7s" }, "By default: cancelled after 7s.");
    await startPayment(scene.sandbox, { phone: "0700000001" }, null);
    await phones.reads("The test phone decided: insufficient_funds, 3s after the start.");
    await phones.fill({ "How the prompt ends": "pin_locked" });
    await phones.click("End prompt");
    await phones.reads("Your PIN is locked. Unlock it before you pay. Nothing was sent.");
    await phones.click("OK");
    for (const set of [
      { outcome: "cancelled", after: "7s" },
      { outcome: "failed", result_code: 26 },
    ]) {
      await control("PUT", "/default", set);
      await phones.reads(`By default: ${set.outcome}`);
      await phones.click("I answer the next prompts");
      await phones.reads("By default: they wait for your answer.");
      await phones.click("I answer the next prompts");
      await phones.reads(`By default: ${set.outcome}`);
      expect(await control("GET", "/default")).toMatchObject(set);
    }
    await control("POST", "/rules", [
      { outcome: "wrong_pin", times: 1 },
      { outcome: "unreachable", after: "9s" },
    ]);
    await phones.reads("By rule 2: unreachable after 9s.");
  });

  test("a form keeps its values and counts the reference up; a narrow screen goes on at the phone", async () => {
    const person = personAt(await scene.open({ view: "requests", expected: /400 \(Bad Request\)/ }));
    await person.reads("Live");
    await person.press("p");
    const dialog = person.at("Test payment");
    expect(await dialog.values()).toEqual(["0712345678", "1200", "ORDER-0001", "", "manual"]);
    await dialog.fill({ Phone: "12", "Amount, KES": "0" });
    await dialog.click("Send the prompt");
    await dialog.reads(
      'Phone: a Kenyan number, such as 0712 345 678; it is "12"',
      /Amount, KES: a number from 1 .*; it is 0/,
    );
    const order = {
      Phone: "+254 (722) 104-455",
      "Amount, KES": "250",
      Reference: "ORDER-0001",
      Description: "two words",
    };
    await dialog.fill({ ...order, "What the customer does": "cancelled" });
    await dialog.click("Send the prompt");
    await person.at("Payments").reads("ORDER-0001 0722 104 455 250.00 pending");
    await rowsOf(person.page).first().click();
    await person.at("Story of a payment").reads("Reference ORDER-0001", "Description two words");
    await person.press("Escape");
    await person.press("p");
    expect((await dialog.values()).slice(1, 4)).toEqual(["250", "ORDER-0002", "two words"]);
    await person.page.setViewportSize({ width: 390, height: 780 });
    await dialog.fill({ Phone: "0722 000 009", "What the customer does": "manual" });
    // The second click of a double click comes when the prompt is there.
    await person.page.evaluate(`new MutationObserver((_, observer) => {
      const cancel = document.querySelector("[data-phone='254722000009'] .cancel");
      if (cancel) observer.disconnect();
      cancel?.click();
    }).observe(document.body, { childList: true, subtree: true })`);
    await dialog.click("Send the prompt");
    await expectAddress(person, "#phone");
    const phone = person.at("Phone 0722 000 009");
    await phone.reads("KES 250.00");
    await phone.click("Cancel");
    await person.reads("You did not pay Demo Shop.");
    // References that payments have are not suggested again.
    await person.page.reload();
    await person.page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
    await person.press("p");
    expect((await dialog.values())[2]).toBe("ORDER-0003");
  });

  test("the title of the tab counts the prompts, before the name of the sandbox", async () => {
    const page = await scene.open();
    const host = new URL(scene.sandbox.baseUrl).host;
    const hasTitle = (title: string) =>
      until(
        () => page.title(),
        (found) => found === title,
      );
    await hasTitle(`${host} · momo`);
    await startPayment(scene.sandbox);
    await hasTitle(`1 prompt · ${host} · momo`);
    for (let more = 0; more < 9; more += 1) await startPayment(scene.sandbox);
    await hasTitle(`9+ prompts · ${host} · momo`);
  });

  test("shows hostile text as text, and what nobody sees as the terminal does", async () => {
    const reference = '<img src=x onerror="document.title=1">\u202egpj';
    const description = "<script>document.title = 2</script> \u200b&amp; {{1}}";
    const { control } = createClient(scene.sandbox);
    const id = await startPayment(scene.sandbox, { reference, description });
    await control("POST", "/rules", { outcome: "completed", times: 1, match: { reference } });
    const person = personAt(await scene.open({ view: `transactions/${id}` }));
    const shown = reference.replace("\u202e", "\\u202e");
    await person.at("Prompt from Demo Shop").reads(shown, "\\u200b&amp;");
    await person.at("Story of a payment").reads(shown);
    await person.open("transactions");
    await person.at("Payments, newest first").reads(shown);
    await person.open("requests");
    await rowsOf(person.page).getByTitle(shown).waitFor();
    await rowsOf(person.page).first().click();
    await person.at("One request").reads("\\u202egpj");
    // What a screen reader says of it, too.
    await person.open("steering");
    await person.at("Rules").reads(shown);
    expect(await person.page.locator("#console").innerHTML()).not.toMatch(/[\u202e\u200b]/);
    expect(await person.page.locator("img, #console script").count()).toBe(0);
    expect(await person.page.title()).toEndWith(" · momo");
  });

  test("in dark mode the prompt is dark, too, with bright text", async () => {
    await startPayment(scene.sandbox);
    const page = await scene.open();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.getByLabel("Enter PIN").waitFor();
    const brightness = (property: string) =>
      page.evaluate(`(() => {
        const context = new OffscreenCanvas(1, 1).getContext("2d");
        context.fillStyle = getComputedStyle(document.querySelector(".prompt")).${property};
        context.fillRect(0, 0, 1, 1);
        return Math.max(...context.getImageData(0, 0, 1, 1).data.slice(0, 3));
      })()`);
    expect(await brightness("backgroundColor")).toBeLessThan(64);
    expect(await brightness("color")).toBeGreaterThan(192);
  });
});
