import type { Status } from "../wire.ts";

export function StatusBadge({ status }: { status: Status }) {
  return (
    <span class="status" data-status={status}>
      {status}
    </span>
  );
}
