import { useComputed } from "@preact/signals";
import { BUCKETS, type Bucket, chartOf, inWords } from "../logic/chart.ts";
import { dayAt, dayInWords, formatCount, wallClock } from "../logic/format.ts";
import { list, payments, sandboxNow } from "../state.ts";
import type { Status } from "../wire.ts";

const HEIGHT = 44;
const BAR = 6;
const STEP = 8;

/** From the bottom to the top. */
const ORDER: readonly Status[] = ["completed", "pending", "cancelled", "expired", "failed"];

/** The payments of the list by start time and status, in the colours of the tiles. A bar has its numbers under the mouse. */
export function OutcomesOverTime() {
  // Once a second is enough.
  const second = useComputed(() => Math.floor((sandboxNow.value ?? 0) / 1000) * 1000);
  const chart = useComputed(() => chartOf([...payments.waiting.value, ...payments.rows.value], second.value));
  const { buckets, bucketMs, most } = chart.value;
  const beginMs = buckets[0]?.fromMs ?? 0;
  const endMs = beginMs + bucketMs * BUCKETS;
  const count = payments.waiting.value.length + payments.rows.value.length;
  const isPart = count < (list.value.total ?? 0);
  return (
    <figure class="chart column">
      <svg
        viewBox={`0 0 ${BUCKETS * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Outcomes: ${inWords(buckets)}`}
      >
        {buckets.map((bucket, index) => (
          <Bar key={index} bucket={bucket} bucketMs={bucketMs} x={index * STEP} most={most} />
        ))}
      </svg>
      <figcaption class="line between muted tiny">
        <span>{axisTime(beginMs, endMs)}</span>
        {isPart && <span>the newest {formatCount(count)} payments</span>}
        <span>{axisTime(endMs, beginMs)}</span>
      </figcaption>
    </figure>
  );
}

/** With the day, if the other end of the axis is on another one; with the seconds, if it is in the same minute. */
function axisTime(atMs: number, otherMs: number): string {
  const time = wallClock(atMs);
  const minute = time.slice(0, 5);
  if (dayAt(atMs) !== dayAt(otherMs)) return `${dayInWords(atMs)}, ${minute}`;
  return wallClock(otherMs).startsWith(minute) ? time : minute;
}

interface BarProps {
  readonly bucket: Bucket;
  readonly bucketMs: number;
  readonly x: number;
  readonly most: number;
}

function Bar({ bucket, bucketMs, x, most }: BarProps) {
  const { fromMs, counts } = bucket;
  let y = HEIGHT;
  return (
    <g>
      <title>{`${wallClock(fromMs)} to ${wallClock(fromMs + bucketMs)}: ${inWords([bucket])}`}</title>
      <rect class="whole" x={x} width={STEP} height={HEIGHT} />
      {ORDER.map((status) => {
        if (counts[status] === 0) return null;
        const height = Math.max(1.5, (counts[status] / most) * (HEIGHT - 2));
        y -= height;
        return <rect key={status} data-tone={status} x={x} y={y} width={BAR} height={height} />;
      })}
    </g>
  );
}
