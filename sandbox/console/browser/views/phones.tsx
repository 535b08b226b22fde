import { useSignal } from "@preact/signals";
import { pickPhone } from "../actions.ts";
import { formatAmount, formatPhone } from "../logic/format.ts";
import { counted } from "../logic/steering.ts";
import { phoneChips, phoneNotes, phoneStates, prompts, promptsByPhone, shownPhone } from "../state.ts";
import { askForNotifications, notificationPermission } from "../system.ts";
import { ByHandSwitch } from "./by-hand-switch.tsx";
import { Handset } from "./handset.tsx";

/** The number that is shown before the first prompt. */
const FIRST_PHONE = "254712345678";

/** The customers: one phone, and the others as chips with their state. The column always has the same width. */
export function Phones() {
  const phone = shownPhone.value ?? FIRST_PHONE;
  const ringing = prompts.value.size;
  return (
    <section class="phones" aria-label="Phones">
      <header class="line between">
        <p class="hint">{ringing === 0 ? "No prompt" : counted(ringing, "prompt")} open</p>
        <NotifyButton />
      </header>
      <OtherPhones />
      <Handset key={phone} phone={phone} />
      <ByHandSwitch />
    </section>
  );
}

/** Every chip keeps its place. The places are reserved from the start. */
function OtherPhones() {
  const chips = phoneChips.value;
  const more = phoneStates.value.length - 1 - chips.filter((phone) => phone !== null).length;
  return (
    <>
      <ul class="other-phones" aria-label="Other phones">
        {chips.map((phone, place) => (
          <li key={place}>{phone !== null && <Chip phone={phone} />}</li>
        ))}
      </ul>
      <p class="hint more-phones">{more > 0 ? `and ${more} more` : ""}</p>
    </>
  );
}

function Chip({ phone }: { phone: string }) {
  const [prompt] = promptsByPhone.value.get(phone) ?? [];
  return (
    <button type="button" data-rings={prompt !== undefined} onClick={() => pickPhone(phone)}>
      <b>{formatPhone(phone)}</b>{" "}
      <span class="muted cut">
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

/** Asks for permission to show notifications of ringing phones while the tab is hidden. A browser asks once. */
function NotifyButton() {
  const permission = useSignal(notificationPermission());
  if (permission.value !== "default") return null;
  async function ask() {
    permission.value = await askForNotifications();
  }
  return (
    <button type="button" class="bare small" title="Show a notification when a phone rings" onClick={() => void ask()}>
      <u class="tone" data-tone="completed">
        Notify me
      </u>
    </button>
  );
}
