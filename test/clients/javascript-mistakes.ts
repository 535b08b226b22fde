import { ANSWER, CHARGE, type Mistake } from "./expect-shown.ts";

/** More mistakes, in the client in JavaScript alone: the histories that show them are the same in each language. */
export const JAVASCRIPT_MISTAKES: readonly Mistake[] = [
  {
    name: "forgets an order whose answer was lost",
    shows: CHARGE,
    from: 119,
    mjs: [['if (error.kind !== "unknown" && error.kind !== "not_started") {', 'if (error.kind !== "not_started") {']],
  },
  {
    name: "forgets an order that has ended",
    shows: CHARGE,
    from: 113,
    mjs: [
      [
        " !== null) return order;",
        ' !== null) {\n      for (const state of ["~ended", "~pending", ""]) store.remove(key + state);\n      return order;\n    }',
      ],
    ],
  },
  {
    name: "does not know that it has pushed",
    shows: CHARGE,
    from: 121,
    mjs: [
      [
        "if ((await get(key)) === null) await useStore(key, () => store.add(key, order), { mayHavePaid: false });",
        "store.remove(key);\n    await store.add(key, order);",
      ],
      ["if (kept.service_reference !== order.service_reference || !kept.may_have_paid) return kept;", ""],
    ],
  },
  {
    name: "stores an order after its push",
    shows: CHARGE,
    from: 121,
    mjs: [
      ["if ((await get(key)) === null) await useStore(key, () => store.add(key, order), { mayHavePaid: false });", ""],
      [
        "const kept = await read(key); //",
        "const kept = (await get(key)) ? await read(key) : { ...order, may_have_paid: true }; //",
      ],
    ],
  },
  {
    name: "believes its own clock that nothing has started",
    shows: ANSWER,
    from: 642,
    mjs: [["Math.min(nowMs - own.asked_ms, intervalMs)", "nowMs - own.asked_ms"]],
  },
  {
    name: "counts milliseconds as seconds",
    shows: ANSWER,
    from: 68,
    mjs: [["own.asked_ms, intervalMs)", "own.asked_ms, intervalMs) / 1000"]],
  },
  {
    name: "takes no answer for a failure",
    shows: ANSWER,
    from: 115,
    mjs: [["read(key, error.message)", 'record(key, order, { status: "failed" }, error.message)']],
  },
  {
    name: "takes a lost answer for a refusal of the network",
    shows: ANSWER,
    from: 32,
    mjs: [['message.startsWith("STK push initiation failed")', "message"]],
  },
  {
    name: "takes pending for final",
    shows: ANSWER,
    from: 121,
    mjs: [["completed: 0,", "completed: 0, pending: 13,"]],
  },
  {
    name: "forgets the receipt",
    shows: ANSWER,
    from: 113,
    mjs: [["order.receipt = payment.momo_receipt_number || null", "order.receipt = null"]],
  },
  {
    name: "takes the row of another order",
    shows: ANSWER,
    from: 87,
    mjs: [
      ["String(row.phone).endsWith(phone.slice(3)) && Number(row.amount) === amount", "true"],
      ["list({ search: service_reference })", "list({ search: service_reference[0] })"],
      ["slice(0, -1)}x` })).length === 0", "slice(0, -1)}x` })).length >= 0"],
    ],
  },
  {
    name: "believes the first payment of a push that was repeated",
    shows: ANSWER,
    from: 119,
    mjs: [["const isUnpaid =", "const isUnpaid = true ||"]],
  },
  {
    name: "leaves out a row because of its date",
    shows: ANSWER,
    from: 119,
    mjs: [
      [
        "Number(row.amount) === amount",
        'Number(row.amount) === amount && Math.abs(Date.parse(row.created_at + "+03:00") - now()) < 600_000',
      ],
    ],
  },
  {
    name: "says after a full disk that the customer has not paid",
    shows: /but the customer may have paid/,
    from: 87,
    mjs: [["store.add(name, order));", "store.add(name, order), { mayHavePaid: false });"]],
  },
  {
    name: "goes on after cancelled",
    shows: ANSWER,
    from: 97,
    mjs: [["cancelled: 11, ", ""]],
  },
  {
    name: "goes on after completed",
    shows: ANSWER,
    from: 113,
    mjs: [["completed: 0, ", ""]],
  },
  {
    name: "asks each second",
    shows: "polls_too_fast",
    from: 121,
    mjs: [["intervalMs = 5000", "intervalMs = 1000"]],
  },
  {
    name: "searches with a parameter that does not exist",
    shows: "takes_wrong_row",
    from: 119,
    mjs: [["list({ search: service_reference })", "list({ reference: service_reference })"]],
  },
  {
    name: "asks for the status without an id",
    shows: "failure_misread",
    from: 119,
    mjs: [["const payments = id ?", "const payments = order ?"]],
  },
  {
    name: "stores another id of the answer",
    shows: "unknown_id",
    from: 121,
    mjs: [["payment.checkout_request_id || null", "payment.merchant_request_id || null"]],
  },
];
