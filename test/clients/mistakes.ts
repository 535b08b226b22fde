import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { newFolder } from "../support/cleanup.ts";
import { live, type StartClient } from "./history.ts";

/** Mistakes in the clients. A history must show each: as a finding of this kind, or by what the client did or said. */

type Change = readonly [right: string, wrong: string];
const SHOWN = { charge: /was charged/, answer: /and the client says/ };

interface Mistake {
  readonly name: string;
  readonly shows: string | RegExp;
  readonly js: readonly Change[];
  /** Of the worst. */
  readonly py?: readonly Change[];
  readonly php?: readonly Change[];
}

const inEach = (js: Change, py: Change, php: Change) => ({ js: [js], py: [py], php: [php] });

/** What follows a push that may have been received. */
const JS_LOST = 'if (error.kind === "unknown") return order; // it may have been received: wait looks for it';
const PY_LOST =
  'if error.kind == "unknown":\n                return order  # it may have been received: wait looks for it';
const PHP_LOST = "if ($error->kind === 'unknown') { return $order; } // it may have been received: wait looks for it";

export const MISTAKES: readonly Mistake[] = [
  {
    name: "pushes again without a look",
    shows: "charges_twice",
    ...inEach(
      [JS_LOST, 'if (error.kind === "unknown") { store.remove(key); return start(reference, phone, amount); }'],
      [
        PY_LOST,
        'if error.kind == "unknown":\n                self.store.remove(key)\n                return self.start(reference, phone, amount)',
      ],
      [
        PHP_LOST,
        "if ($error->kind === 'unknown') { $this->store->remove($key); return $this->start($reference, $phone, $amount); }",
      ],
    ),
  },
  {
    name: "forgets an order whose answer was lost",
    shows: "repeats_blindly",
    ...inEach([JS_LOST, ""], [PY_LOST, "pass"], [PHP_LOST, ""]),
  },
  {
    name: "does not know that it has pushed",
    shows: SHOWN.charge,
    ...inEach(
      ["if (!store.add(key, order)) {", "store.set(key, order);\n    if (!order) {"],
      ["if not self.store.add(key, order):", "self.store.set(key, order)\n        if not order:"],
      ["if (!$this->store->add($key, $order)) {", "$this->store->set($key, $order);\n        if (!$order) {"],
    ),
  },
  {
    name: "takes pending at an early deadline for a failure",
    shows: "gives_up_early",
    js: [
      ["deadlineMs = 120_000", "deadlineMs = 10_000"],
      [
        "return isFinal(order) ? order :",
        'if (!isFinal(order)) order = save(key, { status: "failed" });\n    return isFinal(order) ? order :',
      ],
    ],
  },
  {
    name: "takes pending for final",
    shows: SHOWN.answer,
    js: [["completed: 0,", "completed: 0, pending: 13,"]],
  },
  {
    name: "takes no answer for a failure",
    shows: SHOWN.answer,
    js: [
      [
        'if (error.kind && error.kind !== "credentials") return order;',
        'if (error.kind === "unknown") return save(key, { status: "failed" });',
      ],
    ],
  },
  {
    name: "takes nothing found too early for not started",
    shows: SHOWN.answer,
    js: [["settledMs = 600_000", "settledMs = 5000"]],
  },
  {
    name: "goes on after cancelled",
    shows: "ignores_final",
    js: [["cancelled: 11, ", ""]],
  },
  {
    name: "goes on after completed",
    shows: "polls_after_completed",
    js: [["completed: 0, ", ""]],
  },
  {
    name: "never polls",
    shows: "never_polls",
    js: [["if (isFinal(order) || Math.abs(at - order.asked_at) < intervalMs) return order;", "return order;"]],
  },
  {
    name: "asks each second",
    shows: "polls_too_fast",
    js: [["intervalMs = 5000", "intervalMs = 1000"]],
  },
  {
    name: "searches with a parameter that does not exist",
    shows: "takes_wrong_row",
    js: [["list({ search })", "list({ reference: search })"]],
  },
  {
    name: "asks for the status without an id",
    shows: "failure_misread",
    js: [["if (checkout_request_id) return", "if (order) return"]],
  },
  {
    name: "stores another id of the answer",
    shows: "unknown_id",
    js: [["answer.checkout_request_id ?? null", "answer.merchant_request_id ?? null"]],
  },
];

const MAX_SEEDS = 60;

/** Lives histories with a client that makes the mistake, until one shows it. */
export async function expectShown(
  { shows }: Mistake,
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
  for (let seed = 1; seed <= MAX_SEEDS; seed += 1) {
    const { wrong, findings } = await live(seed, start);
    if (process.env.MOMO_TEST_TRACE) console.log(seed, wrong, findings.map(({ kind }) => kind).join(" "));
    const isShown =
      typeof shows === "string" ? findings.some(({ kind }) => kind === shows) : wrong.some((one) => shows.test(one));
    if (isShown) return;
  }
  throw new Error(`${MAX_SEEDS} histories do not show ${shows}`);
}
