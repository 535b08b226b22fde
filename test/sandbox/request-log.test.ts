import { describe, expect, test } from "bun:test";
import { createRequestLog, KEPT_LENGTH, type LoggedRequest } from "../../sandbox/request-log.ts";

const call = (changes: Partial<LoggedRequest> = {}) => ({
  atMs: 0,
  durationMs: 0,
  method: "POST",
  target: "/",
  headers: new Headers(),
  body: null,
  status: 200,
  answer: null,
  fault: null,
  leniencies: [],
  isTakenLeniently: false,
  ...changes,
});

const idsOf = (log: ReturnType<typeof createRequestLog>) => log.list().map(({ id }) => id);

describe("of each body and of each answer the beginning is kept, and how much is missing is said", () => {
  const kept = (body: string) => {
    const log = createRequestLog();
    log.add(call({ body, answer: body }));
    const [logged] = log.list();
    expect(logged).toMatchObject({ answer: logged?.body, answerCutBytes: logged?.bodyCutBytes });
    return { text: logged?.body ?? "", cutBytes: logged?.bodyCutBytes };
  };

  test("4,096 characters stay whole; of more, the rest is counted in bytes", () => {
    const whole = "x y ".repeat(KEPT_LENGTH / 4);
    expect(kept(whole)).toEqual({ text: whole, cutBytes: 0 });
    expect(kept(`${whole}é😀`)).toEqual({ text: whole, cutBytes: 6 });
    expect(kept("\u0001".repeat(64 * 1024))).toEqual({ text: "\u0001".repeat(KEPT_LENGTH), cutBytes: 60 * 1024 });
  });

  test("no character is cut in two", () => {
    const text = `.${"😀".repeat(KEPT_LENGTH / 2)}`;
    expect(kept(text)).toEqual({ text: `.${"😀".repeat(KEPT_LENGTH / 2 - 1)}`, cutBytes: 4 });
  });

  test("a secret at the cut is not kept in part, where nothing would know it any more", () => {
    const secret = `ms_${"a1b2".repeat(10)}`;
    for (const at of [1, 2, 3, 20, 42, 43, 44]) {
      const before = ".".repeat(KEPT_LENGTH - at);
      expect(kept(`${before}${secret}${".".repeat(99)}`).text.replace(secret, "")).toMatch(/^[.]+$/);
    }
  });

  test("nor one with every letter escaped", () => {
    const escaped = [...`ms_${"a1b2".repeat(10)}`]
      .map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)
      .join("");
    for (let cut = 1; cut < escaped.length; cut += 1) {
      const { text } = kept(`${".".repeat(KEPT_LENGTH - cut)}${escaped}${".".repeat(99)}`);
      expect(text).toMatch(/^[.]+$/);
    }
  });
});

test("after it was cleared it begins again, and goes on counting", () => {
  const log = createRequestLog();
  for (let count = 0; count < 1500; count++) log.add(call());
  log.clear();
  expect(idsOf(log)).toEqual([]);
  for (let count = 0; count < 1200; count++) log.add(call());
  expect(idsOf(log)).toHaveLength(1000);
  expect(idsOf(log).at(-1)).toBe(2700);
});
