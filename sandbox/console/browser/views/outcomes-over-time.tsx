import { useComputed } from "@preact/signals";
import { BUCKETS, type Bucket, outcomeChart } from "../logic/chart.ts";
import { formatCount, formatInterval, wallClock } from "../logic/format.ts";
import { rows, sandboxNow, totalItems } from "../state.ts";
import { STATUSES, type Status } from "../wire.ts";

const HEIGHT = 44;
const BAR = 6;
const GAP = 2;

/** From the ground up. */
const ORDER: readonly Status[] = ["completed", "pending", "cancelled", "expired", "failed"];

/** What became of the payments, by when they began. */
export function OutcomesOverTime() {
  // Once a second is enough, and half a million rows a second are not.
  const second = useComputed(() => Math.floor((sandboxNow.value ?? 0) / 1000) * 1000);
  const chart = useComputed(() => outcomeChart(rows.value, second.value));
  const { buckets, bucketMs, most } = chart.value;
  if (most === 0) return null;
  const first = buckets[0]?.fromMs ?? 0;
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${BUCKETS * (BAR + GAP)} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={inWords(buckets)}
      >
        {buckets.map((bucket, index) => (
          <Bar key={bucket.fromMs} bucket={bucket} x={index * (BAR + GAP)} most={most} />
        ))}
      </svg>
      <figcaption>
        <span>{wallClock(first).slice(0, 5)}</span>
        <span>
          {rows.value.length < (totalItems.value ?? 0) ? `newest ${formatCount(rows.value.length)} · ` : ""}
          {formatInterval(bucketMs)} each, up to {formatCount(most)}
        </span>
        <span>{wallClock(first + bucketMs * BUCKETS).slice(0, 5)}</span>
      </figcaption>
    </figure>
  );
}

function Bar({ bucket, x, most }: { bucket: Bucket; x: number; most: number }) {
  let y = HEIGHT;
  return (
    <g>
      <rect class="ground" x={x} y={HEIGHT - 1} width={BAR} height={1} />
      {ORDER.map((status) => {
        const count = bucket.counts[status];
        if (count === 0) return null;
        const height = Math.max(1.5, (count / most) * (HEIGHT - 2));
        y -= height;
        return <rect key={status} data-status={status} x={x} y={y} width={BAR} height={height} />;
      })}
    </g>
  );
}

function inWords(buckets: readonly Bucket[]): string {
  const counts = STATUSES.map((status) => ({
    status,
    count: buckets.reduce((sum, bucket) => sum + bucket.counts[status], 0),
  })).filter(({ count }) => count > 0);
  return `Outcomes over time: ${counts.map(({ status, count }) => `${count} ${status}`).join(", ")}`;
}
