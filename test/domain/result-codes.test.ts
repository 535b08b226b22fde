import { expect, test } from "bun:test";
import { RESULT_CODES } from "../../src/domain/result-codes.ts";
import { expire } from "../../src/domain/state-machine.ts";
import { pendingOf } from "../support/payments.ts";

test("the description of each result code is the network's exact text", () => {
  expect<Record<string, string>>({ ...RESULT_CODES }).toEqual({
    "0": "The service request is processed successfully.",
    "1": "The balance is insufficient for the transaction.",
    "3": "Declined due to limit rule: greater than the maximum transaction amount.",
    "17": "Rule limited.",
    "1019": "Transaction has expired.",
    "1025": "An error occurred while sending a push request.",
    "1032": "Request cancelled by user.",
    "1037": "DS timeout user cannot be reached.",
    "2001": "The initiator information is invalid.",
    "8006": "The security credential is locked.",
  });
});

test("the service's own deadline has the network's words for it", () => {
  expect(expire({ ...pendingOf(), id: 1 })).toMatchObject({ resultCode: 1019, resultDesc: RESULT_CODES[1019] });
});
