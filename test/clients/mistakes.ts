import { ANSWER, CHARGE, type Change, type Mistake } from "./expect-shown.ts";

/** One mistake for each way in which a history shows some, in the client of each language. */

interface MistakeInEach extends Mistake {
  readonly py: readonly Change[];
  readonly php: readonly Change[];
}

const inEach = (mjs: Change, py: Change, php: Change) => ({ mjs: [mjs], py: [py], php: [php] });

export const MISTAKES: readonly MistakeInEach[] = [
  {
    name: "pushes again without a look",
    shows: CHARGE,
    from: 119,
    ...inEach(
      [
        'if (error.kind !== "unknown" && error.kind !== "not_started") {',
        'if (error.kind === "unknown") { store.remove(key); return start(reference, phone, amount); }\n      if (error.kind !== "not_started") {',
      ],
      [
        'if failure.kind not in ("unknown", "not_started"):',
        'if failure.kind == "unknown":\n                self.store.remove(key)\n                return self.start(reference, phone, amount)\n            if failure.kind != "not_started":',
      ],
      [
        "if ($error->kind !== 'unknown' && $error->kind !== 'not_started') {",
        "if ($error->kind === 'unknown') { $this->store->remove($key); return $this->start($reference, $phone, $amount); }\n            if ($error->kind !== 'not_started') {",
      ],
    ),
  },
  {
    name: "does not look again before its push",
    shows: ANSWER,
    from: 7,
    standsBefore: "look",
    ...inEach(
      [" || !kept.may_have_paid) return kept", ") return kept"],
      [' or not kept["may_have_paid"]:', ":"],
      [" || !$kept['may_have_paid']) return", ") return"],
    ),
  },
  {
    name: "keeps an order not_started when its push is accepted",
    shows: ANSWER,
    from: 67,
    standsBefore: "push",
    ...inEach(
      [
        'Object.assign(order, { status: "not_started"',
        'await store.add(key + "~ended", Object.assign(order, { status: "not_started", may_have_paid: false })), Object.assign(order, { status: "not_started"',
      ],
      [
        'order.update(status="not_started"',
        'self.store.add(f"{key}~ended", {**order, "status": "not_started", "may_have_paid": False})\n            order.update(status="not_started"',
      ],
      [
        "$order = [...$order, 'status' => 'not_started'",
        "$order = [...($this->store->add(\"$key~ended\", ['status' => 'not_started', 'may_have_paid' => false] + $order) ?? $order), 'status' => 'not_started'",
      ],
    ),
  },
  {
    name: "takes nothing found too early for not started",
    shows: ANSWER,
    from: 619,
    ...inEach(
      ["notStartedAfterMs = 600_000", "notStartedAfterMs = 5000"],
      ["not_started_after=600", "not_started_after=5"],
      ["$notStartedAfter = 600", "$notStartedAfter = 5"],
    ),
  },
  {
    name: "never asks",
    shows: "end_not_learned",
    from: 121,
    ...inEach(
      [" !== null) return order;", " !== undefined) return order;"],
      ['if self._get(f"{key}~ended") is not None:\n            return', "if order:\n            return"],
      ['if ($this->get("$key~ended") !== null) return $order;', "if ($order) return $order;"],
    ),
  },
];
