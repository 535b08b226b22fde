import { useSignal } from "@preact/signals";
import { api } from "../api.ts";
import { momoLine } from "../logic/commands.ts";
import { longDayOf, wallClock } from "../logic/format.ts";
import { clock, sandboxNow } from "../state.ts";
import { type Control, ControlGroup } from "./commands.tsx";
import { Field, FormProblem, useCall } from "./form.tsx";
import { SnowflakeIcon } from "./icons.tsx";

/** Stops, moves and resumes the sandbox's clock. */
export function ClockCard() {
  const call = useCall(["advance"]);
  const duration = useSignal("90s");
  const now = sandboxNow.value;

  function control(label: string, body: object, words: string[]): Control {
    const run = () => void call.run(() => api.post("/clock", body));
    return { label, run, command: { method: "POST", path: "/clock", body, momo: momoLine(["clock", ...words]) } };
  }
  const isFrozen = clock.value?.frozen ?? false;
  const advance = control("Advance", { advance: duration.value }, ["advance", duration.value]);
  const controls = [
    advance,
    control("+10 s", { advance: "10s" }, ["advance", "10s"]),
    control("+1 min", { advance: "1m" }, ["advance", "1m"]),
    isFrozen ? control("Resume", { resume: true }, ["resume"]) : control("Freeze", { freeze: true }, ["freeze"]),
  ];
  return (
    <section class="card" aria-label="Clock">
      <h2>Clock</h2>
      <p class="big-clock">
        <time>{now === null ? "–" : wallClock(now)}</time>
        <span>{now === null ? "" : `${longDayOf(now)}, Nairobi`}</span>
        {isFrozen && (
          <span class="tag">
            <SnowflakeIcon /> frozen
          </span>
        )}
      </p>
      <p class="hint">Everything that falls due on the way is resolved before the clock answers.</p>
      <ControlGroup controls={controls}>
        <Field form="clock" name="advance" label="Duration" problems={call.problems}>
          {(input) => (
            <input
              {...input}
              size={6}
              value={duration.value}
              onInput={(event) => {
                duration.value = event.currentTarget.value;
              }}
              onKeyDown={(event) => {
                if (event.key === "Enter") advance.run();
              }}
            />
          )}
        </Field>
      </ControlGroup>
      <FormProblem problems={call.problems} />
    </section>
  );
}
