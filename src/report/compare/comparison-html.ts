import type {
  ComparedMetric,
  ComparedSide,
  Comparison,
  ComparisonVerdict,
} from '../../model/series/comparison.ts';
import { measures } from '../../model/measures/measures.ts';
import { markup, type Markup } from '../text/markup.ts';
import { staticPage } from '../html/elements/static-page.ts';
import { countText, figureText, plural } from '../text/number-text.ts';
import { comparisonPlot } from './comparison-plot.ts';
import {
  changeIntervalText,
  changeText,
  gatedMetrics,
  howToReadComparison,
  minimumEffectText,
  metricName,
  pValueText,
  remarkText,
  sideLine,
  sideValueText,
  comparisonVerdictText,
  comparisonWarnings,
} from './comparison-text.ts';

const levels = {
  regression: 'invalid',
  inconclusive: 'degraded',
  improvement: 'valid',
  same: 'valid',
} as const satisfies Record<ComparisonVerdict, string>;

const metricRow = (metric: ComparedMetric): Markup => {
  const { unit, base, next, effect, gated, verdict } = metric;
  const remark = remarkText(metric);
  const detectable = effect?.detectable ?? null;
  return markup`<tr>
    <th scope="row">${metricName(metric)} <small>${unit}</small></th>
    <td>${sideValueText(metric, base.typical)}</td>
    <td>${sideValueText(metric, next.typical)}</td>
    <td><b>${effect === null ? '–' : changeText(metric, effect.change)}</b></td>
    <td>${changeIntervalText(metric)}</td>
    <td>${pValueText(metric)}</td>
    <td>${minimumEffectText(metric)}</td>
    <td>${detectable === null ? '–' : changeText(metric, detectable).replace('+', '±')}</td>
    <td class="words ${gated ? levels[verdict] : 'aside'}">${gated ? markup`<span class="level">${verdict}</span>` : null}${remark === '' ? null : markup` <small>${remark}</small>`}</td>
  </tr>`;
};

const metricTable = (label: string, metrics: readonly ComparedMetric[]): Markup | null =>
  metrics.length === 0
    ? null
    : markup`<div class="scroll" role="group" aria-label="${label}" tabindex="0"><table>
    <caption>${label}</caption>
    <thead><tr>
      <th scope="col">Metric</th><th scope="col">Base</th><th scope="col">New</th><th scope="col">Change</th>
      <th scope="col">95 % interval</th><th scope="col">p</th>
      <th scope="col"><abbr title="The minimum effect, its floor included: less is no change">Minimum</abbr></th>
      <th scope="col"><abbr title="What as many repetitions would see nine times in ten">Detectable</abbr></th>
      <th scope="col" class="words">Verdict</th>
    </tr></thead>
    <tbody>${metrics.map(metricRow)}</tbody>
  </table></div>`;

const shapesTable = ({ shapes }: Comparison): Markup | null =>
  shapes.length === 0
    ? null
    : markup`<div class="scroll" role="group" aria-label="Shape" tabindex="0"><table>
    <caption>Largest distance between the two distributions of all repetitions’ samples (Kolmogorov-Smirnov): advisory, since requests of one run share its luck</caption>
    <thead><tr><th scope="col">Measure</th><th scope="col">Distance</th><th scope="col">Samples, base</th><th scope="col">Samples, new</th></tr></thead>
    <tbody>${shapes.map(
      ({ traffic, model, measure, distance, samples }) =>
        markup`<tr><th scope="row">${traffic} ${model ?? ''} ${measures[measure].label}</th><td>${figureText(distance * 100)} %</td><td>${countText(samples.base)}</td><td>${countText(samples.next)}</td></tr>`,
    )}</tbody>
  </table></div>`;

const sideTable = (
  title: string,
  side: ComparedSide,
): Markup => markup`<h3>${title}: ${side.name}</h3>
  <p class="ran"><span>plan ${side.plan} (${side.planHash.slice(0, 12)})</span><span>${side.target}</span><span>${side.models.join(', ') || 'no model'}</span><span>seed ${side.seed}</span><span>${plural(side.slices, 'slice')}</span><span>Weir ${side.weir}</span></p>
  <div class="scroll" role="group" aria-label="Runs of ${title}" tabindex="0"><table>
    <thead><tr><th scope="col">Result</th><th scope="col">Begun</th><th scope="col">Arrivals</th><th scope="col">Generator</th></tr></thead>
    <tbody>${side.runs.map(
      ({ file, startedAt, arrivals, trust }) =>
        markup`<tr><th scope="row"><code>${file}</code></th><td>${startedAt}</td><td>${countText(arrivals)}</td><td class="${trust}"><span class="level">${trust}</span></td></tr>`,
    )}</tbody>
  </table></div>`;

const definitions = ({ rules }: Comparison): Markup => {
  const percent = (name: string): string =>
    String(Number(((rules[name] ?? 0) * 100).toPrecision(3)));
  return markup`<p>The repetition is the unit of evidence, not the request: requests of one run share whatever made that run fast or slow. ${howToReadComparison}</p>
  <dl>
    <dt>Regression, improvement</dt><dd>p below ${rules['alpha'] ?? 0} and a change beyond the minimum effect: ${percent('latencyEffect')} % of a latency and at least ${rules['latencyFloor'] ?? 0} ms (${rules['tokenFloor'] ?? 0} ms for times of single tokens), ${percent('throughputEffect')} % of a throughput, ${percent('rateEffect')} points of a share of failures.</dd>
    <dt>Same</dt><dd>The confidence interval lies wholly inside the minimum effect.</dd>
    <dt>Inconclusive</dt><dd>Anything else, and everything with fewer than ${rules['repetitions'] ?? 0} repetitions a side; one against one counts as a regression beyond ${rules['indicativeRatio'] ?? 0} times.</dd>
    <dt>Detectable</dt><dd>The smallest change that as many repetitions of this noise would call significant with a chance of ${percent('power')} %.</dd>
  </dl>`;
};

/** The whole comparison as one HTML file without scripts. */
export const comparisonHtml = (comparison: Comparison, pageStyle: string): string => {
  const { base, next, metrics, verdict } = comparison;
  const notes = comparisonWarnings(comparison);
  const tables = [
    comparisonPlot(comparison),
    metricTable('Gated: these decide', gatedMetrics(comparison)),
    metricTable(
      'Not gated: shown only',
      metrics.filter(({ gated }) => !gated),
    ),
  ];
  return staticPage(
    {
      weir: comparison.weir,
      title: `Comparison of ${next.plan}`,
      description: markup`Base ${sideLine(base)}<br>New ${sideLine(next)}`,
      introduction: markup`<div class="verdict ${levels[verdict]}"><h2>${comparisonVerdictText(comparison)}</h2>
${notes.length === 0 ? null : markup`<ul class="notes">${notes.map((note) => markup`<li>${note}</li>`)}</ul>`}</div>`,
      sections: [
        { id: 'metrics', title: 'Metrics', body: tables },
        { id: 'shape', title: 'Shape', body: shapesTable(comparison) },
        { id: 'runs', title: 'Runs', body: [sideTable('Base', base), sideTable('New', next)] },
        { id: 'definitions', title: 'Definitions', body: definitions(comparison) },
      ],
      footer: `Compared by Weir ${comparison.weir}, ${comparison.comparedAt}.`,
    },
    pageStyle,
  );
};
