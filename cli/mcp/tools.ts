/**
 * The tools of `momo mcp`, made from the calls of the control API (`sandbox/control/calls.ts`). Of each: when to use it, and what it
 * can do, by name: a method and a path, with the name of the argument for its id. Of several, the argument `action` names one.
 */
export type Tool = readonly [use: string, actions: Readonly<Record<string, string>>];

export const TOOLS: Readonly<Record<string, Tool>> = {
  start_payment: ["Starts a test payment. outcome is how it ends, such as cancelled.", { start: "POST /payments" }],
  wait_for_payment: ["Waits until a payment has ended, or has a status.", { wait: "POST /wait" }],
  explain_payment: [
    "How one payment ended and why, what to do, and each poll.",
    { explain: "GET /transactions/{checkout_request_id}" },
  ],
  list_payments: ["Lists payments. search: the start of a phone or reference.", { list: "GET /transactions" }],
  customer: [
    "Shows the prompts on phones, answers one (a PIN pays, 0000 is the wrong PIN), and shows the text messages.",
    { prompts: "GET /prompts", answer: "POST /prompts/{checkout_request_id}/answer", messages: "GET /messages" },
  ],
  rules: [
    "Decides how the next payments end. times: 1 is the next one only.",
    { list: "GET /rules", add: "POST /rules", replace: "PUT /rules", clear: "DELETE /rules" },
  ],
  clock: [
    "Stops the clock of the sandbox, moves it forward, or starts it again. What falls due by a move is resolved at once.",
    { show: "GET /clock", set: "POST /clock" },
  ],
  faults: [
    "Makes the payment API fail: errors, delays, lost answers. For tests of what a client does then.",
    { list: "GET /faults", replace: "PUT /faults", clear: "DELETE /faults" },
  ],
  webhook: [
    "Sends each final payment to an address, and shows what was sent and answered. The specification has no webhooks.",
    {
      show: "GET /webhook",
      set: "PUT /webhook",
      test: "POST /webhook/test",
      resend: "POST /webhook/deliveries/{delivery_id}/resend",
      remove: "DELETE /webhook",
    },
  ],
  audit: [
    "Reports what the program under test has done wrong so far, with the right way. Use it after each run.",
    { report: "GET /audit", forget: "DELETE /audit" },
  ],
  state: [
    "Forgets all payments and settings of the sandbox, or saves and restores them under a name.",
    {
      snapshots: "GET /snapshots",
      save: "PUT /snapshots/{name}",
      restore: "POST /snapshots/{name}/restore",
      remove: "DELETE /snapshots/{name}",
      reset: "POST /reset",
    },
  ],
};
