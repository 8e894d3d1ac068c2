import { quantile } from '../../../model/quantile.ts';
import { type MeasureName, measures } from '../../../model/measures.ts';
import type { Result } from '../../../model/result.ts';
import { arrivalsIn, outcomesOf } from '../../../model/outcomes.ts';
import { distribution, groupsWhere } from '../../../model/summary.ts';
import type { TrafficKind } from '../../../model/traffic.ts';
import { kindsPresent } from '../../figures.ts';
import { countText, shareText } from '../../number-text.ts';
import { type Part, partsBy, splitLabels, type SplitLabel, valuesOf } from '../../parts.ts';
import { quantileCell } from '../figures-table.ts';
import { markup, type Markup } from '../markup.ts';

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
  const firsts = kinds.flatMap((kind) => firstOutput[kind] ?? []);
  const first = [...new Set(firsts)].map((name) => measures[name].short).join(' or ');
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

const row = (result: Result, { name, kind, where }: Part, columns: readonly Column[]): Markup => {
  const outcomes = outcomesOf(groupsWhere(result, where));
  const arrivals = arrivalsIn(outcomes);
  return markup`<tr>
    <th scope="row">${name}</th>
    <td>${countText(arrivals)}</td>
    <td>
      ${countText(outcomes.completed)} <small>${shareText(outcomes.completed, arrivals)}</small>
    </td>
    <td>${countText(outcomes.limited)} <small>${shareText(outcomes.limited, arrivals)}</small></td>
    ${columns.map(({ q, measure }) => {
      const asked = measure(kind);
      const figure = asked === undefined ? null : quantile(distribution(result, asked, where), q);
      return figure === null ? markup`<td>–</td>` : quantileCell(figure, 'ms');
    })}
  </tr>`;
};

const table = (result: Result, label: SplitLabel): Markup => {
  const kinds = kindsPresent(result);
  const columns = columnsFor(kinds);
  const parts = partsBy(result, label);
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
export const breakdown = (result: Result): Markup | null => {
  const split = splitLabels.filter((label) => valuesOf(result, label).length > 1);
  return split.length === 0
    ? null
    : markup`<h3>By ${split.join(' and by ')}</h3>
        <details>
          <summary>The headline figures apart</summary>
          ${split.map((label) => table(result, label))}
        </details>`;
};
