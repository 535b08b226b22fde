import { useComputed, useSignal } from "@preact/signals";
import type { TargetedEvent } from "preact";
import { setFilters, setting } from "../actions.ts";
import { BUCKETS, type Bucket, outcomeChart } from "../logic/chart.ts";
import { formatSpan } from "../logic/filters.ts";
import { formatCount, formatInterval, wallClock } from "../logic/format.ts";
import { filters, rows, sandboxNow, totalItems } from "../state.ts";
import { STATUSES, type Status } from "../wire.ts";

const HEIGHT = 44;
const BAR = 6;
const GAP = 2;
const WIDTH = BUCKETS * (BAR + GAP);

const clamped = (index: number): number => Math.min(BUCKETS - 1, Math.max(0, index));

/** From the bottom to the top. The legend has the same order. */
const ORDER: readonly Status[] = ["completed", "pending", "cancelled", "expired", "failed"];

/** A chart of payments by start time and status. A bar shows its numbers under the mouse, and filters the list on a click. */
export function OutcomesOverTime() {
  // Once a second is enough. At every frame this would read half a million rows a second.
  const second = useComputed(() => Math.floor((sandboxNow.value ?? 0) / 1000) * 1000);
  const chart = useComputed(() => outcomeChart(rows.value, second.value));
  const pointed = useSignal<number | null>(null);
  const { buckets, bucketMs, most } = chart.value;
  const bucket = pointed.value === null ? undefined : buckets[pointed.value];

  const all = inWords((status) => buckets.reduce((sum, { counts }) => sum + counts[status], 0));
  const spanOf = ({ fromMs }: Bucket) => formatSpan({ fromMs, untilMs: fromMs + bucketMs });
  function pick() {
    if (!bucket || bucket.total === 0) return;
    const span = spanOf(bucket);
    setFilters({ span: filters.value.span === span ? "" : span });
  }
  function point({ clientX, currentTarget }: TargetedEvent<HTMLElement, PointerEvent>) {
    const { left, width } = currentTarget.getBoundingClientRect();
    pointed.value = clamped(Math.floor(((clientX - left) / width) * BUCKETS));
  }
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (step === undefined) pick();
    else pointed.value = clamped((pointed.value ?? (step < 0 ? BUCKETS : -1)) + step);
  }
  return (
    <figure class="chart">
      <div
        class="bars"
        role="slider"
        tabIndex={0}
        aria-label={`Outcomes over time: ${all}`}
        aria-valuemin={0}
        aria-valuemax={BUCKETS - 1}
        aria-valuenow={pointed.value ?? BUCKETS - 1}
        aria-valuetext={bucket ? numbersOf(bucket, bucketMs) : "no bar"}
        onPointerMove={point}
        onPointerLeave={setting(pointed, null)}
        onBlur={setting(pointed, null)}
        onClick={pick}
        onKeyDown={onKeyDown}
      >
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {bucket && <rect x={(pointed.value ?? 0) * (BAR + GAP) - 1} width={BAR + 2} height={HEIGHT} />}
          {buckets.map((one, index) => (
            <Bar
              key={index}
              bucket={one}
              x={index * (BAR + GAP)}
              most={most}
              isDim={filters.value.span !== "" && filters.value.span !== spanOf(one)}
            />
          ))}
        </svg>
      </div>
      <figcaption>
        {bucket ? (
          <span class="reading">{numbersOf(bucket, bucketMs)}</span>
        ) : (
          <>
            <span>{wallClock(buckets[0]?.fromMs ?? 0).slice(0, 5)}</span>
            <span class="legend">
              {ORDER.map((status) => (
                <span key={status} class="dot bar" data-tone={status}>
                  {status}
                </span>
              ))}
            </span>
            <span>{wallClock((buckets[0]?.fromMs ?? 0) + bucketMs * BUCKETS).slice(0, 5)}</span>
          </>
        )}
      </figcaption>
      <p class="unseen">
        {rows.value.length < (totalItems.value ?? 0) ? `newest ${formatCount(rows.value.length)} · ` : ""}
        {formatInterval(bucketMs)} each, up to {formatCount(most)}
      </p>
    </figure>
  );
}

interface BarProps {
  readonly bucket: Bucket;
  readonly x: number;
  readonly most: number;
  readonly isDim: boolean;
}

function Bar({ bucket, x, most, isDim }: BarProps) {
  let y = HEIGHT;
  return (
    <g class={isDim ? "dim" : undefined}>
      <rect x={x} y={HEIGHT - 1} width={BAR} height={1} />
      {ORDER.map((status) => {
        const count = bucket.counts[status];
        if (count === 0) return null;
        const height = Math.max(1.5, (count / most) * (HEIGHT - 2));
        y -= height;
        return <rect key={status} data-tone={status} x={x} y={y} width={BAR} height={height} />;
      })}
    </g>
  );
}

/** `10:02:10 to 10:02:20: 3 completed, 1 failed` */
const numbersOf = ({ fromMs, counts }: Bucket, bucketMs: number): string =>
  `${wallClock(fromMs)} to ${wallClock(fromMs + bucketMs)}: ${inWords((status) => counts[status])}`;

function inWords(countOf: (status: Status) => number): string {
  const parts = STATUSES.map((status) => [countOf(status), status] as const).filter(([count]) => count > 0);
  return parts.map((part) => part.join(" ")).join(", ") || "no payment";
}
