import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { describeScenarios, openScene, type Scenario, type Scene, withRawMember } from "../support/scenario.ts";

/** As a request writes it, and as the answer shows it. */
const GOOD: [json: string, shown: number][] = [
  ["1", 1],
  ["1.00", 1],
  ["1e0", 1],
  ["1.01", 1.01],
  ["1.1", 1.1],
  ["2.675e2", 267.5],
  ["19.99", 19.99],
  ["1.15", 1.15],
  ["8.41", 8.41],
  ["4.35", 4.35],
  ["100.50", 100.5],
  ["250000", 250_000],
  ["999999999", 999_999_999],
  ["999999999.99", 999_999_999.99],
  ["123456789.01", 123_456_789.01],
];

const BAD = [
  "0",
  "-0",
  "-1",
  "-100",
  "0.5",
  "0.99",
  "0.999",
  "0.9999999999",
  "1.001",
  "1.005",
  "10.999",
  "1e-2",
  "999999999.991",
  "1e9",
  "1000000000",
  "1000000000.01",
  "1e12",
  "9007199254740993",
  "1e999",
  "-1e999",
  '"100"',
  '"1"',
  '"NaN"',
  '""',
  "true",
  "false",
  "null",
  "[]",
  "[100]",
  "{}",
  '{"value":100}',
];

describe("amount: a JSON number, at least 1, at most two decimals, below 1e9; kept as whole cents", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene.close());

  for (const [json, shown] of GOOD) {
    test(`${json} is taken and shown as ${shown}`, async () => {
      const { checkout_request_id, transaction_id } = await scene.start({}, withRawMember(scene, "amount", json));
      const status = await scene.send({ path: "/status.php", json: { checkout_request_id } });
      expect(status.body.amount).toBe(shown);
      const list = await scene.send({ path: `/transactions.php?id=${transaction_id}` });
      expect(list.body.transactions).toMatchObject([{ amount: shown }]);
    });
  }
});

describeScenarios("amount: minimum 1; anything else 400, with the member's name and what would be right", [
  ...BAD.map(
    (json): Scenario => ({
      name: json,
      request: (scene) => withRawMember(scene, "amount", json),
      status: 400,
      contains: { message: ["amount must be a number", "1", "999999999.99", "two decimals"] },
      lacks: ["phone", "payment_account_id", "missing"],
    }),
  ),
  {
    name: "left out",
    request: ({ caller }) => ({
      path: "/stkpush.php",
      json: { payment_account_id: caller.accountId, phone: "0712345678" },
    }),
    status: 400,
    contains: { message: ["amount is missing", "must be a number"] },
  },
  {
    name: "NaN",
    request: (scene) => withRawMember(scene, "amount", "NaN"),
    status: 400,
    contains: { message: "JSON" },
  },
]);

describe("Above KES 250,000 the simulated network declines it (result code 3): failed", () => {
  const CASES: [amount: number, status: string, code: number][] = [
    [249_999.99, "completed", 0],
    [250_000, "completed", 0],
    [250_000.01, "failed", 3],
    [999_999_999.99, "failed", 3],
  ];
  for (const [amount, status, result_code] of CASES) {
    test(`${amount}`, async () => {
      const scene = await openScene();
      const { checkout_request_id } = await scene.start({ amount });
      await scene.harness.advance(3000);
      const { body } = await scene.send({ path: "/status.php", json: { checkout_request_id } });
      expect(body).toMatchObject({ status, result_code, amount });
      await scene.close();
    });
  }
});

describe("fee_amount: the tariff of the account, half up to the cent, computed at start; default 1 %", () => {
  const DEFAULTS: [amount: number, fee: number][] = [
    [1, 0.01],
    [1.49, 0.01],
    [1.5, 0.02],
    [2.5, 0.03],
    [100, 1],
    [100.49, 1],
    [100.5, 1.01],
    [999_999_999.99, 10_000_000],
  ];
  for (const [amount, fee_amount] of DEFAULTS) {
    test(`KES ${amount} costs ${fee_amount}`, async () => {
      const scene = await openScene();
      const { checkout_request_id } = await scene.start({ amount });
      const { body } = await scene.send({ path: "/status.php", json: { checkout_request_id } });
      expect(body).toMatchObject({ fee_amount });
      await scene.close();
    });
  }

  test("a percentage and a fixed part of this account, and a later tariff changes nothing", async () => {
    const scene = await openScene();
    const { registry } = scene.harness.service;
    const { id } = await registry.openAccount(scene.caller.merchantId, "Till", { basisPoints: 150, fixedCents: 500 });
    const { checkout_request_id } = await scene.start({ payment_account_id: id, amount: 1000 });
    await registry.setTariff(id, { basisPoints: 0, fixedCents: 0 });
    const { body } = await scene.send({ path: "/status.php", json: { checkout_request_id } });
    expect(body).toMatchObject({ amount: 1000, fee_amount: 20 });
    await scene.close();
  });
});
