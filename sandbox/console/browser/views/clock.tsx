import { useSignal } from "@preact/signals";
import { setting } from "../actions.ts";
import { api } from "../api.ts";
import { dayInWords, wallClock } from "../logic/format.ts";
import { moveOf, nameOf } from "../logic/typed.ts";
import { clock, clockAhead, dialog, sandboxNow } from "../state.ts";
import { Card } from "./card.tsx";
import { ConfirmButton, Dialog } from "./dialog.tsx";
import { FieldProblem, submits, useForm } from "./form.tsx";
import { SnowflakeIcon } from "./marks.tsx";
import { AT_START, KEPT, lost } from "./snapshots.tsx";

export const ClockCard = () => (
  <Card title="Clock">
    <ClockControls id="clock" />
  </Card>
);

export const ClockDialog = () => (
  <Dialog title="Clock" isOpen={dialog.value === "clock"} onClose={setting(dialog, null)}>
    <ClockControls id="set-clock" />
  </Dialog>
);

/** How far the clock is from that of the machine; empty if they show the same. */
export const AheadPill = () =>
  clockAhead.value && (
    <span class="pill" data-tone="cancelled" title="How far the sandbox's clock is from that of this machine">
      {clockAhead.value}
    </span>
  );

function ClockControls({ id }: { id: string }) {
  const form = useForm(id, { to: "Set to, or ahead by" });
  const saved = useSignal("");
  const now = sandboxNow.value;
  const isFrozen = clock.value?.frozen ?? false;
  async function move() {
    const isMoved = await form.run(async () => {
      const body = moveOf(form.values.to, now ?? 0);
      if (!body) throw new FieldProblem("to", "not understood; type 18:00, 1 day or 24 Dec 2026 08:00");
      await api.post("/clock", body);
    });
    // A text that stays would move the clock again with the next Enter.
    if (isMoved) form.clear();
  }
  async function save() {
    const name = nameOf(`before ${dayInWords(now ?? 0)} ${wallClock(now ?? 0)}`);
    await api.call({ method: "PUT", path: `/snapshots/${name}`, body: {} });
    saved.value = name;
  }
  const button = (label: string, body: object) => (
    <button type="button" onClick={() => void form.run(() => api.post("/clock", body))}>
      {label}
    </button>
  );
  return (
    <>
      <p class="row big-clock">
        <time>{now === null ? "–" : wallClock(now)}</time>
        <span class="muted">{now === null ? "" : `${dayInWords(now)}, Nairobi`}</span>
        {isFrozen && (
          <span class="pill">
            <SnowflakeIcon /> frozen
          </span>
        )}
        <AheadPill />
      </p>
      <p class="hint">
        Type 90s, 1 day, 18:00 (the next one), tomorrow 00:30 or 24 Dec 2026 08:00. Every prompt that is due by then
        ends at once.
      </p>
      <form class="row" onSubmit={submits(move)}>
        {form.input("to", { size: 24 })}
        <button type="submit">Set</button>
      </form>
      <div class="row">
        {button("+10 s", { advance: "10s" })}
        {button("+1 min", { advance: "1m" })}
        {button("+1 day", { advance: "24h" })}
        {isFrozen ? button("Resume", { resume: true }) : button("Freeze", { freeze: true })}
      </div>
      <p class="hint">There is no way back but a snapshot or a reset.</p>
      <div class="row">
        <button type="button" onClick={() => void form.run(save)}>
          Save a snapshot first
        </button>
        <ConfirmButton
          label="Set back …"
          question="Set the clock back?"
          loss={`A snapshot brings its time back, too: restore one if you have it. A reset does more. Removed: ${lost()}. ${AT_START} ${KEPT}`}
          yes="Reset, and set it back"
          call={{ method: "POST", path: "/reset", body: {} }}
        />
      </div>
      <p class="hint" role="status">
        {saved.value && `“${saved.value}” is saved. Restore it in Steering, Snapshots.`}
      </p>
      {form.problem()}
    </>
  );
}
