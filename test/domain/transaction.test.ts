import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { transactionCode } from "../../src/domain/identifiers.ts";

describe("a transaction code is T and the number of the transaction, in 12 characters", () => {
  test.each([
    [1, "T00000000001"],
    [4711, "T00000004711"],
    [99_999_999_999, "T99999999999"],
  ])("that of %p is %s", (id, code) => {
    expect(transactionCode(id)).toBe(code);
  });

  test("no two are alike, and what is given later lies later in the index", () => {
    const id = fc.integer({ min: 1, max: 99_999_999_999 });
    fc.assert(
      fc.property(id, id, (a, b) => {
        expect(transactionCode(a) < transactionCode(b)).toBe(a < b);
      }),
    );
  });
});
