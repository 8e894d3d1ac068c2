import { createHash } from 'node:crypto';
import type { CapacityReport, CapacityStep } from '../../model/capacity.ts';
import { markup, type Markup, verbatim } from '../html/markup.ts';
import { latencyPlot, throughputPlot } from './capacity-plot.ts';
import {
  answerRows,
  fitText,
  headText,
  methodTexts,
  stepCells,
  stepHead,
} from './capacity-words.ts';

const levels = {
  kept: 'valid',
  broken: 'invalid',
  undecided: 'degraded',
  unfit: 'degraded',
} as const satisfies Record<CapacityStep['verdict'], string>;

const stepRow = (step: CapacityStep): Markup => {
  const [name = '', ...cells] = stepCells(step);
  return markup`<tr><th scope="row">${name}</th>${cells.map((text, i) =>
    i === 2
      ? markup`<td class="words ${levels[step.verdict]}"><span class="level">${text}</span></td>`
      : markup`<td>${text}</td>`,
  )}<td class="words">${step.breaches.map(({ text }) => markup`<small>${text}</small> `)}</td></tr>`;
};

const stepsTable = ({
  steps,
}: CapacityReport): Markup => markup`<div class="scroll" role="region" aria-label="Steps" tabindex="0"><table>
  <thead><tr>${stepHead.map((title) => (title === 'verdict' ? markup`<th scope="col" class="words">${title}</th>` : markup`<th scope="col">${title}</th>`))}<th scope="col" class="words">What broke</th></tr></thead>
  <tbody>${steps.map(stepRow)}</tbody>
</table></div>`;

const answerList = (report: CapacityReport): Markup | null =>
  report.answer === null
    ? null
    : markup`<dl>${answerRows(report.answer, report).map(([name, text]) => markup`<dt>${name}</dt><dd>${text}</dd>`)}</dl>`;

const section = (id: string, title: string, body: readonly (Markup | null)[]): Markup =>
  markup`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${body}</section>`;

/** The whole answer as one HTML file without scripts; nothing in it may be loaded from elsewhere. */
export const capacityHtml = (report: CapacityReport, pageStyle: string): string => {
  const style = pageStyle.replace(/\r\n?/g, '\n');
  const hash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
  const { answer, fit, notes, objectives } = report;
  const level = answer === null ? 'invalid' : answer.proved ? 'valid' : 'degraded';
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${verbatim(hash)}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Weir ${report.weir}">
<title>Capacity of ${report.target}: Weir report</title>
<style>${verbatim(style)}</style>
</head>
<body>
<header>
  <p class="brand">Weir</p>
  <h1>Capacity of ${report.target}</h1>
  <p class="description">${report.name}, held to: ${objectives.join('; ')}</p>
</header>
<nav aria-label="Sections"><ul>
  <li><a href="#answer">Answer</a></li><li><a href="#curves">Curves</a></li><li><a href="#steps">Steps</a></li><li><a href="#method">Method</a></li>
</ul></nav>
<main>
<div class="verdict ${level}"><h2>${headText(report)}</h2>
${notes.length === 0 ? null : markup`<ul class="notes">${notes.map((note) => markup`<li>${note}</li>`)}</ul>`}</div>
${section('answer', 'Answer', [answerList(report)])}
${section('curves', 'Curves', [
  latencyPlot(report),
  throughputPlot(report),
  fit === null
    ? markup`<p>Fewer than three different loads were kept: no law is fitted.</p>`
    : markup`<p>${fitText(fit)}</p>`,
])}
${section('steps', 'Steps', [stepsTable(report)])}
${section(
  'method',
  'Method',
  methodTexts.map((text) => markup`<p>${text}</p>`),
)}
</main>
<footer><p>Judged by Weir ${report.weir}, ${report.judgedAt}.</p></footer>
</body>
</html>
`.markup;
};
