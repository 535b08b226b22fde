import { escaped } from "../audit/results.ts";
import {
  allNotes,
  byCause,
  bySection,
  type Checked,
  type CheckReport,
  countOf,
  evidenceOf,
  isLikeMomo,
  notImitatedIn,
  SECTIONS,
  summaryOf,
  type Verdict,
} from "./result.ts";

/** The report as one HTML file that loads nothing, and that people can send to others. */
export function htmlReport(report: CheckReport, version: string): string {
  const [holds, fails] = [countOf(report, "holds"), countOf(report, "fails")];
  const share = holds + fails === 0 ? 0 : Math.floor((100 * holds) / (holds + fails));
  const silent = report.checked.filter(({ verdict }) => verdict === "recorded");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>${fails === 0 ? "✓" : "✗"} ${escaped(report.target)} · momo check</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<p class="brand">momo check</p>
<h1>${escaped(report.target)}</h1>
<div class="score ${fails === 0 ? "good" : "bad"}">
<p><strong>${holds}</strong> of ${holds + fails} stated sentences hold</p>
<div class="bar" role="img" aria-label="${share} %"><span style="width:${share}%"></span></div>
</div>
<ul class="figures">
${figure(fails, "do not hold", "fails")}
${figure(silent.length, "silent, recorded", "recorded")}
${figure(countOf(report, "skipped"), "not checked", "skipped")}
${figure(report.requests, "requests", "")}
</ul>
${allNotes(report)
  .map((note) => `<p class="note">${escaped(note)}</p>`)
  .join("\n")}
</header>
<main>
${
  fails === 0
    ? ""
    : `<section><h2>What does not hold</h2>${byCause(report.checked.filter(({ verdict }) => verdict === "fails"))
        .map(failure)
        .join("")}</section>`
}
<section><h2>Sentence by sentence</h2>
${bySection(report).map(section).join("\n")}
</section>
${silent.length === 0 ? "" : profileOf(report, silent)}
</main>
<footer>${escaped(summaryOf(report))}. Checked at ${escaped(report.startedAt)} in Nairobi with momo ${escaped(version)}. Without credentials, phone numbers and receipts.</footer>
</body>
</html>
`;
}

const figure = (count: number, label: string, kind: string) =>
  `<li class="${kind}"><strong>${count}</strong> ${label}</li>`;

const MARKS: Readonly<Record<Verdict, [mark: string, label: string]>> = {
  holds: ["✓", "holds"],
  fails: ["✗", "does not hold"],
  recorded: ["●", "silent"],
  skipped: ["–", "not checked"],
};

const failure = (group: readonly Checked[]) =>
  `<article>${group.map((one) => `<h3><a href="#${escaped(one.id)}">${escaped(one.section)}</a> ${prose(one.sentence)}</h3>`).join("")}<p>${prose(group[0]?.seen ?? "")}</p>${code(group)}</article>`;

const code = (group: readonly Checked[]) =>
  evidenceOf(group)
    .map((line) => `<pre><code>${escaped(line)}</code></pre>`)
    .join("");

function section([name, checked]: [string, Checked[]]): string {
  const failed = checked.filter(({ verdict }) => verdict === "fails").length;
  const state =
    failed > 0 ? `${failed} of ${checked.length} ${failed === 1 ? "does" : "do"} not hold` : `${checked.length}`;
  return `<details${failed > 0 ? " open" : ""}><summary><b>${name}</b> ${SECTIONS[name]} <span class="${failed > 0 ? "fails" : ""}">${state}</span></summary><ul>${checked.map(row).join("")}</ul></details>`;
}

function row(one: Checked): string {
  const [mark, label] = MARKS[one.verdict];
  const seen = one.seen === "" ? "" : `<p>${prose(one.seen)}</p>`;
  const sentence =
    one.evidence === null
      ? prose(one.sentence)
      : `<details><summary title="See it">${prose(one.sentence)}</summary>${code([one])}</details>`;
  return `<li id="${escaped(one.id)}" class="${one.verdict}"><i title="${label}">${mark}</i><div>${sentence}${seen}</div></li>`;
}

/** Text with the code between its backticks. */
const prose = (text: string) => escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");

const profileOf = (report: CheckReport, silent: readonly Checked[]) => `<section><h2>What it is like</h2>
<p>The specification says nothing about these. <code>momo serve --profile FILE</code> imitates what the profile has.</p>
<div class="table"><table><thead><tr><th>about</th><th>this service</th><th>momo</th></tr></thead><tbody>
${silent.map((one) => `<tr${isLikeMomo(one) ? "" : ' class="other"'}><td>${prose(one.sentence)}</td><td>${prose(one.seen)}</td><td>${prose(one.momo ?? "")}</td></tr>`).join("\n")}
</tbody></table></div>
${notImitatedIn(report)
  .map((one) => `<p>Not imitated: ${prose(one)}</p>`)
  .join("\n")}
<details><summary>The profile</summary><pre><code>${escaped(JSON.stringify(report.profile, null, 2))}</code></pre></details>
</section>`;

const STYLE = `
:root { color-scheme: light dark; --page: light-dark(#f6f7f4, #101412); --card: light-dark(#fff, #191f1c);
  --ink: light-dark(#17201b, #e9efeb); --soft: light-dark(#55625a, #9aa8a0); --line: light-dark(#dde3de, #2b342f);
  --good: light-dark(#177a43, #52c98a); --bad: light-dark(#b3261e, #ff8a80); --bad-soft: light-dark(#fdecea, #3a1b19);
  --note: light-dark(#fff4d6, #352b10); --code: light-dark(#eef2ef, #0c100e); }
* { box-sizing: border-box; margin: 0; }
body { background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 2rem 1rem 3rem; overflow-wrap: anywhere; }
header { margin-bottom: 2rem; }
.brand { color: var(--soft); font-weight: 600; letter-spacing: .02em; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: .25rem 0 1.25rem; }
h2 { font-size: 1.25rem; margin: 0 0 .75rem; }
h3 { font-size: 1rem; font-weight: 600; }
section { margin-bottom: 2.5rem; }
.score, article, section > details, .table { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.score { padding: 1rem 1.25rem 1.25rem; }
.score strong { font-size: 2.25rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.good strong { color: var(--good); }
.bad strong { color: var(--bad); }
.bar { background: var(--bad); border-radius: 1rem; height: .5rem; margin-top: .5rem; overflow: hidden; }
.bar span { background: var(--good); display: block; height: 100%; }
.figures { color: var(--soft); display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; list-style: none; margin: .75rem 0; padding: 0 1.25rem; }
.figures strong { color: var(--ink); font-variant-numeric: tabular-nums; }
.figures .fails strong { color: var(--bad); }
.note { background: var(--note); border-radius: .5rem; margin-top: .5rem; padding: .5rem 1rem; }
article { border-left: .25rem solid var(--bad); margin-bottom: .75rem; padding: .875rem 1.125rem; }
article a { color: var(--soft); text-decoration: none; margin-right: .25rem; }
pre { background: var(--code); border-radius: .5rem; font: .8125rem/1.5 ui-monospace, monospace; margin-top: .5rem; overflow-x: auto; padding: .625rem .875rem; white-space: pre-wrap; }
code { font-family: ui-monospace, monospace; font-size: .8125rem; }
section > details { margin-bottom: .5rem; }
summary { cursor: pointer; }
section > details > summary { padding: .625rem 1rem; }
section > details > pre { margin: 0 1rem 1rem; }
summary b { display: inline-block; min-width: 2.5rem; }
summary span { color: var(--soft); float: right; }
summary span.fails { color: var(--bad); }
details ul { border-top: 1px solid var(--line); list-style: none; padding: .25rem 1rem .75rem; }
li summary { list-style: none; }
li summary::-webkit-details-marker { display: none; }
li summary:hover { text-decoration: underline dotted; text-underline-offset: .25em; }
details li { display: flex; font-size: .9375rem; gap: .625rem; padding: .1875rem 0; }
details li > div { flex: 1; min-width: 0; }
li i { color: var(--soft); font-style: normal; font-weight: 700; text-align: center; width: 1rem; }
.holds i { color: var(--good); }
.fails i { color: var(--bad); }
li p, article p, section > p, td:last-child { color: var(--soft); }
li p { font-size: .875rem; }
section > p { margin-bottom: .75rem; }
.table { overflow-x: auto; margin-bottom: .5rem; }
table { border-collapse: collapse; font-size: .9375rem; width: 100%; }
th { color: var(--soft); font-size: .8125rem; font-weight: 500; text-align: left; }
th, td { padding: .5rem 1rem; vertical-align: top; width: 33%; }
tr + tr td, thead + tbody td { border-top: 1px solid var(--line); }
.other td:nth-child(2) { font-weight: 600; }
footer { color: var(--soft); font-size: .8125rem; }
@media (max-width: 40rem) { h1 { font-size: 1.375rem; } th, td { padding: .5rem .625rem; } }
@media print { body { max-width: none; } article, section > details { break-inside: avoid; } }
`;
