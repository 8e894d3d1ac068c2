import type { Quantile } from '../../../model/measures/quantile.ts';
import { type MeasureFigures, reportedQuantiles } from '../../summary/figures.ts';
import { countText, factorText, figureText, intervalText } from '../../text/number-text.ts';
import { markup, type Markup } from '../../text/markup.ts';

const thinMark = markup`<abbr title="Fewer than ten samples lie beyond this percentile">~</abbr>`;

/** A real-time factor is told both ways. */
const factorMarkup = (value: number, unit: string): Markup | null =>
  unit === 'ms/s' ? markup` <span class="unit">${factorText(value)}</span>` : null;

/** A percentile with its confidence interval beneath, marked when its tail is thin. */
export const quantileCell = ({ value, low, high, weak }: Quantile, unit: string): Markup =>
  markup`<td class="${weak ? 'weak' : 'firm'}">
    ${weak ? thinMark : null}${figureText(value, unit)}${factorMarkup(value, unit)}
    <small>${intervalText(low, high, unit)}</small>
  </td>`;

const row = ({ subject, n, quantiles, max, withheld }: MeasureFigures): Markup => {
  const better = subject.better === 'higher' ? markup` <small>· higher is better</small>` : null;
  return markup`<tr>
    <th scope="row">${subject.label} <span class="unit">${subject.unit}</span>${better}</th>
    <td>${countText(n)}</td>
    ${
      withheld
        ? markup`<td colspan="${quantiles.length + 1}" class="withheld">
            withheld: the generator could not keep up
          </td>`
        : markup`${quantiles.map((each) => quantileCell(each, subject.unit))}
            <td>${figureText(max, subject.unit)}${factorMarkup(max, subject.unit)}</td>`
    }
  </tr>`;
};

/** Measures as rows, percentiles as columns. */
export const figuresTableMarkup = (caption: string, rows: readonly MeasureFigures[]): Markup =>
  markup`<div class="scroll" role="group" aria-label="${caption}" tabindex="0">
    <table class="figures">
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          <th scope="col">Measure</th>
          <th scope="col">n</th>
          ${reportedQuantiles.map((q) => markup`<th scope="col">p${q * 100}</th>`)}
          <th scope="col">max</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(row)}
      </tbody>
    </table>
  </div>`;
