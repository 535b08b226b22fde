import { useComputed } from "@preact/signals";
import { BUCKETS, type Bucket, outcomeChart } from "../logic/chart.ts";
import { wallClock } from "../logic/format.ts";
import { payments, sandboxNow } from "../state.ts";
import { STATUSES, type Status } from "../wire.ts";

const HEIGHT = 44;
const BAR = 6;
const GAP = 2;
const WIDTH = BUCKETS * (BAR + GAP);

/** From the bottom to the top. The legend has the same order. */
const ORDER: readonly Status[] = ["completed", "pending", "cancelled", "expired", "failed"];

/** A chart of the payments of the list by start time and status. A bar has its numbers under the mouse. */
export function OutcomesOverTime() {
  // Once a second is enough.
  const second = useComputed(() => Math.floor((sandboxNow.value ?? 0) / 1000) * 1000);
  const chart = useComputed(() => outcomeChart([...payments.waiting.value, ...payments.rows.value], second.value));
  const { buckets, bucketMs, most } = chart.value;
  const all = inWords((status) => buckets.reduce((sum, { counts }) => sum + counts[status], 0));
  const beginMs = buckets[0]?.fromMs ?? 0;
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`Outcomes: ${all}`}>
        {buckets.map((bucket, index) => (
          <Bar key={index} bucket={bucket} bucketMs={bucketMs} x={index * (BAR + GAP)} most={most} />
        ))}
      </svg>
      <figcaption>
        <span>{wallClock(beginMs).slice(0, 5)}</span>
        <span class="legend">
          {ORDER.map((status) => (
            <span key={status} class="dot bar" data-tone={status}>
              {status}
            </span>
          ))}
        </span>
        <span>{wallClock(beginMs + bucketMs * BUCKETS).slice(0, 5)}</span>
      </figcaption>
    </figure>
  );
}

interface BarProps {
  readonly bucket: Bucket;
  readonly bucketMs: number;
  readonly x: number;
  readonly most: number;
}

function Bar({ bucket: { fromMs, counts }, bucketMs, x, most }: BarProps) {
  let y = HEIGHT;
  return (
    <g>
      <title>{`${wallClock(fromMs)} to ${wallClock(fromMs + bucketMs)}: ${inWords((status) => counts[status])}`}</title>
      <rect class="whole" x={x} width={BAR + GAP} height={HEIGHT} />
      <rect x={x} y={HEIGHT - 1} width={BAR} height={1} />
      {ORDER.map((status) => {
        if (counts[status] === 0) return null;
        const height = Math.max(1.5, (counts[status] / most) * (HEIGHT - 2));
        y -= height;
        return <rect key={status} data-tone={status} x={x} y={y} width={BAR} height={height} />;
      })}
    </g>
  );
}

function inWords(countOf: (status: Status) => number): string {
  const parts = STATUSES.map((status) => [countOf(status), status] as const).filter(([count]) => count > 0);
  return parts.map((part) => part.join(" ")).join(", ") || "no payment";
}
