import { outcomes } from "../state.ts";

/** Options of a select whose label is their value. */
export function Options({ names }: { names: readonly string[] }) {
  return (
    <>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </>
  );
}

/** The outcomes, each with its meaning. */
export function OutcomeOptions({ of = outcomes.value }: { of?: typeof outcomes.value }) {
  return (
    <>
      {of.map(({ name, meaning }) => (
        <option key={name} value={name}>
          {name} – {meaning}
        </option>
      ))}
    </>
  );
}
