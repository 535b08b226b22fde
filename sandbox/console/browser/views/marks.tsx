import type { ButtonHTMLAttributes, VNode } from "preact";
import { addressOf } from "../actions.ts";
import { answerIn } from "../logic/calls.ts";
import { labelOf, messageFor } from "../logic/findings.ts";
import { capitalised, counted } from "../logic/format.ts";
import type { Finding, LoggedRequest, Status } from "../wire.ts";

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

interface FindingNotesProps {
  readonly found: readonly Finding[] | undefined;
  /** The payment or the request that it stands beside. */
  readonly about: string | number;
}

/** Client's mistakes beside the request or payment, and the advice. */
export const FindingNotes = ({ found = [], about }: FindingNotesProps) => (
  <>
    {found.map((finding) => (
      <div key={finding.message} class="box line tone small" data-tone="pending">
        <WarningIcon />
        <div class="grow">
          {messageFor(finding, about) ?? `${capitalised(labelOf(finding))}.`}
          {finding.count > 1 && ` One of ${counted(finding.count, "mistake")} of this kind.`}{" "}
          <a href={addressOf("audit", finding.kind)}>Audit</a>
          <details>
            <summary>What to do</summary>
            {finding.advice}
          </details>
        </div>
      </div>
    ))}
  </>
);

/** The status of an answer, and whether it was lost. */
export function HttpStatus({ request }: { request: Pick<LoggedRequest, "status" | "delivered"> }) {
  const { status, delivered } = request;
  const isBad = status === null || !delivered || status >= 500;
  const tone = isBad ? "failed" : status >= 400 ? "pending" : "completed";
  return (
    <b class="tone" data-tone={tone}>
      <code>{answerIn(request)}</code>
    </b>
  );
}

/** Our own icons, each one path in the colour of the text around it. The text beside each icon is its label. */
const icon = (path: string, size = 16) =>
  function Icon() {
    return (
      <svg
        class="icon"
        width={`${size / 16}rem`}
        height={`${size / 16}rem`}
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        stroke-width="1.6"
        stroke-linecap="round"
        stroke-linejoin="round"
        aria-hidden="true"
      >
        <path d={path} />
      </svg>
    );
  };

interface IconButtonProps extends ButtonHTMLAttributes {
  readonly label: string;
  readonly icon: () => VNode;
}

/** A button with an icon alone. Its label is for screen readers and the mouse. */
export const IconButton = ({ label, icon: Icon, class: style = "", ...attributes }: IconButtonProps) => (
  <button type="button" class={`quiet square ${style}`} aria-label={label} title={label} {...attributes}>
    <Icon />
  </button>
);

export const CopyIcon = icon(
  "M7.5 5.5h4a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2h-4a2 2 0 0 1-2-2v-4a2 2 0 0 1 2-2zM10.5 5.5v-1a2 2 0 0 0-2-2h-4a2 2 0 0 0-2 2v4a2 2 0 0 0 2 2h1",
);
export const CheckIcon = icon("M3 8.5l3.2 3.2L13 5");
export const CloseIcon = icon("M4 4l8 8M12 4l-8 8");
const WarningIcon = icon("M8 2.2l6.2 11H1.8zM8 6.5v3M8 11.4v.1");
export const SnowflakeIcon = icon(
  "M8 1.5v13M2.4 4.7l11.2 6.6M13.6 4.7L2.4 11.3M6.2 2.6L8 4.2l1.8-1.6M6.2 13.4L8 11.8l1.8 1.6",
  14,
);
export const BackspaceIcon = icon(
  "M5.5 3.5h7a1.5 1.5 0 0 1 1.5 1.5v6a1.5 1.5 0 0 1-1.5 1.5h-7L1.8 8zM7.2 6.2l3.6 3.6M10.8 6.2L7.2 9.8",
  20,
);
export const PlusIcon = icon("M8 3v10M3 8h10");
export const HelpIcon = icon(
  "M14.2 8a6.2 6.2 0 1 1-12.4 0 6.2 6.2 0 0 1 12.4 0zM6.2 6.3a1.9 1.9 0 1 1 2.7 1.9c-.6.3-.9.7-.9 1.3M8 11.6v.1",
);
export const SlidersIcon = icon(
  "M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M12 4.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM7 11.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0z",
  14,
);

/** The logo of momo: a phone that has paid. */
export const Mark = () => (
  <svg class="mark" width="1.625rem" height="1.625rem" viewBox="0 0 32 32" aria-hidden="true">
    <rect x="7" y="1" width="18" height="30" rx="5.5" />
    <path d="M11.4 16.4l3.3 3.3 6-6.5" />
  </svg>
);
