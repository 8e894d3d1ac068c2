import { percentileName } from '../../../model/measures/headline.ts';
import type { Result } from '../../../model/result/result.ts';
import type { FairnessReport } from '../model/fairness-report.ts';
import { dueWithin, type SeenRun } from '../model/seen-arrival.ts';
import { backAfterNoise } from './back.ts';
import { blockFigures, movementOf } from './moved.ts';
import { leastRequests, maxFailed, mostPairs, pairsToDecide } from './reach.ts';
import { refusalsOf } from './refusals.ts';
import { sharesOf } from './shares.ts';

/** With fewer pairs of blocks, the mean rise has no interval, so there is no verdict. */
export const leastPairs = 3;

export interface FairnessTerms {
  /** If the figure rises by at most this share, the quiet population has not moved: 0.1 means 10 %. */
  readonly maxMoved: number;
  readonly settle: number;
  /** Whether a population consists of users, who wait for answers. */
  readonly hasUsers: (population: string) => boolean;
  /** The reason why the run is invalid; `null` if the run is valid. */
  readonly invalid: string | null;
}

type Judged = Pick<
  FairnessReport,
  | 'verdict'
  | 'reasons'
  | 'moved'
  | 'failed'
  | 'noiseBy'
  | 'blocks'
  | 'shares'
  | 'isContended'
  | 'refusals'
  | 'back'
>;

const noiseRate = ({ blocks, arrivals, noisy, until }: SeenRun, isNoisy: boolean): number => {
  const own = arrivals.filter(({ population }) => population === noisy);
  const some = blocks.filter((block) => block.to <= until && block.isNoisy === isNoisy);
  const length = some.reduce((sum, { from, to }) => sum + to - from, 0);
  const due = some.flatMap(({ from, to }) => dueWithin(own, from, to)).length;
  return length === 0 ? 0 : (1000 * due) / length;
};

/**
 * Returns the reasons why no verdict is possible. Each reason names a condition that every verdict needs and that the
 * run does not meet.
 */
const unknownBecause = (
  { moved, failed, pairs }: ReturnType<typeof movementOf>,
  { invalid }: FairnessTerms,
  noiseBy: Judged['noiseBy'],
): readonly string[] => [
  ...(invalid === null ? [] : [invalid]),
  ...(noiseBy.noisy > noiseBy.alone
    ? []
    : ['the noisy population sent nothing more in the blocks with noise']),
  ...(moved === null || failed === null
    ? [
        `${pairs} pairs of blocks have the figure on both sides, and ${leastPairs} are needed: each block needs enough requests for the percentile, of which enough complete`,
      ]
    : []),
];

const isAtMost = (interval: Judged['moved'], most: number): boolean =>
  interval !== null && interval.high !== null && interval.high <= most;

/**
 * Says how many pairs would make the interval narrow enough for a verdict, or that even 500 pairs would not be enough.
 */
const remedyOf = (
  { rises }: ReturnType<typeof movementOf>,
  maxMoved: number,
  lengthOfPair: number,
): string => {
  if (rises === null)
    return 'in a block so many failed that its percentile has no value: end the failures first, or ask for a lower percentile (--figure ttft.p50)';
  const needed = pairsToDecide(rises, maxMoved);
  return needed === null
    ? `up to ${mostPairs} pairs do not decide, since the load generator itself may have added as much, or the move is about as large as that: an idle machine for the load, or another --max-moved`
    : `if the blocks go on to scatter as they did, --pairs ${needed} decides in ${Math.ceil((needed * lengthOfPair) / 60_000)} min`;
};

/**
 * The lower percentiles that are tried in turn if the beginning of the noise has too few requests for the figure's own
 * percentile.
 */
const onsetPercentiles = [0.9, 0.5] as const;

/**
 * Returns a doubt if the quiet population surely moved during the beginning of the noise. The measured parts of the
 * blocks exclude this beginning, so the verdict *isolated* would hide the move.
 */
const onsetDoubt = (run: SeenRun, { maxMoved, settle }: FairnessTerms): readonly string[] => {
  if (settle === 0) return [];
  const blocks = run.blocks.map((block) =>
    block.isNoisy ? { ...block, from: block.begins, to: block.from } : block,
  );
  const movementAt = (q: number) => movementOf(blockFigures({ ...run, blocks, q }));
  const lower = onsetPercentiles.filter((q) => q < run.q);
  const q = [run.q, ...lower].find((each) => movementAt(each).moved !== null) ?? run.q;
  const { moved, failed } = movementAt(q);
  const isSure = (moved?.low ?? 0) > maxMoved || (failed?.low ?? 0) > maxFailed;
  const by =
    q === run.q
      ? ''
      : ` (by its ${percentileName(q)}, since that time is too short for the figure)`;
  return isSure
    ? [
        `in the first ${settle / 1000} s of the noise, which --settle leaves out, it was surely moved${by}: a shorter --settle counts them`,
      ]
    : [];
};

/**
 * Returns the reasons against the verdict *isolated* for a run in which the quiet population did not certainly move;
 * empty if there are none.
 */
const doubtsOf = (
  movement: ReturnType<typeof movementOf>,
  back: Judged['back'],
  lengthOfPair: number,
  { maxMoved, settle }: FairnessTerms,
): readonly string[] => [
  ...(isAtMost(movement.moved, maxMoved)
    ? []
    : [
        `the interval of the move spans the most that is allowed: ${remedyOf(movement, maxMoved, lengthOfPair)}`,
      ]),
  ...(isAtMost(movement.failed, maxFailed)
    ? []
    : [
        `the requests are too few to exclude that one in a hundred more fails, which takes at least ${leastRequests} without and with the noise: more pairs (--pairs) or longer blocks (--block)`,
      ]),
  ...(back?.wasAway === true && (back.after === null || back.after > settle)
    ? [
        'the quiet population was not back when the measuring without noise began: give a longer --settle',
      ]
    : []),
];

/**
 * Judges the observations of the quiet and the noisy population. If a verdict is possible and the quiet population
 * certainly moved, the verdict is *moved*, whatever else is in doubt.
 */
export const judgeFairness = (
  run: SeenRun,
  result: Pick<Result, 'ledger' | 'plan'>,
  terms: FairnessTerms,
): Judged => {
  const figures = blockFigures(run);
  const movement = movementOf(figures);
  const { moved, failed } = movement;
  const noiseBy = { alone: noiseRate(run, false), noisy: noiseRate(run, true) };
  const back = backAfterNoise(run);
  const first = run.blocks[0]!;
  const unknown = unknownBecause(movement, terms, noiseBy);
  const lengthOfPair = 2 * (first.to - first.begins);
  const doubts =
    unknown.length > 0
      ? unknown
      : [...doubtsOf(movement, back, lengthOfPair, terms), ...onsetDoubt(run, terms)];
  const hasMoved = unknown.length === 0 && (moved!.low > terms.maxMoved || failed!.low > maxFailed);
  const verdict = hasMoved ? 'moved' : doubts.length > 0 ? 'unknown' : 'isolated';
  const { rows, isContended } = sharesOf(run, terms.hasUsers);
  return {
    verdict,
    reasons: verdict === 'unknown' ? [...doubts] : [],
    moved,
    failed,
    noiseBy,
    blocks: figures.map(({ block, arrivals, most, failed: lost, isEnough }) => ({
      ...block,
      arrivals: arrivals.length,
      value: isEnough && Number.isFinite(most) ? most : null,
      failed: lost,
      noise: noiseRate({ ...run, blocks: [block] }, block.isNoisy),
    })),
    shares: [...rows],
    isContended,
    refusals: refusalsOf(run, result),
    back,
  };
};
