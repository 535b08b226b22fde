import { useSignal } from "@preact/signals";
import { api } from "../api.ts";
import { momoWords } from "../logic/commands.ts";
import { longDayOf, wallClock } from "../logic/format.ts";
import { clock, sandboxNow } from "../state.ts";
import { Card } from "./card.tsx";
import { type Control, ControlGroup } from "./commands.tsx";
import { type Draft, FormProblem, useForm } from "./form.tsx";
import { SnowflakeIcon } from "./icons.tsx";

export function ClockCard() {
  const draft = useSignal<Draft<"advance">>({});
  const form = useForm("clock", { advance: "Duration" }, draft, { advance: "90s" });
  const now = sandboxNow.value;
  function control(label: string, body: object, words: string[]): Control {
    const command = { method: "POST", path: "/clock", body, momo: momoWords(["clock", ...words]) };
    return { label, command, run: () => void form.run(() => api.call(command)) };
  }
  const isFrozen = clock.value?.frozen ?? false;
  const duration = form.values.advance;
  const advance = control("Advance", { advance: duration }, ["advance", duration]);
  const controls = [
    advance,
    control("+10 s", { advance: "10s" }, ["advance", "10s"]),
    control("+1 min", { advance: "1m" }, ["advance", "1m"]),
    isFrozen ? control("Resume", { resume: true }, ["resume"]) : control("Freeze", { freeze: true }, ["freeze"]),
  ];
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === "Enter") advance.run();
  };
  return (
    <Card title="Clock">
      <p class="big-clock">
        <time>{now === null ? "–" : wallClock(now)}</time>
        <span>{now === null ? "" : `${longDayOf(now)}, Nairobi`}</span>
        {isFrozen && (
          <span class="tag">
            <SnowflakeIcon /> frozen
          </span>
        )}
      </p>
      <p class="hint">Payments that become due are resolved before the answer.</p>
      <ControlGroup controls={controls}>{form.input("advance", { size: 6, onKeyDown })}</ControlGroup>
      <FormProblem problems={form.problems} />
    </Card>
  );
}
