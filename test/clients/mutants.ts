/** Mistakes in the client: each replaces a text of its source. The histories must find each. */
export const MISTAKES: Readonly<Record<string, readonly [right: string, wrong: string]>> = {
  "pushes again without a look": [
    'if (error.kind === "unknown") return wanted; // it may have been received: wait looks for it',
    'if (error.kind === "unknown") { store.remove(key); return start(reference, phone, amount); }',
  ],
  "does not know that it has pushed": [
    "const known = store.add(key, wanted);",
    "const known = null; store.set(key, wanted);",
  ],
  "forgets an order whose answer was lost": ['if (error.kind === "unknown") return wanted;', ""],
  "takes nothing found too early for not started": ["settledMs = 600_000", "settledMs = 5000"],
  "takes no answer for a failure": [
    'if (!(error instanceof MomoError) || error.kind === "credentials") throw error;',
    'store.set(key, { ...order, status: "failed" });',
  ],
  "takes pending at the deadline for a failure": [
    "return resultOf(order);",
    'return resultOf(isFinal(order) ? order : { ...order, status: "failed" });',
  ],
  "goes on after cancelled": [
    'const FINAL = ["completed", "failed", "cancelled",',
    'const FINAL = ["completed", "failed",',
  ],
  "goes on after completed": ['const FINAL = ["completed", "failed",', 'const FINAL = ["failed",'],
  "takes pending for final": ['const FINAL = ["completed",', 'const FINAL = ["pending", "completed",'],
  "searches for the phone": [
    "list({ search: sent(reference) })",
    "list({ search: phoneOf(phone).slice(0, 9), status: 'completed' })",
  ],
  "sends the amount as text": [
    "phone: wanted.phone, amount, reference",
    "phone: wanted.phone, amount: String(amount), reference",
  ],
  "asks each second": ["intervalMs = 5000", "intervalMs = 1000"],
  "asks for the status of undefined": [
    "checkout_request_id: order.id }",
    "checkout_request_id: String(order.identity) }",
  ],
  "asks by the transaction's number": [
    "id: checkout_request_id }",
    "id: String((await call(`/transactions.php?limit=1`)).transactions[0]?.id) }",
  ],
  "uses a path that does not exist": ['call("/status.php"', 'call("/checkstatus.php"'],
  "never polls": ["await ask(key);", ""],
  "two runs ask about one order": ["running.get(key) ?? follow", "follow"],
  "asks the list with an unknown parameter": [
    "list({ search: sent(reference) })",
    "list({ reference: sent(reference) })",
  ],
};
