import { useEffect } from "preact/hooks";
import { makeRoomForPhones, pickPhone } from "../actions.ts";
import { formatPhone } from "../logic/format.ts";
import { phonesInPlay, promptsByPhone, shownPhones } from "../state.ts";
import { ByHandSwitch } from "./by-hand-switch.tsx";
import { Handset } from "./handset.tsx";

/** A number to show before any customer has been asked. */
const FIRST_PHONE = "254712345678";

/** The customers' phones. */
export function Phones() {
  useRoomForPhones();
  useEffect(typeOnRingingPhone, []);
  const shown = shownPhones.value.length > 0 ? shownPhones.value : [FIRST_PHONE];
  return (
    <section class="phones" aria-label="Phones">
      <OtherPhones />
      <div class="handsets">
        {shown.map((phone) => (
          <Handset key={phone} phone={phone} />
        ))}
      </div>
      <ByHandSwitch />
    </section>
  );
}

/** More than a handful help nobody. */
const MOST_CHIPS = 8;

/** The phones that there is no room for. */
function OtherPhones() {
  const others = phonesInPlay.value.filter(({ phone }) => !shownPhones.value.includes(phone));
  // Those that ring come first.
  const listed = others.toSorted((a, b) => b.openPrompts - a.openPrompts).slice(0, MOST_CHIPS);
  if (others.length === 0) return null;
  return (
    <ul class="other-phones" aria-label="Other phones">
      {listed.map(({ phone, openPrompts }) => (
        <li key={phone}>
          <button type="button" class="chip" data-rings={openPrompts > 0} onClick={() => pickPhone(phone)}>
            {formatPhone(phone)}
            {openPrompts > 0 && (
              <b class="count">
                {openPrompts}
                <span class="unseen"> open</span>
              </b>
            )}
          </button>
        </li>
      ))}
      {others.length > listed.length && <li class="hint">and {others.length - listed.length} more</li>}
    </ul>
  );
}

/** Window widths (in rem) from which one more handset fits beside the dashboard. */
const WIDTHS_REM = [88, 118, 200];

function useRoomForPhones(): void {
  useEffect(() => {
    const queries = WIDTHS_REM.map((width) => matchMedia(`(min-width: ${width}rem)`));
    const count = () => makeRoomForPhones(1 + queries.filter(({ matches }) => matches).length);
    count();
    for (const query of queries) query.addEventListener("change", count);
    return () => {
      for (const query of queries) query.removeEventListener("change", count);
    };
  }, []);
}

/** A digit typed anywhere but into a field goes to the first phone that rings. */
function typeOnRingingPhone(): () => void {
  function onKeyDown(event: KeyboardEvent) {
    if (!/^[0-9]$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select, dialog[open], .handset"))
      return;
    const ringing = shownPhones.value.find((phone) => promptsByPhone.value.has(phone));
    if (ringing !== undefined) document.querySelector<HTMLInputElement>(`[data-phone="${ringing}"] .pin`)?.focus();
  }
  addEventListener("keydown", onKeyDown);
  return () => removeEventListener("keydown", onKeyDown);
}
