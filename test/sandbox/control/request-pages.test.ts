import { beforeAll, describe, expect, test } from "bun:test";
import { MAX_PAGE_BYTES } from "../../../sandbox/control/paging.ts";
import { HOST } from "../../support/control.ts";
import { openSteered } from "../../support/steered.ts";
import { forAllTests } from "../../support/use.ts";

const sandbox = forAllTests(openSteered);

interface Page {
  readonly next: string | null;
  readonly requests: readonly Record<string, unknown>[];
}

const pageAt = async (query: string) => (await sandbox.control("GET", `/requests${query}`)) as unknown as Page;
const idsOf = ({ requests }: Page) => requests.map(({ id }) => id);
const queryOf = (next: string | null) => (next ?? "").slice("/_momo/requests".length);

const answerTo = (path: string) =>
  sandbox.handle(new Request(`http://${HOST}/_momo${path}`, { headers: { Host: HOST } }));

/** A call whose body and head grow most when they are written out as JSON. */
const worstCall = () =>
  sandbox.handle(
    new Request(`http://${HOST}/v2/status.php`, {
      method: "POST",
      headers: {
        Host: HOST,
        ...sandbox.caller.headers,
        "Content-Type": "application/json",
        "X-Pad": '"'.repeat(12_000),
      },
      body: "\u0001".repeat(64 * 1024),
    }),
  );

describe("GET /_momo/requests comes in pages", () => {
  beforeAll(async () => {
    await sandbox.control("POST", "/reset");
    for (let count = 1; count <= 5; count++) await sandbox.ask("GET", `/transactions.php?page=${count}`);
  });

  test("without parameters the newest, oldest first; `next` is null where nothing is left", async () => {
    const page = await pageAt("");
    expect(page.requests.map(({ target }) => String(target).at(-1))).toEqual(["1", "2", "3", "4", "5"]);
    expect(page.next).toBeNull();
  });

  test("`limit`: so many; `next` leads on to the older ones, to the end", async () => {
    const all = idsOf(await pageAt(""));
    const newest = await pageAt("?limit=2");
    expect(idsOf(newest)).toEqual(all.slice(3));
    expect(newest.next).toBe(`/_momo/requests?before=${all[3]}&limit=2`);
    const middle = await pageAt(queryOf(newest.next));
    expect(idsOf(middle)).toEqual(all.slice(1, 3));
    const oldest = await pageAt(queryOf(middle.next));
    expect(idsOf(oldest)).toEqual(all.slice(0, 1));
    expect(oldest.next).toBeNull();
  });

  test("`after` an id: the ones that came next, and `next` leads on to the newer ones", async () => {
    const all = idsOf(await pageAt(""));
    const first = await pageAt("?after=0&limit=3");
    expect(idsOf(first)).toEqual(all.slice(0, 3));
    expect(first.next).toBe(`/_momo/requests?after=${all[2]}&limit=3`);
    const second = await pageAt(queryOf(first.next));
    expect(idsOf(second)).toEqual(all.slice(3));
    expect(second.next).toBeNull();
    expect(await pageAt(`?after=${all[4]}`)).toMatchObject({ requests: [], next: null });
  });

  test("as curl lines the header Link leads on", async () => {
    const all = idsOf(await pageAt(""));
    const answer = await answerTo("/requests?format=curl&limit=2");
    expect((await answer.text()).split("\n")).toHaveLength(3);
    expect(answer.headers.get("Link")).toBe(`</_momo/requests?before=${all[3]}&limit=2&format=curl>; rel="next"`);
    expect((await answerTo("/requests?format=curl")).headers.get("Link")).toBeNull();
  });

  test.each([
    ["?limit=0", 'limit must be a whole number from 1 to 1000; it is "0"'],
    ["?limit=1001", 'limit must be a whole number from 1 to 1000; it is "1001"'],
    ["?limit=ten", 'limit must be a whole number from 1 to 1000; it is "ten"'],
    ["?after=-1", 'after must be a whole number, the id of an entry; it is "-1"'],
    ["?before=", 'before must be a whole number, the id of an entry; it is ""'],
    ["?after=1&before=9", "give after or before, not both"],
    ["?after=1&after=2", "after is given twice: give it once"],
  ])("%s: 400", async (query, message) => {
    expect(await sandbox.refusal("GET", `/requests${query}`)).toBe(message);
  });
});

describe("whatever clients send, no answer about their calls is larger than a megabyte", () => {
  let id: string;
  beforeAll(async () => {
    await sandbox.control("POST", "/reset");
    id = await sandbox.pay();
    const json = { checkout_request_id: id, pad: '"\\'.repeat(10_000) };
    for (let count = 0; count < 300; count++) await sandbox.ask("POST", "/status.php", { json });
    for (let count = 0; count < 300; count++) await worstCall();
  });

  test("a page of requests; and `next` still leads to every one of them", async () => {
    let query = "";
    const seen: unknown[] = [];
    for (;;) {
      const answer = await sandbox.call("GET", `/requests${query}`);
      expect(answer.text.length).toBeLessThan(MAX_PAGE_BYTES + 10_000);
      const page = answer.body as unknown as Page;
      seen.unshift(...idsOf(page));
      if (page.next === null) break;
      query = queryOf(page.next);
    }
    const firstId = Number(seen[0]);
    expect(seen).toEqual(Array.from({ length: 601 }, (_, index) => firstId + index));
  });

  test("their curl lines; a call whose body is not kept whole is a comment, and nothing of it is carried out", async () => {
    await sandbox.ask("POST", "/stkpush.php", { json: { reference: `x\nrm -rf /tmp/nothing\n${"y ".repeat(4000)}` } });
    const lines = (await (await answerTo("/requests?format=curl")).text()).split("\n");
    expect(lines.at(-2)).toBe("# left out, because the log does not keep all of its body: POST /v2/stkpush.php");
    expect(lines.join("\n").length).toBeLessThan(MAX_PAGE_BYTES);
    expect(lines.every((line) => line === "" || line.startsWith("# ") || line.startsWith("curl "))).toBe(true);
  });

  test("the story of a payment: the start and the last polls, and how many are left out", async () => {
    const answer = await sandbox.call("GET", `/transactions/${id}`);
    expect(answer.text.length).toBeLessThan(MAX_PAGE_BYTES + 10_000);
    const { requests, requests_left_out } = answer.body as unknown as Page & { requests_left_out: number };
    expect(requests.length).toBeGreaterThan(50);
    expect(requests.length + requests_left_out).toBe(301);
    expect(requests[0]?.target).toBe("/v2/stkpush.php");
    expect(Number(requests.at(-1)?.id)).toBe(Number(requests[0]?.id) + 300);
  });

  test("a call whose answer was long shows its beginning as text, and how much is missing", async () => {
    for (let count = 0; count < 30; count++) await sandbox.pay();
    const { text } = await sandbox.ask("GET", "/transactions.php?limit=30");
    const call = (await pageAt("")).requests.at(-1);
    expect(text).toStartWith(String(call?.answer));
    expect(Number(call?.answer_cut_bytes)).toBe(text.length - String(call?.answer).length);
  });
});
