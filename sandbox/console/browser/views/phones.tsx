import { useSignal } from "@preact/signals";
import { typedPhone } from "../../../../src/domain/phone.ts";
import { api } from "../api.ts";
import { nextDecisionInWords } from "../logic/decisions.ts";
import { formatAmount, formatPhone } from "../logic/format.ts";
import { openPrompts } from "../logic/steering.ts";
import { pickPhone } from "../phones.ts";
import { fallback, knownPhones, phoneChips, prompts, promptsByPhone, rules, shownPhone } from "../state.ts";
import type { Default } from "../wire.ts";
import { FormProblem, useCall } from "./form.tsx";
import { Handset } from "./handset.tsx";

/** The customers: one phone, and the others that ring as chips. The column always has the same width. */
export function Phones() {
  const phone = shownPhone.value;
  return (
    <section class="phones column" aria-label="Phones">
      <p class="hint">{openPrompts(prompts.value.open.size, prompts.value.leftOut)}</p>
      <OtherPhones />
      <Handset key={phone} phone={phone} />
      <ByHandSwitch />
    </section>
  );
}

/** The places of the chips are reserved from the start. Below them, any phone can be opened. */
function OtherPhones() {
  const typed = useSignal("");
  const choose = (text: string) => {
    const phone = typedPhone(text);
    typed.value = phone === null ? text : "";
    if (phone !== null) pickPhone(phone.replace(/^0/, "254"));
  };
  return (
    <>
      <ul class="other-phones" aria-label="Other phones">
        {phoneChips.value.map((phone) => (
          <li key={phone}>
            <button type="button" onClick={() => pickPhone(phone)}>
              <b>{formatPhone(phone)}</b>{" "}
              <span class="cut tiny">
                <span class="unseen">rings: </span>KES {formatAmount(promptsByPhone.value.get(phone)?.[0]?.amount ?? 0)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <input
        type="search"
        class="more-phones"
        list="known-phones"
        inputMode="tel"
        aria-label="Open a phone"
        placeholder="Open a phone: choose or type"
        value={typed.value}
        onInput={({ currentTarget }) => choose(currentTarget.value)}
      />
      <datalist id="known-phones">
        {knownPhones.value.map((phone) => (
          <option key={phone} value={formatPhone(phone)} />
        ))}
      </datalist>
    </>
  );
}

/** The default to restore: the one before the switch, or momo's. */
let before: Default["chosen"] = { outcome: "completed" };

/** A switch between the default `manual`, where prompts wait for this person, and the default before. */
function ByHandSwitch() {
  const call = useCall();
  const isByHand = fallback.value?.outcome === "manual";

  function change() {
    if (!isByHand && fallback.value) before = fallback.value.chosen;
    const body = isByHand ? before : { outcome: "manual" };
    void call.run(() => api.call({ method: "PUT", path: "/default", body }));
  }
  return (
    <div class="by-hand">
      <label class="line">
        <input type="checkbox" checked={isByHand} disabled={fallback.value === null} onChange={change} />
        <span>I answer the next prompts</span>
      </label>
      <p class="hint">{fallback.value && nextDecisionInWords(rules.value, fallback.value)}</p>
      <FormProblem problems={call.problems} />
    </div>
  );
}
