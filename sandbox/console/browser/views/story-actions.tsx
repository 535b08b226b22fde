import { useSignal } from "@preact/signals";
import { goTo, pickPhone, select } from "../actions.ts";
import { api } from "../api.ts";
import { momoWords } from "../logic/commands.ts";
import { accounts, server } from "../state.ts";
import type { Story, Transaction } from "../wire.ts";
import { type Control, ControlGroup } from "./commands.tsx";
import { FormProblem, useCall } from "./form.tsx";
import { startRule } from "./rules-card.tsx";

/** How long the page waits for the end of a payment. */
const WAIT = "60s";

/** Actions for a payment, each with the commands that do the same. */
export function StoryActions({ story: { transaction, prompt, decided_by } }: { story: Story }) {
  const call = useCall();
  const said = useSignal("");
  const { checkout_request_id, phone, amount, status, kind } = transaction;
  const { reference, description } = prompt;
  const named = reference === null ? {} : { reference };
  const account = accounts.value[0]?.id ?? server.value?.payment_account_id ?? 1;
  const again = {
    method: "POST",
    path: "/payments",
    body: { payment_account_id: account, phone, amount, ...named, ...(description !== null && { description }), kind },
    momo: momoWords(["pay", phone, String(amount)], {
      "--account": String(account),
      "--reference": reference ?? "",
      "--description": description ?? "",
      "--kind": kind === "api" ? undefined : kind,
    }),
  };
  const outcome = decided_by?.outcome ?? "insufficient_funds";
  const rule = { match: { phone, amount, ...named }, outcome, times: 1 };
  const wait = {
    method: "POST",
    path: "/wait",
    body: { checkout_request_id, until: "final", timeout: WAIT },
    momo: momoWords(["status", checkout_request_id, "--wait"]),
  };
  const sendAgain = () =>
    call.run(async () => {
      const started = await api.call<{ checkout_request_id: string }>(again);
      pickPhone(phone);
      select(started.checkout_request_id);
    });
  async function waitForIt() {
    said.value = "Waiting …";
    const isOver = await call.run(async () => {
      const ended = await api.call<{ transaction: Transaction }>(wait);
      said.value = `It is ${ended.transaction.status}.`;
    });
    if (!isOver) said.value = "";
  }
  function makeRule() {
    startRule(rule);
    goTo("steering");
  }
  const controls: Control[] = [
    { label: "Send again", run: () => void sendAgain(), command: again },
    { label: "Make a rule of it", run: makeRule, command: { method: "POST", path: "/rules", body: rule } },
    { label: "Wait for it", run: () => void waitForIt(), command: wait },
  ];
  return (
    <div class="stack">
      <ControlGroup controls={status === "pending" || said.value !== "" ? controls : controls.slice(0, 2)} />
      <p class="hint" role="status">
        {said.value}
      </p>
      <FormProblem problems={call.problems} />
    </div>
  );
}
