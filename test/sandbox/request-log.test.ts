import { describe, expect, test } from "bun:test";
import { createRequestLog } from "../../sandbox/request-log.ts";

/** Stands here once more, so that another value is noticed. */
const KEPT_LENGTH = 4096;

const NO_PARTS = { members: null, said: {}, hidden: null };

const call = (text: string | null = null) => ({
  atMs: 0,
  durationMs: 0,
  method: "POST",
  target: "/",
  headers: new Headers(),
  body: text,
  checkoutRequestId: null,
  status: 200,
  answer: text,
  fault: null,
  leniencies: [],
  isTakenLeniently: false,
});

describe("the log keeps the beginning of each body and answer, and says how many bytes are missing", () => {
  const kept = (text: string) => {
    const log = createRequestLog();
    log.add(call(text), NO_PARTS);
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

  test("of a word that is longer than any secret, most is kept", () => {
    expect(kept("x".repeat(5000))).toEqual({ text: "x".repeat(KEPT_LENGTH - 600), cutBytes: 904 + 600 });
  });

  const SECRET = `ms_${"a1b2".repeat(10)}`;
  const ESCAPED = [...SECRET].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join("");
  test.each([SECRET, ESCAPED])("the first part of a secret at the cut is not kept: %s", (secret) => {
    for (let before = 1; before <= secret.length; before += 1) {
      const { text } = kept(`${".".repeat(KEPT_LENGTH - before)}${secret}${".".repeat(99)}`);
      expect(text.replace(secret, "")).toMatch(/^[.]+$/);
    }
  });
});

test("the last 1,000 requests are kept, oldest first; a cleared log goes on counting", () => {
  const log = createRequestLog();
  const add = (count: number) => {
    for (let index = 0; index < count; index++) log.add(call(), NO_PARTS);
  };
  const ids = () => log.list().map(({ id }) => id);
  add(1000);
  expect(ids()).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
  add(1);
  expect(ids()).toEqual(Array.from({ length: 1000 }, (_, index) => index + 2));
  log.clear();
  add(1);
  expect(ids()).toEqual([1002]);
});
