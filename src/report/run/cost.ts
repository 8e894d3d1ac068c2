import type { Group, TimelineSecond } from '../../model/measures/counts.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import type { Result } from '../../model/result/result.ts';
import { groupsMatching, measuredWindow } from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import {
  type Cell,
  column,
  type Column,
  fold,
  only,
  section,
  type Section,
  table,
  text,
} from '../document/document.ts';
import { billBlocks, currencyOf } from './bill-blocks.ts';
import { kindsPresent } from '../summary/figures.ts';
import { countText, figureText, moneyText, plural, timeText } from '../text/number-text.ts';
import { present } from '../text/present.ts';
import { sumOf } from '../../model/sums.ts';

const hasMeasure = (kind: TrafficKind, name: MeasureName): boolean =>
  measures[name].traffic.includes(kind);

const sumOver = (groups: readonly Group[], name: MeasureName) => {
  const own = groups.filter(({ labels }) => hasMeasure(labels.traffic, name));
  const known = sumOf(own, (each) => each.distributions[name]?.count ?? 0);
  return {
    known,
    total: sumOf(own, (each) => each.distributions[name]?.sum ?? 0),
    unknown: sumOutcomes(own).completed - known,
  };
};
type MeasureSum = ReturnType<typeof sumOver>;

/**
 * Adds up the completed answers of some groups: their number, their cost in millionths of a currency unit, their audio
 * in seconds, and their characters.
 */
const totalsOf = (groups: readonly Group[]) => ({
  completed: sumOutcomes(groups).completed,
  cost: sumOver(groups, 'cost'),
  received: sumOver(groups, 'speechSeconds'),
  sent: sumOver(groups, 'clipSeconds'),
  characters: sumOver(groups, 'characters'),
});

/**
 * Adds up the completed answers of the whole run by kind and model; `null` if no completed answer can have a price. The
 * warm-up is included, since it costs money, too.
 */
export const runTotalsOf = (result: Result) => {
  const paid = groupsMatching(result, ({ traffic }) => hasMeasure(traffic, 'cost')).filter(
    ({ outcomes }) => outcomes.completed > 0,
  );
  if (paid.length === 0) return null;
  const rows = kindsPresent(result).flatMap((kind) => {
    const own = paid.filter(({ labels }) => labels.traffic === kind);
    const byModel = Map.groupBy(own, ({ labels }) => labels.model);
    return [...byModel].map(([model, groups]) => ({ kind, model, ...totalsOf(groups) }));
  });
  return { rows, all: totalsOf(paid) };
};
type RunTotals = NonNullable<ReturnType<typeof runTotalsOf>>;

/**
 * Returns two kinds of rates over the measured window: seconds of audio per second, and characters per second. Returns
 * `null` if nothing was measured, or if the run has neither audio nor characters.
 */
export const audioRates = (result: Result) => {
  const window = measuredWindow(result);
  if (window === null) return null;
  const { seconds, timeline } = window;
  const totals = totalsOf(result.groups);
  const rate = ({ known }: MeasureSum, of: (second: TimelineSecond) => number): number | null =>
    known === 0 ? null : sumOf(timeline, of) / seconds;
  const rates = {
    received: rate(totals.received, ({ audioReceived }) => audioReceived / 1000),
    sent: rate(totals.sent, ({ audioSent }) => audioSent / 1000),
    characters: rate(totals.characters, ({ characters }) => characters),
  };
  return Object.values(rates).every((each) => each === null) ? null : { seconds, ...rates };
};
type AudioRates = NonNullable<ReturnType<typeof audioRates>>;

/**
 * Formats a total: `0.012340` if all costs are known, `at least 0.012340` if some costs are missing, `unknown` if all
 * costs are missing, or a dash if no answer has a price.
 */
export const costText = ({ known, total, unknown }: MeasureSum): string => {
  if (known === 0) return unknown === 0 ? '–' : 'unknown';
  return `${unknown === 0 ? '' : 'at least '}${moneyText(Math.round(total))}`;
};

export const hasAudio = ({ all: { received, sent } }: RunTotals): boolean =>
  received.known + received.unknown + sent.known + sent.unknown > 0;

export const costSentence = (
  { all: { completed, cost } }: RunTotals,
  currency = 'currency units',
): string => {
  const answers = plural(completed, 'completed answer');
  if (cost.known === 0) {
    return `The cost of ${answers} is unknown: set a price in the scenario, and make the server report usage.`;
  }
  const missing =
    cost.unknown === 0 ? '' : `; the cost of ${countText(cost.unknown)} of them is unknown`;
  return `${answers} cost ${costText(cost)} ${currency}${missing}.`;
};

export const runTotalsMeaning =
  'Completed answers of the whole run including the warm-up, with the interface’s constants and the scenario’s prices, each answer rounded to a millionth of a currency unit. A cost is unknown if the scenario names no price, or none for so long a prompt, the server reports no usage, or the length of a clip cannot be read. What failed answers and attempts before a retry cost is added up apart, as far as the server reported it; refused requests cost nothing.';

export const audioRatesText = ({ seconds, received, sent, characters }: AudioRates): string => {
  const parts = present([
    received !== null && `${figureText(received)} s of audio received`,
    sent !== null && `${figureText(sent)} s of audio sent`,
    characters !== null && `${figureText(characters)} characters spoken`,
  ]);
  return `Per second of the ${timeText(seconds * 1000)} measured: ${parts.join(', ')}.`;
};

/**
 * Formats a total. If the values of some answers are unknown, a note says how many. The text is a dash if the kind of
 * traffic has no such total.
 */
const sumCell = ({ known, total, unknown }: MeasureSum, write: (total: number) => string): Cell => {
  if (known + unknown === 0) return { text: '–' };
  if (known === 0) return { text: 'unknown' };
  const note = unknown === 0 ? undefined : `+ ${countText(unknown)} unknown`;
  return { text: write(total), note };
};

const secondsText = (seconds: number): string => `${figureText(seconds)} s`;
const costInUnits = (total: number): string => moneyText(Math.round(total));

type CostRow = RunTotals['all'] & { readonly name: string; readonly kind: TrafficKind | null };

const columns: readonly Column<CostRow>[] = [
  column.name('Kind and model', ({ name, kind }) => (kind ? { text: name, dot: kind } : name)),
  column.number('Cost', ({ cost }) => sumCell(cost, costInUnits)),
  column.number({ title: 'Completed', short: 'n' }, ({ completed }) => countText(completed)),
];
const audioColumns: readonly Column<CostRow>[] = [
  column.number({ title: 'Audio received', short: 'received' }, ({ received }) =>
    sumCell(received, secondsText),
  ),
  column.number({ title: 'Audio sent', short: 'sent' }, ({ sent }) => sumCell(sent, secondsText)),
  column.number('Characters', ({ characters }) => sumCell(characters, countText)),
];

/**
 * Builds the section on the cost and audio of a run, by kind and model and in total; `null` if the run can have no
 * cost.
 */
export const costSection = (result: Result): Section | null => {
  const totals = runTotalsOf(result);
  const bill = billBlocks(result).filter((block) => block !== false);
  // The bill is shown even if no answer completed, since failed answers may cost, too.
  if (totals === null) return bill.length === 0 ? null : section('What did it cost?', bill, 'cost');
  const rates = audioRates(result);
  const rows: readonly CostRow[] = [
    ...totals.rows.map((row) => {
      const { kind, model } = row;
      return { ...row, name: model === null ? kind : `${kind} (${model})` };
    }),
    { ...totals.all, name: 'All', kind: null },
  ];
  const caption = `Completed answers by kind and model; costs in ${currencyOf(result)}`;
  const toneOf = ({ kind }: CostRow) => (kind === null ? 'strong' : 'plain');
  const details = [
    table(caption, [...columns, ...(hasAudio(totals) ? audioColumns : [])], rows, {
      toneOf,
      showsNotes: true,
    }),
    rates !== null && text(audioRatesText(rates)),
    only(['terminal', 'markdown'], text(runTotalsMeaning, 'quiet')),
    only(['html'], fold('How costs are counted', [text(runTotalsMeaning, 'quiet')])),
  ];
  const hasDetails = totals.all.cost.known > 0 || hasAudio(totals);
  const total = text(costSentence(totals, currencyOf(result)));
  const blocks = [total, ...bill, ...(hasDetails ? details : [])];
  const made = section('What did it cost?', blocks, 'cost');
  // If no cost, audio or bill is known, the section would only say so. The page then leaves the section out.
  return hasDetails || bill.length > 0 ? made : only(['terminal', 'markdown'], made);
};
