/** From the worst: an error costs money or an order, a warning may, a note is worth knowing. */
export const SEVERITIES = ["error", "warning", "note"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Whether a severity is at least as bad as another. */
export const isAtLeast = (severity: Severity, threshold: Severity): boolean =>
  SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(threshold);

interface KindFacts {
  /** The usual severity; a finding has its own. */
  readonly severity: Severity;
  /** The section of the specification. */
  readonly section: string;
  /** In a few words. */
  readonly label: string;
  /** What would be right. */
  readonly advice: string;
}

const STOP_AT_FINAL =
  "Stop at the first of “completed”, “failed”, “cancelled” and “expired”: a final status never changes.";

/** What else helps where the lenient form takes what was refused. */
export const LENIENT_ADVICE = " For a program that stays as it is: --accept lenient takes it.";

/** How to look for a payment. The documents have the same text. */
export const HOW_TO_LOOK =
  "Look with GET /transactions.php?search= and encodeURIComponent(reference). A search takes the start of a reference or of a phone, and rows carry no reference: compare the phone, the amount and the time of each row. Give each order a reference of its own that is not all digits and not the start of another one: ORDER-0001, not ORDER-1. Only an answer with 200 says that nothing was found, and a payment can still come after it.";

/** What a client can do wrong. */
export const FINDING_KINDS = {
  nothing_accepted: {
    severity: "error",
    section: "§1",
    label: "has no accepted request",
    advice:
      "Make the client call the sandbox: give it MOMO_BASE_URL, or use --intercept with the host that it calls. Payments of the console or an assistant are not its requests. Tests that start sandboxes of their own with startSandbox() are not seen here: let them check sandbox.audit(). A client of momo client answers from its orders of an earlier run: give it a fresh folder for each test run. momo does not see what its runtime refuses first: what is no HTTP, https to an http address, and a CR in a header, as from an .env file with CRLF.",
  },
  charges_twice: {
    severity: "error",
    section: "§4.1",
    label: "charges twice",
    advice: `Ask until the first payment is final before you charge again: an answer that did not come may still take effect. At your deadline the outcome is unknown; a person or a later run decides. Disable the button, and make the reference before the first try. ${HOW_TO_LOOK}`,
  },
  gives_up_early: {
    severity: "error",
    section: "§4.4",
    label: "gives up early",
    advice:
      "Ask every 3 to 5 s for up to two minutes, until the status is final. If you stop earlier, ask again later before you treat the order as unpaid. Only the status “completed” is paid: “success” says that the question was answered.",
  },
  ignores_final: {
    severity: "error",
    section: "§3",
    label: "polls after the end",
    advice: `${STOP_AT_FINAL} Tell the customer, and start a new payment if they want to try again.`,
  },
  takes_wrong_row: {
    severity: "error",
    section: "§4.3",
    label: "takes the wrong row",
    advice: `Ask POST /status.php with the checkout_request_id. The list ignores a parameter that it does not know, so its first row is another payment. ${HOW_TO_LOOK}`,
  },
  failure_misread: {
    severity: "error",
    section: "§7",
    label: "misreads a failure",
    advice: "Check the HTTP status and “success” before you go on. A refused payment has no checkout_request_id.",
  },
  never_polls: {
    severity: "error",
    section: "§4.4",
    label: "never polls",
    advice:
      "Ask POST /status.php every 3 to 5 s until the status is final. The specification has no other way to learn the outcome of a payment.",
  },
  unknown_path: {
    severity: "error",
    section: "§4",
    label: "unknown path",
    advice:
      "Use the three paths of the specification below the base address: /stkpush.php, /status.php, /transactions.php.",
  },
  wrong_method: {
    severity: "error",
    section: "§4",
    label: "uses a wrong method",
    advice: "Send POST to /stkpush.php and /status.php, with a JSON body, and GET to /transactions.php.",
  },
  repeats_blindly: {
    severity: "warning",
    section: "§4.1",
    label: "repeats blindly",
    advice: `This time the customer cannot pay twice, by luck. A time-out, a lost connection and a status of 500 and above say nothing about the payment: ask until it is final. At your deadline the outcome is unknown; a person or a later run decides. ${HOW_TO_LOOK}`,
  },
  polls_after_completed: {
    severity: "warning",
    section: "§3",
    label: "polls after completed",
    advice: `${STOP_AT_FINAL} Make sure that reading “completed” twice does not credit twice.`,
  },
  polls_too_fast: {
    severity: "warning",
    section: "§4.4",
    label: "polls too fast",
    advice:
      "Wait 3 to 5 s between two polls of a payment. If several pages ask about the same payment, let your server ask once for all of them.",
  },
  number_as_text: {
    severity: "warning",
    section: "§4.1",
    label: "number as text",
    advice: "Send a JSON number. Convert what comes from the environment or from a form, as in Number(value).",
  },
  lenient_input: {
    severity: "warning",
    section: "§4",
    label: "lenient input",
    advice: "Send what the specification says. Only the lenient mode accepts this; another service may refuse it.",
  },
  unknown_id: {
    severity: "warning",
    section: "§4.2",
    label: "asks for an unknown id",
    advice: "Store the checkout_request_id of the answer to the push, and send it unchanged.",
  },
  refused: {
    severity: "warning",
    section: "§7",
    label: "is refused",
    advice: "Correct what the message names. The program under test may have hidden this refusal.",
  },
  reference_reused: {
    severity: "note",
    section: "§4.3",
    label: "uses a reference again",
    advice: "Give each order its own reference, so that GET /transactions.php?search= finds one payment.",
  },
  idempotency_key: {
    severity: "note",
    section: "§4.1",
    label: "idempotency key",
    advice: "Leave it out, and never repeat a push whose outcome is unknown.",
  },
  unknown_parameter: {
    severity: "note",
    section: "§4.3",
    label: "unknown parameter",
    advice: "Leave it out: the service ignores it. The filters are type, status, date_from, date_to, search and id.",
  },
  account_opened: {
    severity: "note",
    section: "§2.1",
    label: "account opened",
    advice:
      "Make sure that it is the id of your account there: only --intercept opens what is missing. Without it, start momo exec --account with the id.",
  },
  unknown_member: {
    severity: "note",
    section: "§4",
    label: "unknown member",
    advice: "Leave it out, or look for a mistake in its name: the service ignores it.",
  },
} as const satisfies Record<string, KindFacts>;

export type FindingKind = keyof typeof FINDING_KINDS;
