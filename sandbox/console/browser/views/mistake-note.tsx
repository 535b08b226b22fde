import { addressOf } from "../actions.ts";
import type { Finding } from "../wire.ts";
import { WarningIcon } from "./icons.tsx";

/** A client's mistake beside the request or payment, and the advice. */
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
