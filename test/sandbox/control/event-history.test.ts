import { describe, expect, test } from "bun:test";
import { createEventHistory } from "../../../sandbox/control/event-hub.ts";

const MB = 1024 * 1024;

describe("the history keeps the last 10,000 events, or as many as fit into 8 MB", () => {
  test("the text of an event is made when it is first read, and once for all readers", () => {
    const history = createEventHistory("BOOT");
    let written = 0;
    history.add("transaction", () => ({ count: ++written }), 100);
    expect(written).toBe(0);
    const expected = { text: 'event: transaction\nid: BOOT-1\ndata: {"count":1}\n\n', number: 1 };
    expect(history.after(0)).toEqual(expected);
    expect(history.after(0)).toEqual(expected);
  });

  test("one reading returns at most 100 events; the next goes on from there", () => {
    const history = createEventHistory("BOOT");
    for (let count = 1; count <= 150; count++) history.add("n", () => ({ count }), 0);
    const first = history.after(1);
    expect(first?.number).toBe(101);
    expect(first?.text.match(/BOOT-[0-9]+/g)).toHaveLength(100);
    expect(history.after(101)?.text).toStartWith("event: n\nid: BOOT-102\n");
    expect(history.after(150)).toEqual({ text: "", number: 150 });
  });

  test("of large events, one reading returns fewer", () => {
    const history = createEventHistory("BOOT");
    for (let count = 1; count <= 100; count++) history.add("n", () => ({ text: "x".repeat(10 * 1024) }), 0);
    const first = history.after(0);
    expect(first?.number).toBe(4);
    expect(history.after(4)?.number).toBe(8);
  });

  test("10,000 stay; one more drops the oldest", () => {
    const history = createEventHistory("BOOT");
    for (let count = 0; count < 10_000; count++) history.add("n", () => ({}), 0);
    expect(history.after(0)).not.toBeNull();
    history.add("n", () => ({}), 0);
    expect(history.after(0)).toBeNull();
    expect(history.after(1)?.text).toStartWith("event: n\nid: BOOT-2\n");
  });

  test("8 MB stay; one byte more drops the oldest; an event of more than 8 MB is dropped at once", () => {
    const history = createEventHistory("BOOT");
    const add = (bytes: number) => history.add("n", () => ({}), bytes);
    add(MB);
    add(7 * MB);
    expect(history.after(0)).not.toBeNull();
    add(1);
    expect(history.after(0)).toBeNull();
    expect(history.after(1)).not.toBeNull();
    add(9 * MB);
    expect(history.after(3)).toBeNull();
    add(1);
    expect(history.after(4)?.number).toBe(5);
  });

  test("the text of an event that was read counts too", () => {
    const history = createEventHistory("BOOT");
    for (let count = 1; count <= 9; count++) history.add("n", () => ({ text: "x".repeat(MB) }), 0);
    for (let number = 0; number < 9; number++) expect(history.after(number)?.text.length).toBeGreaterThan(MB);
    expect(history.after(0)).toBeNull();
    expect(history.after(2)?.number).toBe(3);
  });
});
