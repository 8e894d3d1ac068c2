import { quantile } from '../../../model/measures/quantile.ts';
import { type MeasureName, measures } from '../../../model/measures/measures.ts';
import type { Result } from '../../../model/result/result.ts';
import { countArrivals, sumOutcomes } from '../../../model/measures/outcome-counts.ts';
import { distributionOf, groupsMatching } from '../../../model/result/summary.ts';
import type { TrafficKind } from '../../../model/workload/traffic.ts';
import { kindsPresent } from '../../summary/figures.ts';
import { countText, shareText } from '../../text/number-text.ts';
import {
  type BreakdownRow,
  breakdownBy,
  breakdownLabels,
  type BreakdownLabel,
  labelValues,
} from '../../summary/breakdown.ts';
import { quantileCell } from '../elements/figures-table.ts';
import { markup, type Markup } from '../../text/markup.ts';

/** The same figures apart by stage, model and key, for a run that had several of them. */

/** When the first of what was asked for came, for kinds whose answers come bit by bit. */
const firstOutput: Partial<Record<TrafficKind, MeasureName>> = {
  'chat-stream': 'ttft',
  speech: 'firstAudio',
};

interface Column {
  readonly title: string;
  readonly q: number;
  readonly measure: (kind: TrafficKind) => MeasureName | undefined;
}

const columnsFor = (kinds: readonly TrafficKind[]): readonly Column[] => {
  const firstMeasures = kinds.flatMap((kind) => firstOutput[kind] ?? []);
  const first = [...new Set(firstMeasures)].map((name) => measures[name].short).join(' or ');
  return [
    ...(first === ''
      ? []
      : [0.5, 0.95].map((q) => ({
          title: `${first} p${q * 100}`,
          q,
          measure: (kind: TrafficKind) => firstOutput[kind],
        }))),
    ...[0.5, 0.95].map((q) => ({
      title: `End to end p${q * 100}`,
      q,
      measure: () => 'endToEnd' as const,
    })),
  ];
};

const row = (
  result: Result,
  { name, kind, where }: BreakdownRow,
  columns: readonly Column[],
): Markup => {
  const outcomes = sumOutcomes(groupsMatching(result, where));
  const arrivals = countArrivals(outcomes);
  return markup`<tr>
    <th scope="row">${name}</th>
    <td>${countText(arrivals)}</td>
    <td>
      ${countText(outcomes.completed)} <small>${shareText(outcomes.completed, arrivals)}</small>
    </td>
    <td>${countText(outcomes.limited)} <small>${shareText(outcomes.limited, arrivals)}</small></td>
    ${columns.map(({ q, measure }) => {
      const measureName = measure(kind);
      const figure =
        measureName === undefined ? null : quantile(distributionOf(result, measureName, where), q);
      return figure === null ? markup`<td>–</td>` : quantileCell(figure, 'ms');
    })}
  </tr>`;
};

const table = (result: Result, label: BreakdownLabel): Markup => {
  const kinds = kindsPresent(result);
  const columns = columnsFor(kinds);
  const parts = breakdownBy(result, label);
  const caption = `By ${label}, after the warm-up; latencies in ms`;
  return markup`<div class="scroll" role="group" aria-label="${caption}" tabindex="0">
    <table class="figures apart">
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          <th scope="col">${label}</th>
          <th scope="col">Arrivals</th>
          <th scope="col">Completed</th>
          <th scope="col">429</th>
          ${columns.map(({ title }) => markup`<th scope="col">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${parts.map((part) =>
          row(
            result,
            kinds.length === 1 ? part : { ...part, name: `${part.name}, ${part.kind}` },
            columns,
          ),
        )}
      </tbody>
    </table>
  </div>`;
};

/** `null` where the run had one stage, one model and one key. */
export const breakdownSection = (result: Result): Markup | null => {
  const labels = breakdownLabels.filter((label) => labelValues(result, label).length > 1);
  return labels.length === 0
    ? null
    : markup`<h3>By ${labels.join(' and by ')}</h3>
        <details>
          <summary>The headline figures apart</summary>
          ${labels.map((label) => table(result, label))}
        </details>`;
};
