import { figureText, plural, timeText } from '../../text/number-text.ts';
import type { Chart, ChartLine, ChartMarks } from './chart.ts';
import { markup, type Markup } from '../../text/markup.ts';

const lineText = ({ label, values }: ChartLine, { unit, step }: Chart): string => {
  const numbers = values.flatMap((value) => value ?? []);
  if (numbers.length === 0) return `${label}: nothing`;
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const when = timeText(values.indexOf(high) * step * 1000);
  const suffix = unit === '' ? '' : ` ${unit}`;
  return low === high
    ? `${label} ${figureText(low)}${suffix} throughout`
    : `${label} ${figureText(low)} to ${figureText(high)}${suffix}, highest at ${when}`;
};

const marksText = ({ label, values }: ChartMarks, { step }: Chart): string => {
  const total = values.reduce((sum, value) => sum + value, 0);
  const first = values.findIndex((value) => value > 0);
  const last = values.findLastIndex((value) => value > 0);
  const from = timeText(first * step * 1000);
  const to = timeText((last + 1) * step * 1000);
  return `${total.toLocaleString('en-US')} ${label} between ${from} and ${to}`;
};

export const chartText = (chart: Chart): string =>
  [
    ...chart.lines.map((line) => lineText(line, chart)),
    ...chart.marks.map((marks) => marksText(marks, chart)),
  ].join('; ');

/** Makes a caption that describes the chart in words, and an element in which the script draws the chart. */
export const chartFigure = (chart: Chart): Markup => {
  const { id, title, unit, step, marks } = chart;
  const per = step === 1 ? 'each second' : `each ${plural(step, 'second')}`;
  // A title such as `Requests per second` already names the unit.
  const isNamed = unit === '' || (unit === '/s' && title.endsWith('per second'));
  return markup`<figure class="chart" id="chart-${id}">
    <figcaption>
      <b>${title}</b> <span class="unit">${isNamed ? per : `${unit}, ${per}`}</span>
      ${marks.map(({ label, colour }) => markup`<span class="key dot ${colour}">${label}</span>`)}
    </figcaption>
    <div
      class="canvas"
      data-chart="${id}"
      role="img"
      aria-label="${title} over time"
      aria-describedby="said-${id}"
    ></div>
    <p class="said" id="said-${id}">${chartText(chart)}.</p>
    <details class="rows" data-rows="${id}" hidden><summary>Values as a table</summary></details>
  </figure>`;
};
