import type { Point } from "../claims/growth.ts";

const WIDTH = 720;
const HEIGHT = 380;
const LEFT = 76;
const RIGHT = WIDTH - 76;
const TOP = 56;
const BOTTOM = HEIGHT - 56;
const STEPS = 4;

/** The colours fit a light and a dark page. */
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .grid { stroke: #8886; stroke-width: 1 }
  .list { stroke: #0969da; fill: #0969da } .rate { stroke: #bc4c00; fill: #bc4c00 }
  polyline.list, polyline.rate { fill: none; stroke-width: 2.5 }
  text.list, text.rate { stroke: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .list { stroke: #58a6ff; fill: #58a6ff } .rate { stroke: #ffa657; fill: #ffa657 }
  }`;

/** List latency (left) and payments a second (right) against rows (logarithmic), as SVG. */
export function drawChart(points: readonly Point[]): string {
  const logs = points.map(({ rows }) => Math.log10(rows));
  const [first, last] = [Math.min(...logs), Math.max(...logs)];
  const x = (rows: number) =>
    round(LEFT + 24 + ((Math.log10(rows) - first) / (last - first || 1)) * (RIGHT - LEFT - 48));
  const list = axis(points.map(({ listMs }) => listMs));
  const rate = axis(points.map(({ perSecond }) => perSecond));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">
<title>How momo does as it grows: ${points.map(describe).join("; ")}</title>
<style>${STYLE}
</style>
<text x="${LEFT}" y="24" class="list">a page of the list, median ms</text>
<text x="${RIGHT}" y="24" text-anchor="end" class="rate">payments started per second</text>
${Array.from({ length: STEPS + 1 }, (_, step) => gridLine(step, list, rate)).join("\n")}
${points.map(({ rows }) => `<text x="${x(rows)}" y="${BOTTOM + 22}" text-anchor="middle">${short(rows)}</text>`).join("\n")}
<text x="${WIDTH / 2}" y="${HEIGHT - 10}" text-anchor="middle">transactions stored</text>
${series(
  "list",
  points.map((point) => [x(point.rows), list.y(point.listMs)]),
)}
${series(
  "rate",
  points.map((point) => [x(point.rows), rate.y(point.perSecond)]),
)}
</svg>
`;
}

interface Axis {
  readonly stepSize: number;
  readonly y: (value: number) => number;
}

/** An axis from zero, so that a flat line looks flat, with round steps. */
function axis(values: readonly number[]): Axis {
  const raw = Math.max(...values) / STEPS;
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  const stepSize = ([1, 1.5, 2, 2.5, 3, 4, 5, 7.5].find((step) => step * magnitude >= raw) ?? 10) * magnitude;
  return { stepSize, y: (value) => round(BOTTOM - (value / (stepSize * STEPS)) * (BOTTOM - TOP)) };
}

function gridLine(step: number, list: Axis, rate: Axis): string {
  const y = list.y(step * list.stepSize);
  return [
    `<line class="grid" x1="${LEFT}" x2="${RIGHT}" y1="${y}" y2="${y}"/>`,
    `<text class="list" x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${short(step * list.stepSize)}</text>`,
    `<text class="rate" x="${RIGHT + 8}" y="${y + 4}">${short(step * rate.stepSize)}</text>`,
  ].join("");
}

function series(name: string, places: readonly (readonly [number, number])[]): string {
  const line = `<polyline class="${name}" points="${places.map(([x, y]) => `${x},${y}`).join(" ")}"/>`;
  return line + places.map(([x, y]) => `<circle class="${name}" cx="${x}" cy="${y}" r="4"/>`).join("");
}

const describe = ({ rows, listMs, perSecond }: Point): string =>
  `${short(rows)} rows: ${listMs.toFixed(2)} ms, ${Math.round(perSecond)}/s`;

const round = (value: number): number => Math.round(value * 10) / 10;

function short(value: number): string {
  if (value >= 1e6) return `${value / 1e6}M`;
  return value >= 1e3 ? `${value / 1e3}k` : String(Math.round(value * 1000) / 1000);
}
