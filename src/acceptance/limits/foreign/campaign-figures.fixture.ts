import type { CampaignResult } from './campaign.fixture.ts';
import { foreignLimiters } from './foreign-limiters.fixture.ts';
import { type SimulatedFault, plantedFaults } from './planted-faults.fixture.ts';

/** The figures of limiters that keep their limit. */
export interface CompliantFigures {
  readonly examinations: number;
  /** Exit code 14 all the same. */
  readonly falseViolations: readonly CampaignResult[];
  readonly undecided: number;
  readonly named: Readonly<Record<CampaignResult['rating'], number>>;
  /** A wrong name with a margin. */
  readonly wrongNames: readonly CampaignResult[];
}

/** How often a fault was caught, of `runs`. */
export interface Power {
  readonly caught: number;
  readonly runs: number;
}

export interface FaultFigures {
  readonly fault: SimulatedFault;
  readonly power: (filter?: (result: CampaignResult) => boolean) => Power;
  readonly requests: number;
  /** Of simulated time. */
  readonly minutes: number;
}

const limiterOf = ({ limiter }: CampaignResult) => foreignLimiters[limiter]!;

export const compliantFigures = (results: readonly CampaignResult[]): CompliantFigures => {
  const kept = results.filter((each) => each.fault === null && limiterOf(each).keeps === 'yes');
  const count = (rating: CampaignResult['rating']): number =>
    kept.filter((each) => each.rating === rating).length;
  return {
    examinations: kept.length,
    falseViolations: kept.filter(({ verdict }) => verdict === 'violated'),
    undecided: kept.filter(({ verdict }) => verdict === 'undecided').length,
    named: {
      right: count('right'),
      none: count('none'),
      tie: count('tie'),
      unclear: count('unclear'),
      wrong: count('wrong'),
    },
    wrongNames: kept.filter(({ rating }) => rating === 'wrong'),
  };
};

/** Whether an examination showed the fault that was planted. */
const isCaught = ({ verdict, refuted, fault }: CampaignResult): boolean => {
  const { shownBy } = plantedFaults[fault!]!;
  return verdict === 'violated' || (shownBy !== null && refuted.some((id) => shownBy.test(id)));
};

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

export const faultFigures = (results: readonly CampaignResult[]): readonly FaultFigures[] =>
  plantedFaults.flatMap((fault, place) => {
    const own = results.filter((each) => each.fault === place);
    if (own.length === 0) return [];
    return {
      fault,
      power: (filter = () => true) => {
        const chosen = own.filter(filter);
        return { caught: chosen.filter(isCaught).length, runs: chosen.length };
      },
      requests: meanOf(own.map(({ requests }) => requests)),
      minutes: meanOf(own.map(({ took }) => took)) / 60_000,
    };
  });

/** One line that reproduces an examination. */
export const reproductionOf = ({ limiter, fault, limit, window, seed }: CampaignResult): string =>
  `runCell({ limiter: ${limiter}, fault: ${fault}, limit: ${limit}, window: ${window}, seed: ${seed} })`;
