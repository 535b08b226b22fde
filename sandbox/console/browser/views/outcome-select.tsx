import type { SelectHTMLAttributes } from "preact";
import { outcomes } from "../state.ts";

type SelectProps = SelectHTMLAttributes & { readonly none?: string };

/** A choice of outcomes, each with its meaning. */
export function OutcomeSelect({ none, ...select }: SelectProps) {
  return (
    <select {...select}>
      {none !== undefined && <option value="">{none}</option>}
      {outcomes.value.map(({ name, meaning }) => (
        <option key={name} value={name}>
          {name} – {meaning}
        </option>
      ))}
    </select>
  );
}
