import { describe, expect, test } from "bun:test";
import { createEventHistory } from "../../../sandbox/control/event-history.ts";

const MB = 1024 * 1024;

describe("a ring of the last 10,000 events, or of as many as fit into 8 MB", () => {
  test("an event is written out as it was when it is read, and not before", () => {
    const history = createEventHistory("BOOT");
    let written = 0;
    history.add("transaction", () => ({ count: ++written }), 100);
    expect(written).toBe(0);
    const expected = { text: 'event: transaction\nid: BOOT-1\ndata: {"count":1}\n\n', number: 1 };
    expect(history.after(0)).toEqual(expected);
    // However many read it.
    expect(history.after(0)).toEqual(expected);
  });

  test("at most a hundred at once; the next reading goes on from there", () => {
    const history = createEventHistory("BOOT");
    for (let count = 1; count <= 150; count++) history.add("n", () => ({ count }), 0);
    const first = history.after(1);
    expect(first?.number).toBe(101);
    expect(first?.text.match(/BOOT-[0-9]+/g)).toHaveLength(100);
    expect(history.after(101)?.text).toStartWith("event: n\nid: BOOT-102\n");
    expect(history.after(150)).toEqual({ text: "", number: 150 });
  });

  test("fewer where they are large: for each of a hundred listeners they are written out in one turn", () => {
    const history = createEventHistory("BOOT");
    for (let count = 1; count <= 100; count++) history.add("n", () => ({ text: "x".repeat(10 * 1024) }), 0);
    const first = history.after(0);
    expect(first?.number).toBe(4);
    expect(history.after(4)?.number).toBe(8);
  });

  test("10,000 stay; one more makes the oldest leave", () => {
    const history = createEventHistory("BOOT");
    for (let count = 0; count < 10_000; count++) history.add("n", () => ({}), 0);
    expect(history.after(0)).not.toBeNull();
    history.add("n", () => ({}), 0);
    expect(history.after(0)).toBeNull();
    expect(history.after(1)?.text).toStartWith("event: n\nid: BOOT-2\n");
  });

  test("what holds 8 MB stays; one byte more makes the oldest leave", () => {
    const history = createEventHistory("BOOT");
    const add = (bytes: number) => history.add("n", () => ({}), bytes);
    add(MB);
    add(7 * MB);
    expect(history.after(0)).not.toBeNull();
    add(1);
    expect(history.after(0)).toBeNull();
    expect(history.after(1)).not.toBeNull();
  });

  test("the text of an event that was read counts too", () => {
    const history = createEventHistory("BOOT");
    for (let count = 1; count <= 9; count++) history.add("n", () => ({ text: "x".repeat(MB) }), 0);
    for (let number = 0; number < 9; number++) expect(history.after(number)?.text.length).toBeGreaterThan(MB);
    expect(history.after(0)).toBeNull();
    expect(history.after(2)?.number).toBe(3);
  });

  test("an event larger than all that may be kept is gone at once, and harms nothing", () => {
    const history = createEventHistory("BOOT");
    history.add("n", () => ({}), 9 * MB);
    expect(history.after(0)).toBeNull();
    history.add("n", () => ({}), 1);
    expect(history.after(1)?.number).toBe(2);
  });
});
