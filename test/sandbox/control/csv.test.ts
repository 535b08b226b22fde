import { describe, expect, test } from "bun:test";
import { CSV_HEAD, csvLine } from "../../../sandbox/control/csv.ts";
import { csvOf } from "../../../sandbox/control/export.ts";
import type { Transaction } from "../../../src/domain/transaction.ts";
import { forAllTests } from "../../support/cleanup.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { openScene } from "../../support/scene.ts";
import { rejectionOf, turns } from "../../support/waiting.ts";

const scene = forAllTests(openScene);

const MANUAL = { "X-Sandbox-Outcome": "manual" };

const HEAD =
  "id,created_at,reference,phone,amount,fee_amount,status,result_code,result_desc,momo_receipt_number," +
  "transaction_code,completed_at,kind,checkout_request_id,merchant_request_id";

const cellsOf = (text: string): string[][] => text.split("\r\n").map((line) => line.split(","));

describe("GET /transactions.csv", () => {
  test("has a byte order mark, the names of the columns, and the payments, the newest first", async () => {
    await scene.pay({ reference: "قهوة", phone: "0712000001" }, { "X-Sandbox-Outcome": "completed; after=1s" });
    await scene.pay({ reference: "お茶", amount: 250.5, phone: "0712000002" }, MANUAL);
    await scene.control("POST", "/clock", { advance: "1s" });
    const response = await scene.request("GET", "/transactions.csv");
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("Content-Disposition")).toBe('attachment; filename="momo-payments.csv"');
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const [names, second, first, end] = cellsOf(new TextDecoder().decode(bytes));
    expect([names?.join(","), end]).toEqual([HEAD, [""]]);
    expect(second?.slice(2, 8)).toEqual(["お茶", "'254712000002", "250.5", "2.51", "pending", ""]);
    expect(first?.slice(2, 8)).toEqual(["قهوة", "'254712000001", "100", "1", "completed", "0"]);
  });

  test("takes the filters of the list, and the merchant; a wrong one and a page are refused", async () => {
    const references = async (query: string) => {
      const lines = cellsOf(await (await scene.request("GET", `/transactions.csv${query}`)).text());
      return lines.slice(1, -1).map((cells) => cells[2]);
    };
    expect(await references("?status=completed")).toEqual(["قهوة"]);
    expect(await references("?search=お")).toEqual(["お茶"]);
    expect(await references("?date_to=2001-01-01")).toEqual([]);
    expect(await references("?merchant_id=2")).toEqual([]);
    for (const query of ["status=paid", "merchant_id=9", "page=2", "date_from=2026-02-02&date_to=2026-02-01"]) {
      const answer = await scene.call("GET", `/transactions.csv?${query}`);
      expect([answer.status, answer.body.success], query).toEqual([query === "merchant_id=9" ? 404 : 400, false]);
    }
  });

  test("is one selection, although payments arrive and end while the client reads it", async () => {
    await Promise.all(Array.from({ length: 1500 }, (_, index) => scene.pay({ reference: `T-${index}` }, MANUAL)));
    const response = await scene.request("GET", "/transactions.csv?search=T-");
    const reader = response.body?.getReader();
    let text = new TextDecoder().decode((await reader?.read())?.value);
    await scene.pay({ reference: "T-LATE" }, MANUAL);
    await scene.control("POST", "/clock", { advance: "2m" });
    for (let read = await reader?.read(); read?.value; read = await reader?.read())
      text += new TextDecoder().decode(read.value);
    const cells = cellsOf(text).slice(1, -1);
    expect(cells).toHaveLength(1500);
    expect(new Set(cells.map((one) => `${one[6]}`))).toEqual(new Set(["pending"]));
  });

  test("two can be read at once; one more is refused, until one has ended", async () => {
    const exportAll = () => scene.request("GET", "/transactions.csv?search=T-");
    const [first, second] = [await exportAll(), await exportAll()];
    const third = await exportAll();
    expect([third.status, await third.json()]).toEqual([
      503,
      expect.objectContaining({ message: "2 exports are under way already: try again when one has ended" }),
    ]);
    await first.body?.cancel();
    expect((await (await exportAll()).text()).split("\r\n")).toHaveLength(1503);
    await second.body?.cancel();
  });
});

test.each([
  ["does not read on ends after a minute", 0, 60_000],
  ["reads a part every 59 s ends after ten minutes", 10, 10_000],
])("an export whose client %s, so that its connection is free again", async (_what, pauses, lastMs) => {
  const clock = createManualClock(0);
  let hasEnded = false;
  async function* parts() {
    try {
      for (;;) yield [PAYMENT as unknown as Transaction];
    } finally {
      hasEnded = true;
    }
  }
  const reader = csvOf([], parts(), clock, new AbortController().signal).getReader();
  const pass = async (ms: number) => {
    await reader.read();
    await turns(10);
    clock.advance(ms);
    await turns(10);
  };
  for (let pause = 0; pause < pauses; pause += 1) await pass(59_000);
  await pass(lastMs - 1);
  expect(hasEnded).toBe(false);
  clock.advance(1);
  await turns(10);
  expect(hasEnded).toBe(true);
  expect(await rejectionOf(reader.read())).toMatchObject({ message: "the client did not take the export" });
});

describe("a text stays a text in a spreadsheet", () => {
  const referenceCell = (reference: string): string => {
    const transaction = { ...PAYMENT, reference } as unknown as Transaction;
    return csvLine(transaction)
      .slice("7,2026-11-20 10:00:00,".length)
      .replace(/,'254712345678,.*/s, "");
  };
  const formulas = ["=1+1", "+2", "-3", "@SUM(A1)", "\t=1", " =1", "＝1+1", "＠x"];
  const numbers = ["007", "254712345678", "1e5", "12%", "1,5", "١٢٣"];
  const others = ["1-2", "2026-11-20", "10:30", "10:30 pm", "MARCH-1", "1 Mar", "dec 2026", "TRUE"];
  test.each([...formulas, ...numbers, ...others])("%p begins with an apostrophe", (reference) => {
    const cell = referenceCell(reference);
    expect(cell.replace(/^"(.*)"$/s, "$1")).toBe(`'${reference}`);
  });

  test.each(["ORDER-1", "قهوة 12", "お茶", "a=b", "Mary-1", "x", "INV/2026/7"])("%p is as it is", (reference) => {
    expect(referenceCell(reference)).toBe(reference);
  });

  test.each([
    ['a "b", c', '"a ""b"", c"'],
    ["two\nlines", '"two\nlines"'],
    ["two\rlines", '"two\rlines"'],
    ["\r=1", '"\'\r=1"'],
  ])("%j is one cell", (reference, cell) => expect(referenceCell(reference)).toBe(cell));

  test("the head has the columns after the mark", () => expect(CSV_HEAD).toBe(`\uFEFF${HEAD}\r\n`));
});

const PAYMENT = {
  id: 7,
  merchantId: 1,
  kind: "api",
  status: "pending",
  phone: "254712345678",
  amountCents: 100,
  feeCents: 0,
  createdAtMs: Date.UTC(2026, 10, 20, 7),
  checkoutRequestId: "ws_CO_1",
  merchantRequestId: "ws_MR_1",
};
