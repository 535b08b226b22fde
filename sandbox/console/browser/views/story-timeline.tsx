import { counted, formatInterval } from "../logic/format.ts";
import { type Mark, timelineOf } from "../logic/timeline.ts";
import type { Story } from "../wire.ts";

const TONES = { early: "failed", right: "completed", late: "pending" };

const percent = (share: number) => `${(share * 100).toFixed(2)}%`;

/** The polls on a line to scale, with the life of the prompt, the recommended 3 to 5 s after each request, and the end. */
export function StoryTimeline({ story }: { story: Story }) {
  const { lengthMs, expiresAt, endsAt, marks, bands } = timelineOf(story);
  const { status } = story.transaction;
  const polls = marks.filter(({ what }) => what === "poll");
  const early = polls.filter(({ pace }) => pace === "early").length;
  const isAnyLate = polls.some(({ pace }) => pace === "late");
  const words = [
    `${counted(polls.length, "poll")} in ${formatInterval(lengthMs)}`,
    ...(early > 0 ? [`${early} sooner than 3 s after the request before`] : []),
    ...(endsAt === null
      ? []
      : [`${status === "pending" ? "ends by itself" : status} after ${formatInterval(endsAt * lengthMs)}`]),
  ].join(", ");
  return (
    <figure class="timeline" data-tone={status}>
      <svg width="100%" height="40" role="img" aria-label={words}>
        <rect class="life" x="0" y="17" height="6" width={percent(expiresAt)} />
        {bands.map(({ from, to }, index) => (
          <rect
            key={index}
            class="band"
            data-tone="completed"
            x={percent(from)}
            y="8"
            height="24"
            width={percent(to - from)}
          />
        ))}
        <line class="axis" x1="0" x2="100%" y1="20" y2="20" />
        {endsAt !== null && <line class="end" x1={percent(endsAt)} x2={percent(endsAt)} y1="2" y2="38" />}
        {marks.map((mark, index) => (
          <MarkOn key={index} mark={mark} />
        ))}
      </svg>
      <figcaption>
        <span>start</span>
        <span class="legend">
          <span class="dot" data-tone="completed">
            poll
          </span>
          {early > 0 && (
            <span class="dot" data-tone="failed">
              too soon
            </span>
          )}
          {isAnyLate && (
            <span class="dot" data-tone="pending">
              late
            </span>
          )}
          <span class="dot bar key-band" data-tone="completed">
            recommended: 3 to 5 s
          </span>
          <span class="dot bar">
            {endsAt === null ? "no end yet" : status === "pending" ? "ends by itself" : status}
          </span>
        </span>
        <span>{formatInterval(lengthMs)}</span>
      </figcaption>
    </figure>
  );
}

function MarkOn({ mark: { what, at, offsetMs, words, pace } }: { mark: Mark }) {
  const title = <title>{`${words}, ${formatInterval(offsetMs)} after the start`}</title>;
  if (what === "webhook") {
    return (
      <rect class="mark" data-tone="cancelled" x={percent(at)} y="30" width="6" height="6">
        {title}
      </rect>
    );
  }
  return (
    <circle class="mark" data-tone={TONES[pace]} cx={percent(at)} cy="20" r="4.5">
      {title}
    </circle>
  );
}
