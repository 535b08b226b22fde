import type { Mistake } from "../logic/mistakes.ts";
import { WarningIcon } from "./icons.tsx";

/** A client's mistake, said where it shows. */
export function MistakeNote({ mistake }: { mistake: Mistake }) {
  return (
    <p class="mistake">
      <WarningIcon />
      <span>{mistake.words}</span>
    </p>
  );
}
