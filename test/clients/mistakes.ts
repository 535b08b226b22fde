import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { newFolder } from "../support/cleanup.ts";
import { live, type StartClient } from "./history.ts";

/** Mistakes in the clients. A history must show each: as a finding of this kind, or by what the client did or said. */

type Change = readonly [right: string, wrong: string];
const CHARGE = /was charged/;
const ANSWER = /and the client says/;

interface Mistake {
  readonly name: string;
  readonly shows: string | RegExp;
  /** The first history to live, by default 1: an early one of those that show it. */
  readonly from?: number;
  readonly mjs: readonly Change[];
  /** Of the worst. */
  readonly py?: readonly Change[];
  readonly php?: readonly Change[];
}

const inEach = (mjs: Change, py: Change, php: Change) => ({ mjs: [mjs], py: [py], php: [php] });

export const MISTAKES: readonly Mistake[] = [
  {
    name: "pushes again without a look",
    shows: CHARGE,
    ...inEach(
      [
        'if (error.kind === "unknown") return shown(order);',
        'if (error.kind === "unknown") { store.remove(key); return start(reference, phone, amount); }',
      ],
      [
        'if error.kind == "unknown": return _shown(order)',
        'if error.kind == "unknown":\n                self.store.remove(key)\n                return self.start(reference, phone, amount)',
      ],
      [
        "if ($error->kind === 'unknown') { return shown($order); }",
        "if ($error->kind === 'unknown') { $this->store->remove($key); return $this->start($reference, $phone, $amount); }",
      ],
    ),
  },
  {
    name: "forgets an order whose answer was lost",
    shows: CHARGE,
    ...inEach(
      ['if (error.kind === "unknown") return shown(order);', ""],
      ['if error.kind == "unknown": return _shown(order)', "pass"],
      ["if ($error->kind === 'unknown') { return shown($order); }", ""],
    ),
  },
  {
    name: "does not know that it has pushed",
    shows: CHARGE,
    ...inEach(
      ["if (!isNew) return", "store.set(key, order);\n    if (!order) return"],
      ["if not is_new:", "self.store.set(key, order)\n        if not order:"],
      ["if (!$isNew) {", "$this->store->set($key, $order);\n        if (!$order) {"],
    ),
  },
  {
    name: "believes its own clock that nothing has started",
    shows: ANSWER,
    from: 33,
    ...inEach(
      ["order.missing_ms += Math.min(Math.max(0, sinceMs), intervalMs);", "order.missing_ms += sinceMs;"],
      ['order["missing_ms"] += min(max(0, since_ms), round(self.interval * 1000))', 'order["missing_ms"] += since_ms'],
      [
        "$order['missing_ms'] += min(max(0, $sinceMs), (int) ($this->interval * 1000));",
        "$order['missing_ms'] += $sinceMs;",
      ],
    ),
  },
  {
    name: "takes nothing found too early for not started",
    shows: ANSWER,
    from: 18,
    ...inEach(
      ["settledMs = 600_000", "settledMs = 5000"],
      ["settled=600", "settled=5"],
      ["$settled = 600", "$settled = 5"],
    ),
  },
  {
    name: "takes no answer for a failure",
    shows: ANSWER,
    ...inEach(
      ["return shown(read(key) ?? order);", 'return update(key, { status: "failed" }, order);'],
      ["return _shown(self._read(key) or order)", 'return self._update(key, {"status": "failed"}, order)'],
      ["return shown($this->read($key) ?? $order);", "return $this->update($key, ['status' => 'failed'], $order);"],
    ),
  },
  {
    name: "takes a lost answer for a refusal of the network",
    shows: ANSWER,
    from: 32,
    ...inEach(
      ['String(answer.message).startsWith("STK push initiation failed")', "answer.message"],
      ['str(answer["message"]).startswith("STK push initiation failed")', 'answer["message"]'],
      ["str_starts_with($answer['message'] ?? '', 'STK push initiation failed')", "isset($answer['message'])"],
    ),
  },
  {
    name: "says after a full disk that the customer has not paid",
    shows: /but the customer may have paid/,
    ...inEach(
      ["stored(key, true, () => store.set(key, order))", "stored(key, false, () => store.set(key, order))"],
      [
        "_stored(key, True, lambda: self.store.set(key, order))",
        "_stored(key, False, lambda: self.store.set(key, order))",
      ],
      [
        "stored($key, true, fn () => $this->store->set($key, $order))",
        "stored($key, false, fn () => $this->store->set($key, $order))",
      ],
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
      ["answer.momo_receipt_number ?? null", "null"],
      ['answer.get("momo_receipt_number")', "None"],
      ["$answer['momo_receipt_number'] ?? null", "null"],
    ),
  },
  {
    name: "follows a row of another order",
    shows: ANSWER,
    mjs: [
      ["row.amount === amount && String(row.phone).endsWith(phone.slice(3))", "true"],
      ["pushed_as });", "pushed_as[0] });"],
    ],
  },
  {
    name: "goes on after cancelled",
    shows: ANSWER,
    mjs: [["cancelled: 11, ", ""]],
  },
  {
    name: "goes on after completed",
    shows: ANSWER,
    mjs: [["completed: 0, ", ""]],
  },
  {
    name: "never polls",
    shows: "end_not_learned",
    mjs: [["if (isFinal(order)) return order;\n    write(", "return shown(order);\n    write("]],
  },
  {
    name: "asks each second",
    shows: "polls_too_fast",
    mjs: [["intervalMs = 5000", "intervalMs = 1000"]],
  },
  {
    name: "asks as often as there are requests that wait",
    shows: "polls_too_fast",
    mjs: [["latest.asks === order.asks ?", "latest.asks >= order.asks ?"]],
  },
  {
    name: "searches with a parameter that does not exist",
    shows: "takes_wrong_row",
    mjs: [["list({ search: pushed_as })", "list({ reference: pushed_as })"]],
  },
  {
    name: "asks for the status without an id",
    shows: "failure_misread",
    mjs: [["const answer = id ? await", "const answer = order ? await"]],
  },
  {
    name: "stores another id of the answer",
    shows: "unknown_id",
    mjs: [["answer.checkout_request_id ?? null", "answer.merchant_request_id ?? null"]],
  },
];

const MAX_SEEDS = 80;

/** Lives histories with a client that makes the mistake, until one shows it. */
export async function expectShown(
  { shows, from = 1 }: Mistake,
  changes: readonly Change[],
  source: string,
  startFrom: (file: string) => Promise<StartClient>,
): Promise<void> {
  let text = readFileSync(source, "utf8");
  for (const [right, wrong] of changes) {
    if (!text.includes(right)) throw new Error(`${source} has no ${right}`);
    text = text.replace(right, () => wrong);
  }
  const file = join(newFolder(), basename(source));
  writeFileSync(file, text);
  const start = await startFrom(file);
  for (let seed = from; seed < from + MAX_SEEDS; seed += 1) {
    const { wrong, findings } = await live(seed, start);
    if (process.env.MOMO_TEST_TRACE) console.log(seed, wrong, findings.map(({ kind }) => kind).join(" "));
    const isShown =
      typeof shows === "string" ? findings.some(({ kind }) => kind === shows) : wrong.some((one) => shows.test(one));
    if (isShown) return;
  }
  throw new Error(`${MAX_SEEDS} histories do not show ${shows}`);
}
