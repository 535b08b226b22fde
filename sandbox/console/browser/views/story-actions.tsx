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
  const again = {
    payment_account_id: accounts.value[0]?.id ?? server.value?.payment_account_id ?? 1,
    phone,
    amount,
    ...(reference !== null && { reference }),
    ...(description !== null && { description }),
    kind,
  };
  const rule = {
    match: { phone, amount, ...(reference !== null && { reference }) },
    outcome: decided_by?.outcome ?? "insufficient_funds",
    times: 1,
  };
  const wait = { checkout_request_id, until: "final", timeout: WAIT };

  async function sendAgain() {
    await call.run(async () => {
      const started = await api.post<{ checkout_request_id: string }>("/payments", again);
      pickPhone(phone);
      select(started.checkout_request_id);
    });
  }
  async function waitForIt() {
    said.value = "Waiting …";
    const isOver = await call.run(async () => {
      const ended = await api.post<{ transaction: Transaction }>("/wait", wait);
      said.value = `It is ${ended.transaction.status}.`;
    });
    if (!isOver) said.value = "";
  }
  const controls: Control[] = [
    {
      label: "Send again",
      run: () => void sendAgain(),
      command: {
        method: "POST",
        path: "/payments",
        body: again,
        momo: momoWords(["pay", phone, String(amount)], {
          "--account": String(again.payment_account_id),
          "--reference": reference ?? "",
          "--description": description ?? "",
          "--kind": kind === "api" ? undefined : kind,
        }),
      },
    },
    {
      label: "Make a rule of it",
      run() {
        startRule(rule);
        goTo("steering");
      },
      command: { method: "POST", path: "/rules", body: rule },
    },
    ...(status === "pending" || said.value !== ""
      ? [
          {
            label: "Wait for it",
            run: () => void waitForIt(),
            command: {
              method: "POST",
              path: "/wait",
              body: wait,
              momo: momoWords(["status", checkout_request_id, "--wait"]),
            },
          },
        ]
      : []),
  ];
  return (
    <div class="story-actions">
      <ControlGroup controls={controls} />
      <p class="hint" role="status">
        {said.value}
      </p>
      <FormProblem problems={call.problems} />
    </div>
  );
}
