import { api } from "../api.ts";
import { momoWords } from "../logic/commands.ts";
import { longDayOf, wallClock } from "../logic/format.ts";
import { clock, sandboxNow } from "../state.ts";
import { Card } from "./card.tsx";
import { type Control, ControlGroup } from "./commands.tsx";
import { FormProblem, useForm } from "./form.tsx";
import { SnowflakeIcon } from "./icons.tsx";

export function ClockCard() {
  const form = useForm("clock", { advance: "Duration" }, { advance: "90s" });
  const now = sandboxNow.value;
  function control(label: string, body: object, words: string[]): Control {
    const command = { method: "POST", path: "/clock", body, momo: momoWords(["clock", ...words]) };
    return { label, command, run: () => void form.run(() => api.call(command)) };
  }
  const isFrozen = clock.value?.frozen ?? false;
  const advance = (label: string, duration: string) => control(label, { advance: duration }, ["advance", duration]);
  const typed = advance("Advance", form.values.advance);
  const controls = [
    typed,
    advance("+10 s", "10s"),
    advance("+1 min", "1m"),
    isFrozen ? control("Resume", { resume: true }, ["resume"]) : control("Freeze", { freeze: true }, ["freeze"]),
  ];
  return (
    <Card title="Clock">
      <p class="row big-clock">
        <time>{now === null ? "–" : wallClock(now)}</time>
        <span class="muted">{now === null ? "" : `${longDayOf(now)}, Nairobi`}</span>
        {isFrozen && (
          <span class="pill">
            <SnowflakeIcon /> frozen
          </span>
        )}
      </p>
      <p class="hint">Payments that become due are resolved before the answer.</p>
      <ControlGroup controls={controls}>
        {form.input("advance", { size: 6, onKeyDown: ({ key }) => key === "Enter" && typed.run() })}
      </ControlGroup>
      <FormProblem problems={form.problems} />
    </Card>
  );
}
