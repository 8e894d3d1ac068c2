import type { Trend } from '../../model/series/history.ts';
import { sideValueText } from '../compare/comparison-text.ts';
import { markup, type Markup } from '../text/markup.ts';
import { staticPage } from '../html/elements/static-page.ts';
import { plural } from '../text/number-text.ts';
import {
  changeSentence,
  latestChanges,
  dateTimeText,
  planHashText,
  changeDetectionText,
  noChangeText,
  objectivesKeptText,
} from './history-text.ts';
import { trendChart } from './trend-chart.ts';

const directionLevels = { worse: 'invalid', better: 'valid', other: 'degraded' } as const;

const warnings = (trend: Trend): Markup => {
  const changes = latestChanges(trend);
  if (changes.length === 0) return markup`<p class="aside">${noChangeText(trend)}</p>`;
  return markup`<ul class="notes">${changes.map(
    ({ figure, change }) =>
      markup`<li class="${directionLevels[change.direction]}"><span class="level">${change.direction}</span> ${changeSentence(figure, change, trend.runs)}</li>`,
  )}</ul>`;
};

const runsTable = ({
  runs,
  figures,
  plan,
}: Trend): Markup => markup`<details><summary>${plural(runs.length, 'run')}</summary>
  <div class="scroll" role="group" aria-label="Runs of ${plan}" tabindex="0"><table>
    <thead><tr><th scope="col">Run</th><th scope="col">Begun (UTC)</th><th scope="col">Generator</th><th scope="col">Weir</th><th scope="col">Baseline</th><th scope="col">Objectives</th>${figures.map(
      ({ label, unit }) => markup`<th scope="col">${label} <small>${unit}</small></th>`,
    )}<th scope="col" class="words">Result</th></tr></thead>
    <tbody>${runs
      .toReversed()
      .map(
        (run) =>
          markup`<tr><th scope="row">${run.id}</th><td>${dateTimeText(run.startedAt)}</td><td class="${run.trust}"><span class="level">${run.trust}</span></td><td>${run.weir}</td><td>${run.baselines.join(', ')}</td><td>${objectivesKeptText(run)}</td>${figures.map(
            (figure) =>
              markup`<td>${sideValueText(figure, figure.points.find((point) => point.run === run.id)?.value ?? null)}</td>`,
          )}<td class="words"><code>${run.file}</code></td></tr>`,
      )}</tbody>
  </table></div></details>`;

const trendBody = (trend: Trend): readonly Markup[] => [
  markup`<p class="ran"><span>${planHashText(trend)}</span><span>${trend.target}</span><span>${plural(trend.runs.length, 'run')}</span><span>${dateTimeText(trend.runs[0]!.startedAt)} to ${dateTimeText(trend.runs.at(-1)!.startedAt)}</span></p>`,
  warnings(trend),
  ...trend.figures.map((figure) => trendChart(figure, trend.runs)),
  runsTable(trend),
];

const definitions = markup`<p>A dot is a run, hollow where its generator was strained, ringed where it belongs to a baseline; below it the run’s number. A dashed line is a change of level, and the lines beside it are the levels.</p>
<p>${changeDetectionText}</p>`;

/** All trends as one HTML file without scripts. */
export const historyHtml = (
  { weir, trends }: { readonly weir: string; readonly trends: readonly Trend[] },
  pageStyle: string,
): string => {
  const runs = trends.reduce((sum, trend) => sum + trend.runs.length, 0);
  return staticPage(
    {
      weir,
      title: 'History',
      description: markup`${plural(runs, 'run')} of ${plural(trends.length, 'plan')}, each against its target; the one that ran last comes first`,
      introduction: markup``,
      sections: [
        ...trends.map((trend) => ({
          id: `plan-${planHashText(trend)}`,
          title: trend.plan,
          body: trendBody(trend),
        })),
        { id: 'definitions', title: 'Definitions', body: definitions },
      ],
      footer: `Written by Weir ${weir}.`,
    },
    pageStyle,
  );
};
