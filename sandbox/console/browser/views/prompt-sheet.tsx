import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { api } from "../api.ts";
import { formatAmount, instantOf } from "../logic/format.ts";
import { countdown } from "../logic/phone.ts";
import { pickPhone } from "../phones.ts";
import { clock, sandboxNow } from "../state.ts";
import type { Prompt } from "../wire.ts";
import { Pairs } from "./card.tsx";
import { useSettled } from "./dialog.tsx";
import { submits, useCall } from "./form.tsx";
import { BackspaceIcon } from "./marks.tsx";

const DIGITS = [..."123456789"];

/** The prompt of an STK push: merchant, amount and PIN. Digits, Enter and Escape of the keyboard work like the buttons. */
export function PromptSheet({ prompt, waiting }: { prompt: Prompt; waiting: number }) {
  const pin = useSignal("");
  const input = useRef<HTMLInputElement>(null);
  const call = useCall(["pin"]);
  const isSettled = useSettled();
  const path = `/prompts/${encodeURIComponent(prompt.checkout_request_id)}/answer`;
  const problem = call.problems.fields.pin ?? call.problems.rest;

  async function send() {
    pickPhone(prompt.phone);
    const isAccepted = await call.run(() => api.post(path, { pin: pin.value }));
    if (!isAccepted) input.current?.select();
  }
  function cancel() {
    pickPhone(prompt.phone);
    void call.run(() => api.post(path, { outcome: "cancelled" }));
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    cancel();
  }
  function type(text: string) {
    call.forget("pin");
    pin.value = text;
  }
  function press(digit: string) {
    type(pin.value + digit);
    input.current?.focus();
  }
  const id = `pin-${prompt.checkout_request_id}`;

  return (
    <form
      class="prompt column"
      onSubmit={submits(send)}
      onKeyDown={onKeyDown}
      aria-label={`Prompt from ${prompt.business}`}
    >
      <Countdown prompt={prompt} />
      <p class="asks">
        <b>{prompt.business}</b>
        <span class="hint">asks you to pay</span>
      </p>
      <p class="sum" style={{ "--length": formatAmount(prompt.amount).length }}>
        <small>KES</small> {formatAmount(prompt.amount)}
      </p>
      <Particulars prompt={prompt} />
      <div class="stack pin-field">
        <label class="label" for={id}>
          Enter PIN
        </label>
        <input
          ref={input}
          id={id}
          class="pin"
          type="text"
          inputMode="numeric"
          autocomplete="off"
          maxLength={12}
          value={pin.value}
          onInput={({ currentTarget }) => type(currentTarget.value)}
          aria-invalid={problem ? "true" : undefined}
          aria-describedby={problem ? `${id}-problem` : undefined}
        />
        <p class="problem" id={`${id}-problem`} role="alert">
          {problem ?? ""}
        </p>
      </div>
      <div class="keypad">
        {DIGITS.map((digit) => (
          // People with a keyboard type the digits, so Tab skips these buttons.
          <button key={digit} type="button" tabIndex={-1} onClick={() => press(digit)}>
            {digit}
          </button>
        ))}
        <button type="button" tabIndex={-1} aria-label="Delete a digit" onClick={() => type(pin.value.slice(0, -1))}>
          <BackspaceIcon />
        </button>
        <button type="button" tabIndex={-1} onClick={() => press("0")}>
          0
        </button>
        <button type="submit" class="primary">
          Send
        </button>
      </div>
      <button type="button" class="quiet cancel" data-tone="failed" onClick={cancel} disabled={!isSettled}>
        Cancel
      </button>
      {waiting > 0 && (
        <p class="pill waiting" data-tone="pending">
          {waiting} more waiting
        </p>
      )}
    </form>
  );
}

/** Reference and description. A long text scrolls, so it can have the focus. */
function Particulars({ prompt: { reference, description } }: { prompt: Prompt }) {
  if (!reference && !description) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section class="particulars" tabIndex={0} aria-label="What it is for">
      <Pairs
        of={[
          ["Account", reference && <b>{reference}</b>],
          [
            <span class="unseen">Description</span>,
            description && <span class="muted description">{description}</span>,
          ],
        ]}
      />
    </section>
  );
}

/** The remaining time, by the sandbox's clock. */
function Countdown({ prompt }: { prompt: Prompt }) {
  const now = sandboxNow.value;
  if (now === null) return null;
  const left = countdown(instantOf(prompt.created_at), prompt.expires_at_ms, now);
  const words = `Expires in ${left}${clock.value?.frozen ? "; the clock is frozen" : ""}`;
  return (
    <p class="pill countdown" role="timer" aria-label={words}>
      {left}
    </p>
  );
}
