import { escaped } from "../../sandbox/audit/results.ts";
import { COLUMNS, type Frame, type Run } from "./terminal.ts";

/** Draws recordings as one animated SVG, which needs no script, so that an <img> shows it. */

export interface Shot {
  readonly title: string;
  /** What a terminal showed, or pictures of the console, each until the next one. */
  readonly frames: readonly (Frame | { readonly atMs: number; readonly picture: string })[];
  /** How long the last frame stays. */
  readonly lastMs: number;
}

export type Theme = "light" | "dark";

const CELL = { width: 9, height: 19 };
const BAR = 34;
const PAD = 14;
export const WIDTH = COLUMNS * CELL.width + 2 * PAD;
export const heightOf = (rows: number): number => rows * CELL.height + 2 * PAD;

const PALETTES = {
  light:
    "--back:#fff;--text:#1f2328;--dim:#6e7781;--bar:#eaeef2;--red:#b42318;--green:#1a7f37;--yellow:#8a5a00;--cyan:#0b6e8a",
  dark: "--back:#0d1117;--text:#e6edf3;--dim:#8b949e;--bar:#21262d;--red:#ff7b72;--green:#56d364;--yellow:#e3b341;--cyan:#76e3ea",
} as const;

/** @param theme absent: that of the reader */
export function drawSvg(shots: readonly Shot[], what: string, theme?: Theme): string {
  const totalMs = shots.reduce((sum, shot) => sum + lengthOf(shot), 0);
  const times = new Map<string, string>();
  /** Shown from one time to another, again and again. */
  const during = (fromMs: number, toMs: number, drawn: string, isPoster: boolean) => {
    const key = [fromMs, toMs].map((ms) => ((100 * ms) / totalMs).toFixed(3)).join(" ");
    const name = times.get(key) ?? `t${times.size}`;
    times.set(key, name);
    return `<g class="f${isPoster ? " poster" : ""}" style="animation-name:${name}">${drawn}</g>`;
  };
  let startMs = 0;
  const drawn = shots.flatMap((shot, index) => {
    const fromMs = startMs;
    const lastsMs = lengthOf(shot);
    startMs += lastsMs;
    const title = `<text class="dim" x="${WIDTH / 2}" y="22" text-anchor="middle">${shot.title}</text>`;
    return [{ fromMs: 0, toMs: lastsMs, what: title }, ...spansOf(shot)].map((span) => {
      const isPoster = index === shots.length - 1 && span.toMs === lastsMs;
      return during(fromMs + span.fromMs, fromMs + span.toMs, span.what, isPoster);
    });
  });
  const keyframes = [...times].map(([key, name]) => {
    const [from = "0", to = "100"] = key.split(" ");
    return `@keyframes ${name}{0%{opacity:0}${from}%{opacity:1}${to}%{opacity:0}}`.replace("0%{opacity:0}0.000%", "0%");
  });
  const colours = theme
    ? `svg{${PALETTES[theme]}}`
    : `svg{${PALETTES.light}}@media(prefers-color-scheme:dark){svg{${PALETTES.dark}}}`;
  const styles = ["dim", "red", "green", "yellow", "cyan"].map((name) => `.${name}{fill:var(--${name})}`).join("");
  const height =
    BAR +
    Math.max(
      ...shots.flatMap(({ frames }) => frames.map((frame) => ("rows" in frame ? heightOf(frame.rows.length) : 0))),
    );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>${escaped(what)}</title>
<style>${colours}
text{font:15px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--text);white-space:pre}.bold{font-weight:700}${styles}
.f{opacity:0;animation:${(totalMs / 1000).toFixed(2)}s step-end infinite}
@media(prefers-reduced-motion:reduce){.f{animation:none}.poster{opacity:1}}
${keyframes.join("\n")}</style>
<rect width="100%" height="100%" rx="8" fill="var(--back)" stroke="var(--bar)"/>
<path d="M0 ${BAR}V8a8 8 0 0 1 8-8H${WIDTH - 8}a8 8 0 0 1 8 8V${BAR}z" fill="var(--bar)"/>
${drawn.join("\n")}
</svg>
`;
}

const lengthOf = ({ frames, lastMs }: Shot): number => (frames.at(-1)?.atMs ?? 0) + lastMs;

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly what: string;
}

/** What is shown for less is left out. */
const MIN_SPAN_MS = 5;

/** What is drawn, and how long it stays: a row of a terminal is drawn again only when it changes. */
function spansOf(shot: Shot): Span[] {
  const endMs = lengthOf(shot);
  const spans: Span[] = [];
  const shown = new Map<number, { what: string; fromMs: number }>();
  const show = (place: number, what: string, atMs: number) => {
    const before = shown.get(place);
    if (before?.what === what) return;
    if (before && before.what !== "" && before.fromMs + MIN_SPAN_MS < atMs) spans.push({ ...before, toMs: atMs });
    shown.set(place, { what, fromMs: atMs });
  };
  for (const frame of shot.frames) {
    if ("picture" in frame) show(0, `<image href="${frame.picture}" y="${BAR}" width="${WIDTH}"/>`, frame.atMs);
    else for (const [y, row] of frame.rows.entries()) show(y, row.map((run) => textOf(run, y)).join(""), frame.atMs);
  }
  for (const place of shown.keys()) show(place, "", endMs);
  return spans;
}

/** The width is given, so that columns stay aligned in every font. */
function textOf({ column, text, style }: Run, y: number): string {
  const x = PAD + column * CELL.width;
  const width = Bun.stringWidth(text) * CELL.width;
  const place = `x="${x}" y="${BAR + PAD + y * CELL.height + 14}" textLength="${width}"`;
  return `<text ${place}${style === "" ? "" : ` class="${style}"`}>${escaped(text)}</text>`;
}
