import { addressOf } from "../actions.ts";
import type { Finding, Status } from "../wire.ts";
import { WarningIcon } from "./icons.tsx";

export function StatusBadge({ status }: { status: Status }) {
  return (
    <span class="status" data-status={status}>
      {status}
    </span>
  );
}

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
