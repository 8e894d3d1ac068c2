import { createHash } from 'node:crypto';
import type { Trend } from '../../model/history.ts';
import { sideText } from '../compare/comparison-words.ts';
import { markup, type Markup, verbatim } from '../html/markup.ts';
import { plural } from '../number-text.ts';
import {
  changeSentence,
  changesIn,
  dayText,
  hashText,
  howChangesAreFound,
  steadyText,
  verdictsText,
} from './history-words.ts';
import { trendChart } from './trend-chart.ts';

const levels = { worse: 'invalid', better: 'valid', other: 'degraded' } as const;

const warnings = (trend: Trend): Markup => {
  const changes = changesIn(trend);
  if (changes.length === 0) return markup`<p class="aside">${steadyText(trend)}</p>`;
  return markup`<ul class="notes">${changes.map(
    ({ figure, change }) =>
      markup`<li class="${levels[change.direction]}"><span class="level">${change.direction}</span> ${changeSentence(figure, change, trend.runs)}</li>`,
  )}</ul>`;
};

const runsTable = ({
  runs,
  figures,
  plan,
}: Trend): Markup => markup`<details><summary>${plural(runs.length, 'run')}</summary>
  <div class="scroll" role="region" aria-label="Runs of ${plan}" tabindex="0"><table>
    <thead><tr><th scope="col">Run</th><th scope="col">Begun (UTC)</th><th scope="col">Generator</th><th scope="col">Weir</th><th scope="col">Baseline</th><th scope="col">Objectives</th>${figures.map(
      ({ label, unit }) => markup`<th scope="col">${label} <small>${unit}</small></th>`,
    )}<th scope="col" class="words">Result</th></tr></thead>
    <tbody>${runs
      .toReversed()
      .map(
        (run) =>
          markup`<tr><th scope="row">${run.id}</th><td>${dayText(run.startedAt)}</td><td class="${run.trust}"><span class="level">${run.trust}</span></td><td>${run.weir}</td><td>${run.baselines.join(', ')}</td><td>${verdictsText(run)}</td>${figures.map(
            (figure) =>
              markup`<td>${sideText(figure, figure.points.find((point) => point.run === run.id)?.value ?? null)}</td>`,
          )}<td class="words"><code>${run.file}</code></td></tr>`,
      )}</tbody>
  </table></div></details>`;

const trendSection = (
  trend: Trend,
): Markup => markup`<section id="plan-${hashText(trend)}" aria-labelledby="title-${hashText(trend)}">
  <h2 id="title-${hashText(trend)}">${trend.plan} <small>${hashText(trend)}</small></h2>
  <p class="ran"><span>${trend.target}</span><span>${plural(trend.runs.length, 'run')}</span><span>${dayText(trend.runs[0]!.startedAt)} to ${dayText(trend.runs.at(-1)!.startedAt)}</span></p>
  ${warnings(trend)}
  ${trend.figures.map((figure) => trendChart(figure, trend.runs))}
  ${runsTable(trend)}
</section>`;

/** All trends as one HTML file without scripts; nothing in it may be loaded from elsewhere. */
export const historyHtml = (
  { weir, trends }: { readonly weir: string; readonly trends: readonly Trend[] },
  pageStyle: string,
): string => {
  const style = pageStyle.replace(/\r\n?/g, '\n');
  const hash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
  const runs = trends.reduce((sum, trend) => sum + trend.runs.length, 0);
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${verbatim(hash)}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Weir ${weir}">
<title>History: Weir report</title>
<style>${verbatim(style)}</style>
</head>
<body>
<header>
  <p class="brand">Weir</p>
  <h1>History</h1>
  <p class="description">${plural(runs, 'run')} of ${plural(trends.length, 'plan')}, each plan against its target, the one that ran last first</p>
</header>
<nav aria-label="Sections"><ul>
  ${trends.map((trend) => markup`<li><a href="#plan-${hashText(trend)}">${trend.plan}</a></li>`)}<li><a href="#definitions">Definitions</a></li>
</ul></nav>
<main>
${trends.map(trendSection)}
<section id="definitions" aria-labelledby="definitions-title"><h2 id="definitions-title">Definitions</h2>
<p>A dot is a run, hollow where its generator was strained, ringed where it belongs to a baseline; below it the run’s number. A dashed line is a change of level, and the lines beside it are the levels.</p>
<p>${howChangesAreFound}</p></section>
</main>
<footer><p>Written by Weir ${weir}.</p></footer>
</body>
</html>
`.markup;
};
