import { addressOf } from "../actions.ts";
import type { Finding } from "../wire.ts";
import { WarningIcon } from "./icons.tsx";

/** A client's mistake beside the call or payment, and what would be right. */
export function MistakeNote({ mistake }: { mistake: Finding }) {
  return (
    <p class="mistake">
      <WarningIcon />
      <span>
        {mistake.message} {mistake.advice} <a href={addressOf("audit")}>Audit</a>
      </span>
    </p>
  );
}
