import type { Group, TimelineSecond } from '../../model/measures/counts.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import type { Result } from '../../model/result/result.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { groupsMatching, measuredWindow } from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { kindsPresent } from './figures.ts';
import { countText, figureText, moneyText, plural, timeText } from '../text/number-text.ts';

/** The sum of a measure's samples, and the number of completed answers without one. */
export interface MeasureSum {
  readonly known: number;
  readonly total: number;
  readonly unknown: number;
}

const hasMeasure = (kind: TrafficKind, name: MeasureName): boolean =>
  measures[name].traffic.includes(kind);

/** A histogram's sums are exact to a thousandth, so sums of whole micro-units are exact. */
const sumOver = (groups: readonly Group[], name: MeasureName): MeasureSum => {
  const own = groups.filter(({ labels }) => hasMeasure(labels.traffic, name));
  const known = own.reduce((sum, each) => sum + (each.distributions[name]?.count ?? 0), 0);
  return {
    known,
    total: own.reduce((sum, each) => sum + (each.distributions[name]?.sum ?? 0), 0),
    unknown: sumOutcomes(own).completed - known,
  };
};

/** Cost and audio of completed answers of some groups; cost in micro-units of the currency. */
export interface CostAndAudioTotals {
  readonly completed: number;
  readonly cost: MeasureSum;
  readonly received: MeasureSum;
  readonly sent: MeasureSum;
  readonly characters: MeasureSum;
}

/** The account of one kind and model; `null` if the kind names no model. */
export interface KindTotals extends CostAndAudioTotals {
  readonly kind: TrafficKind;
  readonly model: string | null;
}

const totalsOf = (groups: readonly Group[]): CostAndAudioTotals => ({
  completed: sumOutcomes(groups).completed,
  cost: sumOver(groups, 'cost'),
  received: sumOver(groups, 'speechSeconds'),
  sent: sumOver(groups, 'clipSeconds'),
  characters: sumOver(groups, 'characters'),
});

/** The accounts of a run. */
export interface RunTotals {
  /** Kinds with a price and completed answers, by model. */
  readonly rows: readonly KindTotals[];
  readonly all: CostAndAudioTotals;
}

/** Over the whole run, including the warm-up, which costs too. `null` if no answer has a price. */
export const runTotalsOf = (result: Result): RunTotals | null => {
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

/** Audio of completed answers in each second of the measured window, no matter when their requests were due. */
export interface AudioRates {
  readonly seconds: number;
  /** Seconds of audio for each second, and characters; `null` if no completed answer has any. */
  readonly received: number | null;
  readonly sent: number | null;
  readonly characters: number | null;
}

/** `null` if the measured window has no whole second, or the run had no audio. */
export const audioRates = (result: Result): AudioRates | null => {
  const window = measuredWindow(result);
  if (window === null) return null;
  const { seconds, timeline } = window;
  const totals = totalsOf(result.groups);
  const rate = ({ known }: MeasureSum, of: (second: TimelineSecond) => number): number | null =>
    known === 0 ? null : timeline.reduce((sum, second) => sum + of(second), 0) / seconds;
  const rates = {
    received: rate(totals.received, ({ audioReceived }) => audioReceived / 1000),
    sent: rate(totals.sent, ({ audioSent }) => audioSent / 1000),
    characters: rate(totals.characters, ({ characters }) => characters),
  };
  return Object.values(rates).every((each) => each === null) ? null : { seconds, ...rates };
};

/** A total that shows whether something is missing: `0.012340`, `at least 0.012340`, `unknown`; a dash if nothing has a price. */
export const costText = ({ known, total, unknown }: MeasureSum): string => {
  if (known === 0) return unknown === 0 ? '–' : 'unknown';
  return `${unknown === 0 ? '' : 'at least '}${moneyText(Math.round(total))}`;
};

/** Whether audio was received or sent. */
export const hasAudio = ({ all: { received, sent } }: RunTotals): boolean =>
  received.known + received.unknown + sent.known + sent.unknown > 0;

/** The total cost in a sentence. */
export const costSentence = ({ all: { completed, cost } }: RunTotals): string => {
  const answers = plural(completed, 'completed answer');
  if (cost.known === 0) {
    return `The cost of ${answers} is unknown: set a price in the scenario, and make the server report usage.`;
  }
  const missing =
    cost.unknown === 0 ? '' : `; the cost of ${countText(cost.unknown)} of them is unknown`;
  return `${answers} cost ${costText(cost)} currency units${missing}.`;
};

/** What the sums include and leave out. */
export const runTotalsMeaning =
  'Completed answers of the whole run including the warm-up, with the interface’s constants and the scenario’s prices, each answer rounded to a millionth of a currency unit. A cost is unknown if the scenario names no price, the server reports no usage, or the length of a clip cannot be read. Failed answers are not included.';

/** The rates in a sentence. */
export const audioRatesText = ({ seconds, received, sent, characters }: AudioRates): string => {
  const parts = [
    ...(received === null ? [] : [`${figureText(received)} s of audio received`]),
    ...(sent === null ? [] : [`${figureText(sent)} s of audio sent`]),
    ...(characters === null ? [] : [`${figureText(characters)} characters spoken`]),
  ];
  return `Per second of the ${timeText(seconds * 1000)} measured: ${parts.join(', ')}.`;
};
