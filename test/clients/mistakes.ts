import { ANSWER, CHARGE, type Change, type Mistake } from "./expect-shown.ts";

/** The worst mistakes, in the client of each language. */

interface MistakeInEach extends Mistake {
  readonly py: readonly Change[];
  readonly php: readonly Change[];
}

const inEach = (mjs: Change, py: Change, php: Change) => ({ mjs: [mjs], py: [py], php: [php] });

export const MISTAKES: readonly MistakeInEach[] = [
  {
    name: "pushes again without a look",
    shows: CHARGE,
    from: 8,
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
    name: "forgets an order whose answer was lost",
    shows: CHARGE,
    from: 8,
    ...inEach(
      ['if (error.kind !== "unknown" && error.kind !== "not_started") {', 'if (error.kind !== "not_started") {'],
      ['if failure.kind not in ("unknown", "not_started"):', 'if failure.kind != "not_started":'],
      ["if ($error->kind !== 'unknown' && $error->kind !== 'not_started') {", "if ($error->kind !== 'not_started') {"],
    ),
  },
  {
    name: "forgets an order that has ended",
    shows: CHARGE,
    from: 8,
    ...inEach(
      [
        "if (isFinal(order)) return order;\n    try",
        'if (isFinal(order)) for (const state of ["~ended", "~pending", ""]) store.remove(key + state);\n    if (isFinal(order)) return order;\n    try',
      ],
      [
        'if order["status"] in FINAL: return order\n        try',
        'if order["status"] in FINAL:\n            for state in ("~ended", "~pending", ""):\n                self.store.remove(key + state)\n            return order\n        try',
      ],
      [
        "if (isFinal($order)) return $order;\n        try",
        "if (isFinal($order)) foreach (['~ended', '~pending', ''] as $state) $this->store->remove($key . $state);\n        if (isFinal($order)) return $order;\n        try",
      ],
    ),
  },
  {
    name: "does not know that it has pushed",
    shows: CHARGE,
    from: 4,
    mjs: [
      [
        "if ((await get(key)) === null) await useStore(key, false, () => store.add(key, order));",
        "store.remove(key);\n    await store.add(key, order);",
      ],
      ["if (isFinal(stored) || stored.service_reference !== order.service_reference) {", "if (!order) {"],
    ],
    py: [
      [
        "if self._get(key) is None:\n            _use_store(key, False, lambda: self.store.add(key, order))",
        "self.store.remove(key)\n        self.store.add(key, order)",
      ],
      ['if stored["status"] in FINAL or stored["service_reference"] != order["service_reference"]:', "if not order:"],
    ],
    php: [
      [
        "if ($this->get($key) === null) useStore($key, false, fn () => $this->store->add($key, $order));",
        "$this->store->remove($key);\n        $this->store->add($key, $order);",
      ],
      ["if (isFinal($stored) || $stored['service_reference'] !== $order['service_reference']) {", "if (!$order) {"],
    ],
  },
  {
    name: "stores an order after its push",
    shows: CHARGE,
    from: 3,
    mjs: [
      ["if ((await get(key)) === null) await useStore(key, false, () => store.add(key, order));", ""],
      ["const stored = await read(key); //", "const stored = (await get(key)) ? await read(key) : order; //"],
    ],
    py: [
      [
        "if self._get(key) is None:\n            _use_store(key, False, lambda: self.store.add(key, order))\n        ",
        "",
      ],
      ["stored = self._read(key)  #", "stored = self._read(key) if self._get(key) else order  #"],
    ],
    php: [
      ["if ($this->get($key) === null) useStore($key, false, fn () => $this->store->add($key, $order));", ""],
      ["$stored = $this->read($key); //", "$stored = $this->get($key) ? $this->read($key) : $order; //"],
    ],
  },
  {
    name: "does not look again before its push",
    shows: ANSWER,
    from: 7,
    standsBefore: "look",
    ...inEach(
      ["if (isFinal(stored) || stored.", "if (stored."],
      ['if stored["status"] in FINAL or stored', "if stored"],
      ["if (isFinal($stored) || $stored[", "if ($stored["],
    ),
  },
  {
    name: "keeps an order not_started when its push is accepted",
    shows: ANSWER,
    from: 67,
    standsBefore: "push",
    ...inEach(
      [
        "if (isLost) return",
        'if (isLost) store.add(key + "~ended", { ...order, status: "not_started" });\n    if (isLost) return',
      ],
      [
        'order.update(status="not_started"',
        'self.store.add(f"{key}~ended", {**order, "status": "not_started"})\n            order.update(status="not_started"',
      ],
      [
        "if ($isOut) return",
        "if ($isOut) $this->store->add(\"$key~ended\", [...$order, 'status' => 'not_started']);\n        if ($isOut) return",
      ],
    ),
  },
  {
    name: "keeps an order not_started when the answer to its push is lost",
    shows: ANSWER,
    from: 67,
    standsBefore: "push",
    ...inEach(
      ['if (news.status === "unknown")', "if (!news)"],
      ['if news["status"] == "unknown":', "if not news:"],
      ["if ($news['status'] === 'unknown')", "if (!$news)"],
    ),
  },
  {
    name: "believes its own clock that nothing has started",
    shows: ANSWER,
    from: 66,
    ...inEach(
      ["Math.max(0, Math.min(asked_ms - last.asked_ms, intervalMs))", "asked_ms - last.asked_ms"],
      ['max(0, min(now_ms - order["asked_ms"], round(1000 * self.interval)))', 'now_ms - order["asked_ms"]'],
      ["max(0, min($nowMs - $order['asked_ms'], (int) (1000 * $this->interval)))", "$nowMs - $order['asked_ms']"],
    ),
  },
  {
    name: "takes nothing found too early for not started",
    shows: ANSWER,
    from: 24,
    ...inEach(
      ["notStartedAfterMs = 600_000", "notStartedAfterMs = 5000"],
      ["not_started_after=600", "not_started_after=5"],
      ["$notStartedAfter = 600", "$notStartedAfter = 5"],
    ),
  },
  {
    name: "counts milliseconds as seconds",
    shows: ANSWER,
    from: 68,
    ...inEach(
      ["not_found_ms + elapsedMs", "not_found_ms + elapsedMs / 1000"],
      ['order["not_found_ms"] + elapsed_ms', 'order["not_found_ms"] + elapsed_ms / 1000'],
      ["$order['not_found_ms'] + $elapsedMs", "$order['not_found_ms'] + $elapsedMs / 1000"],
    ),
  },
  {
    name: "takes no answer for a failure",
    shows: ANSWER,
    from: 5,
    ...inEach(
      ["order, {}, error.message", 'order, { status: "failed" }, error.message'],
      ["order, {}, str(failure)", 'order, {"status": "failed"}, str(failure)'],
      ["$order, [], $error->getMessage()", "$order, ['status' => 'failed'], $error->getMessage()"],
    ),
  },
  {
    name: "takes a lost answer for a refusal of the network",
    shows: ANSWER,
    from: 32,
    ...inEach(
      ['message.startsWith("STK push initiation failed")', "message"],
      ['message.startswith("STK push initiation failed")', "message"],
      ["str_starts_with($message, 'STK push initiation failed')", "$message"],
    ),
  },
  {
    name: "takes pending for final",
    shows: ANSWER,
    ...inEach(
      ["completed: 0,", "completed: 0, pending: 13,"],
      ['"completed": 0,', '"completed": 0, "pending": 13,'],
      ["'completed' => 0,", "'completed' => 0, 'pending' => 13,"],
    ),
  },
  {
    name: "forgets the receipt",
    shows: ANSWER,
    ...inEach(
      ["receipt: receipt || null", "receipt: null"],
      ['news.get("momo_receipt_number")', "None"],
      ["$news['momo_receipt_number'] ?? null ?: null", "null"],
    ),
  },
  {
    name: "never asks",
    shows: "end_not_learned",
    from: 2,
    ...inEach(
      ["if (isFinal(order)) return order;\n    try", "return order;\n    try"],
      ['if order["status"] in FINAL: return order\n        try', "return order\n        try"],
      ["if (isFinal($order)) return $order;\n        try", "if ($order) return $order;\n        try"],
    ),
  },
  {
    name: "takes the row of another order",
    shows: ANSWER,
    from: 12,
    mjs: [
      ["Number(row.amount) === amount && String(row.phone).endsWith(phone.slice(3))", "true"],
      ["list({ search: service_reference })", "list({ search: service_reference[0] })"],
      [
        "pushed.length > 0 && (await list({ search: createServiceReference(reference) })).length === 0",
        "pushed.length > 0",
      ],
    ],
    py: [
      ['return is_same and str(row.get("phone")).endswith(order["phone"][3:])', "return True"],
      ['self.list(search=order["service_reference"])', 'self.list(search=order["service_reference"][0])'],
      ['bool(pushed) and not self.list(search=_create_service_reference(order["reference"]))', "bool(pushed)"],
    ],
    php: [
      ["($row['amount'] ?? 0) == $order['amount'] && $isPhone($row['phone'] ?? null)", "true"],
      ["['search' => $order['service_reference']]", "['search' => $order['service_reference'][0]]"],
      ["$pushed && $this->list(['search' => createServiceReference($order['reference'])]) === []", "$pushed !== []"],
    ],
  },
  {
    name: "believes the first payment of a push that was repeated",
    shows: ANSWER,
    from: 119,
    ...inEach(
      ["const isClear =", "const isClear = true ||"],
      ["is_clear = not open", "is_clear = True or not open"],
      ["return $paid === false && !$isEnded", "return $paid === 0.5"],
    ),
  },
  {
    name: "leaves out a row because of its date",
    shows: ANSWER,
    from: 66,
    ...inEach(
      [
        "Number(row.amount) === amount &&",
        'Number(row.amount) === amount && Math.abs(Date.parse(row.created_at + "+03:00") - now()) < 600_000 &&',
      ],
      [
        "if is_exact and",
        'if abs(__import__("calendar").timegm(time.strptime(row["created_at"], "%Y-%m-%d %H:%M:%S")) - 10800 - self.now()) < 600 and is_exact and',
      ],
      [
        "$isOwn = fn ($row) =>",
        "$isOwn = fn ($row) => abs(strtotime($row['created_at'] . ' +0300') - ($this->now)()) < 600 &&",
      ],
    ),
  },
];
