import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { describeScenarios, openScene, type Scenario, type Scene, withRawMember } from "../support/scenario.ts";

const GOOD: [sent: string, shown: string][] = [
  ["254712345678", "254712345678"],
  ["0712345678", "254712345678"],
  ["254110000000", "254110000000"],
  ["0110000000", "254110000000"],
  ["0000000000", "254000000000"],
  ["254999999999", "254999999999"],
  ["0254712345", "254254712345"],
];

const BAD = [
  '""',
  '"+254712345678"',
  '"00254712345678"',
  '"712345678"',
  '"071234567"',
  '"07123456789"',
  '"25471234567"',
  '"2547123456789"',
  '"2540712345678"',
  '"255712345678"',
  '"1712345678"',
  '"0712 345 678"',
  '"0712-345-678"',
  '" 0712345678"',
  '"0712345678 "',
  '"0712345678\\n"',
  '"\\n0712345678"',
  '"0712345678\\u0000"',
  '"071234567x"',
  '"07123456.8"',
  '"0x12345678"',
  '"٠٧١٢٣٤٥٦٧٨"',
  '"０７１２３４５６７８"',
  '"tel:0712345678"',
  "712345678",
  "254712345678",
  "0.7e9",
  "true",
  "null",
  "[]",
  '["0712345678"]',
  "{}",
];

describe("phone: exactly 254 + 9 digits or 0 + 9 digits; stored and shown as 254…", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene.close());

  for (const [phone, shown] of GOOD) {
    test(`${phone} is shown as ${shown}`, async () => {
      const { checkout_request_id, transaction_id } = await scene.start({ phone });
      const status = await scene.send({ path: "/status.php", json: { checkout_request_id } });
      expect(status.body.phone).toBe(shown);
      const list = await scene.send({ path: `/transactions.php?id=${transaction_id}` });
      expect(list.body.transactions).toMatchObject([{ phone: shown }]);
    });
  }
});

describeScenarios("phone: a string; every third shape 400, with the member's name and what would be right", [
  ...BAD.map(
    (json): Scenario => ({
      name: json,
      request: (scene) => withRawMember(scene, "phone", json),
      status: 400,
      contains: { message: ["phone must be a string", "254 and 9 digits", "0 and 9 digits"] },
      lacks: ["amount", "payment_account_id"],
    }),
  ),
  {
    name: "left out",
    request: ({ caller }) => ({ path: "/stkpush.php", json: { payment_account_id: caller.accountId, amount: 1 } }),
    status: 400,
    contains: { message: "phone is missing" },
  },
]);
