import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { describeScenarios, openScene, type Scenario, type Scene } from "../support/scenario.ts";

describe("search: phone and reference by their start, identifiers whole, in any letter case", () => {
  let scene: Scene;
  let paid: Record<string, string>;
  beforeAll(async () => {
    scene = await openScene();
    const { transaction_id } = await scene.start({ phone: "0712345678", reference: "Order-ß_100%" });
    await scene.harness.advance(3000);
    await scene.start({ phone: "0110000000", reference: "ΟΔΟΣ" });
    const { body } = await scene.send({ path: `/transactions.php?id=${transaction_id}` });
    paid = (body.transactions as Record<string, string>[])[0] ?? {};
  });
  afterAll(() => scene.close());

  async function phonesFound(text: string): Promise<string[]> {
    const { body } = await scene.send({ path: `/transactions.php?search=${encodeURIComponent(text)}` });
    expect(body.filters_applied).toEqual({ search: text });
    return (body.transactions as { phone: string }[]).map(({ phone }) => phone);
  }

  const FIRST = "254712345678";
  const SECOND = "254110000000";
  const FOUND: [text: string, phones: string[]][] = [
    ["0712345678", [FIRST]],
    ["0", [SECOND, FIRST]],
    ["+25471", [FIRST]],
    ["5678", []],
    ["order", [FIRST]],
    ["rder", []],
    ["%", []],
    ["οδος", [SECOND]],
    ["' OR '1'='1", []],
  ];
  for (const [text, phones] of FOUND) {
    test(`${text} finds ${phones.join(" and ") || "nothing"}`, async () => {
      expect(await phonesFound(text)).toEqual(phones);
    });
  }

  for (const member of ["transaction_code", "momo_receipt_number", "checkout_request_id", "merchant_request_id"]) {
    test(`${member}: whole, and in small letters; not its beginning, not its end`, async () => {
      const value = paid[member] ?? "";
      expect(await phonesFound(value)).toEqual([FIRST]);
      expect(await phonesFound(value.slice(0, -1))).toEqual([]);
      expect(await phonesFound(value.toLowerCase())).toEqual([FIRST]);
      expect(await phonesFound(value.slice(1))).toEqual([]);
      expect(await phonesFound(`${value}X`)).toEqual([]);
    });
  }

  test("a + that was not escaped arrives as a space and still finds the phone", async () => {
    const { body } = await scene.send({ path: "/transactions.php?search=+25471" });
    expect(body.transactions).toMatchObject([{ phone: FIRST }]);
  });
});

describeScenarios("search: 1 to 100 characters; else 400", [
  ...["", "a".repeat(101), encodeURIComponent("😀".repeat(101))].map(
    (text): Scenario => ({
      name: `${text.slice(0, 20)} (${text.length})`,
      request: { path: `/transactions.php?search=${text}` },
      status: 400,
      contains: { message: "search must be a string of 1 to 100 characters" },
    }),
  ),
  ...["a".repeat(100), encodeURIComponent("😀".repeat(100)), "%00", "%F4%8F%BF%BF", "%EF%BF%BF"].map(
    (text): Scenario => ({
      name: `${text.slice(0, 20)} (${text.length})`,
      request: { path: `/transactions.php?search=${text}` },
      status: 200,
      contains: { transactions: [] },
    }),
  ),
]);
