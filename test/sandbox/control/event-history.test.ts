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
    expect(history.after(0, 10)).toEqual(expected);
    // However many read it.
    expect(history.after(0, 10)).toEqual(expected);
  });

  test("at most so many at once; the next reading goes on from there", () => {
    const history = createEventHistory("BOOT");
    for (let count = 1; count <= 5; count++) history.add("n", () => ({ count }), 0);
    const first = history.after(1, 2);
    expect(first?.text.match(/BOOT-[0-9]+/g)).toEqual(["BOOT-2", "BOOT-3"]);
    expect(history.after(first?.number ?? 0, 10)?.text.match(/BOOT-[0-9]+/g)).toEqual(["BOOT-4", "BOOT-5"]);
    expect(history.after(5, 10)).toEqual({ text: "", number: 5 });
  });

  test("what holds 8 MB stays; one byte more makes the oldest leave", () => {
    const history = createEventHistory("BOOT");
    const add = (bytes: number) => history.add("n", () => ({}), bytes);
    add(MB);
    add(7 * MB);
    expect(history.after(0, 0)).not.toBeNull();
    add(1);
    expect(history.after(0, 0)).toBeNull();
    expect(history.after(1, 0)).not.toBeNull();
  });

  test("the text of an event that was read counts too", () => {
    const history = createEventHistory("BOOT");
    for (let count = 1; count <= 9; count++) history.add("n", () => ({ text: "x".repeat(MB) }), 0);
    expect(history.after(0, 9)?.text.length).toBeGreaterThan(9 * MB);
    expect(history.after(0, 9)).toBeNull();
    expect(history.after(2, 9)?.number).toBe(9);
  });

  test("an event larger than all that may be kept is gone at once, and harms nothing", () => {
    const history = createEventHistory("BOOT");
    history.add("n", () => ({}), 9 * MB);
    expect(history.after(0, 1)).toBeNull();
    history.add("n", () => ({}), 1);
    expect(history.after(1, 1)?.number).toBe(2);
  });
});
