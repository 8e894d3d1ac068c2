import type { CapacityReport, CapacityStep } from '../../model/series/capacity.ts';
import { markup, type Markup } from '../text/markup.ts';
import { staticPage } from '../html/elements/static-page.ts';
import { latencyPlot, throughputPlot } from './capacity-plot.ts';
import {
  capacityAnswerRows,
  scalabilityFitText,
  capacityHeadline,
  capacityMethodTexts,
  capacityStepCells,
  capacityStepHead,
} from './capacity-text.ts';

const levels = {
  kept: 'valid',
  broken: 'invalid',
  undecided: 'degraded',
  unfit: 'degraded',
} as const satisfies Record<CapacityStep['verdict'], string>;

const stepRow = (step: CapacityStep): Markup => {
  const [name = '', ...cells] = capacityStepCells(step);
  return markup`<tr><th scope="row">${name}</th>${cells.map((text, i) =>
    i === 2
      ? markup`<td class="words ${levels[step.verdict]}"><span class="level">${text}</span></td>`
      : markup`<td>${text}</td>`,
  )}<td class="words">${step.breaches.map(({ text }, i) => markup`${i === 0 ? null : markup`<br>`}<small>${text}</small>`)}</td></tr>`;
};

const stepsTable = ({
  steps,
}: CapacityReport): Markup => markup`<div class="scroll" role="group" aria-label="Steps" tabindex="0"><table>
  <thead><tr>${capacityStepHead.map((title) => (title === 'verdict' ? markup`<th scope="col" class="words">${title}</th>` : markup`<th scope="col">${title}</th>`))}<th scope="col" class="words">What broke</th></tr></thead>
  <tbody>${steps.map(stepRow)}</tbody>
</table></div>`;

const answerList = (report: CapacityReport): Markup | null =>
  report.answer === null
    ? null
    : markup`<dl class="pairs">${capacityAnswerRows(report.answer, report).map(([name, text]) => markup`<dt>${name}</dt><dd>${text}</dd>`)}</dl>`;

/** The whole answer as one HTML file without scripts. */
export const capacityHtml = (report: CapacityReport, pageStyle: string): string => {
  const { answer, fit, notes, objectives } = report;
  const level = answer === null ? 'invalid' : answer.proved ? 'valid' : 'degraded';
  const law =
    fit === null
      ? 'Fewer than three different loads were kept: no law is fitted.'
      : scalabilityFitText(fit);
  return staticPage(
    {
      weir: report.weir,
      title: `Capacity of ${report.target}`,
      description: markup`${report.name}, held to: ${objectives.join('; ')}`,
      introduction: markup`<div class="verdict ${level}"><h2>${capacityHeadline(report)}</h2>
${notes.length === 0 ? null : markup`<ul class="notes">${notes.map((note) => markup`<li>${note}</li>`)}</ul>`}</div>`,
      sections: [
        { id: 'answer', title: 'Answer', body: answerList(report) },
        {
          id: 'curves',
          title: 'Curves',
          body: [latencyPlot(report), throughputPlot(report), markup`<p>${law}</p>`],
        },
        { id: 'steps', title: 'Steps', body: stepsTable(report) },
        {
          id: 'method',
          title: 'Method',
          body: capacityMethodTexts.map((text) => markup`<p>${text}</p>`),
        },
      ],
      footer: `Judged by Weir ${report.weir}, ${report.judgedAt}.`,
    },
    pageStyle,
  );
};
