import {
  changeRules,
  type LevelChange,
  type StoredRun,
  type Trend,
  type TrendFigure,
} from '../../model/series/history.ts';
import { changeText, sideValueText } from '../compare/comparison-text.ts';
import { plural } from '../text/number-text.ts';

/** `2026-07-01 10:20`, UTC. */
export const dateTimeText = (startedAt: string): string => startedAt.slice(0, 16).replace('T', ' ');

export const planHashText = ({ planHash }: Pick<Trend, 'planHash'>): string =>
  planHash.slice(0, 12);

/** A value with its unit, in the notation of comparisons. */
export const valueText = (figure: TrendFigure, value: number): string =>
  `${sideValueText(figure, value)} ${figure.unit}`;

/** The size of a change: `+24.7 %` of a latency, `+1.2 pt` of a share. */
export const changeSizeText = ({ scale }: TrendFigure, { before, after }: LevelChange): string =>
  changeText({ scale }, scale === 'ratio' ? after / before : after - before);

const directions = {
  worse: 'got worse',
  better: 'got better',
  other: 'changed',
} as const satisfies Record<LevelChange['direction'], string>;

const pText = (p: number): string => (p <= 0.001 ? 'p ≤ 0.001' : `p = ${p.toFixed(3)}`);

export const changeSentence = (
  figure: TrendFigure,
  change: LevelChange,
  runs: readonly StoredRun[],
): string => {
  const { run, before, after, direction, p } = change;
  const startedAt = runs.find(({ id }) => id === run)?.startedAt ?? '';
  return `${figure.label} ${directions[direction]} at run ${run} (${dateTimeText(startedAt)}): from ${valueText(figure, before)} to ${valueText(figure, after)}, ${changeSizeText(figure, change)}, ${pText(p)}.`;
};

/** Every change of a trend with its figure, the latest first. */
export const latestChanges = ({
  figures,
  runs,
}: Trend): readonly { readonly figure: TrendFigure; readonly change: LevelChange }[] => {
  const placeOf = (run: number): number => runs.findIndex(({ id }) => id === run);
  return figures
    .flatMap((figure) => figure.changes.map((change) => ({ figure, change })))
    .toSorted((a, b) => placeOf(b.change.run) - placeOf(a.change.run));
};

/** Says that no figure changed, or how many more runs are needed. */
export const noChangeText = ({ runs }: Trend): string => {
  const missingRuns = changeRules.minRuns - runs.length;
  return missingRuns > 0
    ? `Change detection starts at ${changeRules.minRuns} runs: ${plural(missingRuns, 'more run')} needed.`
    : 'No figure changed.';
};

/** The objectives of a run: `3 of 3 kept`. */
export const objectivesKeptText = ({ verdicts }: StoredRun): string => {
  const failed = verdicts.filter(({ ruling }) => ruling === 'fail').length;
  if (verdicts.length === 0) return '';
  return failed === 0
    ? `${verdicts.filter(({ ruling }) => ruling === 'pass').length} of ${verdicts.length} kept`
    : `${failed} of ${verdicts.length} broken`;
};

/** How changes are found, and how reliable they are. */
export const changeDetectionText = `E-divisive (Matteson & James 2014) finds the runs at which the level of a figure changes. A change counts if fewer than ${changeRules.alpha * 100} % of ${changeRules.permutations} random orders of the same runs split as clearly, and if it is beyond the minimum effect of a comparison. Detection needs ${changeRules.minRuns} runs, at least ${changeRules.minLevelRuns} of them at the new level. About one in a hundred figures without a change is reported as changed; correlated runs, for example of one afternoon, raise that share. A change is a reason to run a comparison, not a verdict.`;
