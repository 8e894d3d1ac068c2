import { quantile } from '../../../model/quantile.ts';
import type { MeasureName } from '../../../model/measures.ts';
import type { Labels, Result } from '../../../model/result.ts';
import {
  arrivalsIn,
  distribution,
  groupsWhere,
  measured,
  outcomesOf,
  type Where,
} from '../../../model/summary.ts';
import { kindsPresent } from '../../figures.ts';
import { countText, shareText } from '../../number-text.ts';
import { quantileCell } from '../figures-table.ts';
import { markup, type Markup } from '../markup.ts';

/** The same figures apart by stage, model and key, for a run that had several of them. */

const labels = ['stage', 'model', 'key'] as const satisfies readonly (keyof Labels)[];
type Label = (typeof labels)[number];

const columns: readonly {
  readonly name: MeasureName;
  readonly q: number;
  readonly title: string;
}[] = [
  { name: 'ttft', q: 0.5, title: 'TTFT p50' },
  { name: 'ttft', q: 0.95, title: 'TTFT p95' },
  { name: 'endToEnd', q: 0.5, title: 'End to end p50' },
  { name: 'endToEnd', q: 0.95, title: 'End to end p95' },
];

const valuesOf = (result: Result, label: Label): readonly string[] => [
  ...new Set(groupsWhere(result, measured).flatMap((group) => group.labels[label] ?? [])),
];

const row = (result: Result, name: string, where: Where): Markup => {
  const outcomes = outcomesOf(groupsWhere(result, where));
  const arrivals = arrivalsIn(outcomes);
  return markup`<tr>
    <th scope="row">${name}</th>
    <td>${countText(arrivals)}</td>
    <td>
      ${countText(outcomes.completed)} <small>${shareText(outcomes.completed, arrivals)}</small>
    </td>
    <td>${countText(outcomes.limited)} <small>${shareText(outcomes.limited, arrivals)}</small></td>
    ${columns.map((column) => {
      const figure = quantile(distribution(result, column.name, where), column.q);
      return figure === null ? markup`<td>–</td>` : quantileCell(figure, 'ms');
    })}
  </tr>`;
};

const table = (result: Result, label: Label): Markup => {
  const kinds = kindsPresent(result);
  const rows = valuesOf(result, label).flatMap((value) =>
    kinds.map((kind) => ({
      name: kinds.length === 1 ? value : `${value}, ${kind}`,
      where: (each: Labels) => measured(each) && each[label] === value && each.traffic === kind,
    })),
  );
  const caption = `By ${label}, after the warm-up; latencies in ms`;
  return markup`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
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
        ${rows
          .filter(({ where }) => groupsWhere(result, where).length > 0)
          .map(({ name, where }) => row(result, name, where))}
      </tbody>
    </table>
  </div>`;
};

/** `null` where the run had one stage, one model and one key. */
export const breakdown = (result: Result): Markup | null => {
  const split = labels.filter((label) => valuesOf(result, label).length > 1);
  return split.length === 0
    ? null
    : markup`<h3>By ${split.join(' and by ')}</h3>
        <details>
          <summary>The headline figures apart</summary>
          ${split.map((label) => table(result, label))}
        </details>`;
};
