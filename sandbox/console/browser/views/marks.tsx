import { addressOf } from "../actions.ts";
import type { Finding, Status } from "../wire.ts";
import { WarningIcon } from "./icons.tsx";

export const StatusBadge = ({ status }: { status: Status }) => (
  <span class="pill dot" data-tone={status}>
    {status}
  </span>
);

/** @param isSign shows only the sign; its words are for screen readers and the mouse */
export const Warned = ({ words, isSign = false }: { words: string; isSign?: boolean }) => (
  <span class="warned line" title={words}>
    <WarningIcon />
    <span class={isSign ? "unseen" : "cut"}>{words}</span>
  </span>
);

/** Client's mistakes beside the request or payment, and the advice. */
export const FindingNotes = ({ found = [] }: { found: readonly Finding[] | undefined }) => (
  <>
    {found.map(({ message, advice }) => (
      <p key={message} class="box line tone small" data-tone="pending">
        <WarningIcon />
        <span>
          {message} {advice} <a href={addressOf("audit")}>Audit</a>
        </span>
      </p>
    ))}
  </>
);

/** Null: the answer was lost. */
export function HttpStatus({ status }: { status: number | null }) {
  const tone = status === null || status >= 500 ? "failed" : status >= 400 ? "pending" : "completed";
  return (
    <b class="tone" data-tone={tone}>
      <code>{status ?? "lost"}</code>
    </b>
  );
}
