import { useSignal } from "@preact/signals";
import { typedPhone } from "../../../../src/domain/phone.ts";
import { api } from "../api.ts";
import { nextDecisionInWords } from "../logic/decisions.ts";
import { counted, formatAmount, formatPhone } from "../logic/format.ts";
import { openPrompts } from "../logic/steering.ts";
import { pickPhone } from "../phones.ts";
import {
  fallback,
  phoneChips,
  phoneNotes,
  phoneStates,
  phonesSeen,
  prompts,
  promptsByPhone,
  promptsLeftOut,
  rules,
  shownPhone,
} from "../state.ts";
import type { Default } from "../wire.ts";
import { FormProblem, useCall } from "./form.tsx";
import { Handset } from "./handset.tsx";

/** The number that is shown before the first prompt. */
const FIRST_PHONE = "254712345678";

/** The customers: one phone, and the others as chips with their state. The column always has the same width. */
export function Phones() {
  const phone = shownPhone.value ?? FIRST_PHONE;
  return (
    <section class="phones" aria-label="Phones">
      <p class="hint">{openPrompts(prompts.value.size, promptsLeftOut.value)}</p>
      <OtherPhones />
      <Handset key={phone} phone={phone} />
      <ByHandSwitch />
    </section>
  );
}

/** Every chip keeps its place. The places are reserved from the start. Below them, any other phone can be opened. */
function OtherPhones() {
  const chips = phoneChips.value;
  const typed = useSignal("");
  const more = phoneStates.value.length - 1 - chips.filter((phone) => phone !== null).length;
  const choose = (text: string) => {
    const phone = typedPhone(text);
    typed.value = phone === null ? text : "";
    if (phone !== null) pickPhone(phone.replace(/^0/, "254"));
  };
  return (
    <>
      <ul class="other-phones" aria-label="Other phones">
        {chips.map((phone, place) => (
          <li key={place}>{phone !== null && <Chip phone={phone} />}</li>
        ))}
      </ul>
      <input
        type="search"
        class="more-phones"
        list="all-phones"
        inputMode="tel"
        aria-label="Open a phone"
        placeholder={more > 0 ? `${counted(more, "more phone")}: choose or type` : "Open a phone: type its number"}
        value={typed.value}
        onInput={({ currentTarget }) => choose(currentTarget.value)}
      />
      <datalist id="all-phones">
        {phonesSeen.value.map((phone) => (
          <option key={phone} value={formatPhone(phone)} />
        ))}
      </datalist>
    </>
  );
}

function Chip({ phone }: { phone: string }) {
  const [prompt] = promptsByPhone.value.get(phone) ?? [];
  return (
    <button type="button" data-rings={prompt !== undefined} onClick={() => pickPhone(phone)}>
      <b>{formatPhone(phone)}</b>{" "}
      <span class="muted cut tiny">
        {prompt ? (
          <>
            <span class="unseen">rings: </span>KES {formatAmount(prompt.amount)}
          </>
        ) : (
          (phoneNotes.value.get(phone)?.title ?? "no prompt")
        )}
      </span>
    </button>
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
        <input type="checkbox" class="switch" checked={isByHand} disabled={fallback.value === null} onChange={change} />
        <span>I answer the next prompts</span>
      </label>
      <p class="hint">{fallback.value && nextDecisionInWords(rules.value, fallback.value)}</p>
      <FormProblem problems={call.problems} />
    </div>
  );
}
