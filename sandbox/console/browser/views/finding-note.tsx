import { addressOf } from "../actions.ts";
import type { Finding } from "../wire.ts";
import { WarningIcon } from "./icons.tsx";

/** A client's mistake beside the request or payment, and the advice. */
export function FindingNote({ finding }: { finding: Finding }) {
  return (
    <p class="finding-note">
      <WarningIcon />
      <span>
        {finding.message} {finding.advice} <a href={addressOf("audit")}>Audit</a>
      </span>
    </p>
  );
}
