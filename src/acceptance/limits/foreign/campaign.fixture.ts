import { drawFrom } from '../../../model/workload/draw.ts';
import { examineForeignGateway } from './examine-foreign-gateway.fixture.ts';
import type { ForeignSimulation } from './foreign-gateway.fixture.ts';
import type { LimitVerdict } from '../../../verbs/limits/model/limit-report.ts';
import type { ForeignLimiter } from './foreign-limiter.fixture.ts';
import { foreignLimiters } from './foreign-limiters.fixture.ts';
import { type SimulatedFault, plantedFaults } from './planted-faults.fixture.ts';
import { rateName, type NameRating } from './rate-judgement.fixture.ts';

/** One examination of a campaign; all of it follows from these values. */
export interface CampaignCell {
  /** The place in `foreignLimiters`. */
  readonly limiter: number;
  /** The place in `plantedFaults`; `null` for a limiter as its authors wrote it. */
  readonly fault: number | null;
  readonly limit: number;
  readonly window: number;
  readonly seed: number;
}

export interface CampaignResult extends CampaignCell {
  readonly verdict: LimitVerdict;
  /** The class that was named; `null` for none. */
  readonly named: string | null;
  readonly rating: NameRating;
  /** The ids of the checks that do not hold. */
  readonly refuted: readonly string[];
  readonly requests: number;
  /** By the simulated clock, in ms. */
  readonly took: number;
  readonly roundTrip: number;
}

export const campaignLimits = [20, 30, 60, 500] as const;
export const campaignWindows = [10_000, 60_000] as const;

/** A gateway with the network, machine and headers that the cell's seed draws. */
export const simulationOf = (
  cell: CampaignCell,
): { readonly simulation: ForeignSimulation; readonly limiter: ForeignLimiter } => {
  const { limit, window, seed } = cell;
  const limiter = foreignLimiters[cell.limiter]!;
  const fault = cell.fault === null ? null : plantedFaults[cell.fault]!;
  const draw = drawFrom(seed, 30, cell.limiter, (cell.fault ?? -1) + 1, limit, window);
  const roundTrip = draw.pick([1, 30, 140]);
  // A gateway that answers slowly must not be accused; how well its faults show is another question.
  const slow = fault === null ? [[500, 4000] as const] : [];
  const service = draw.pick([[2, 10] as const, [5, 40] as const, [50, 400] as const, ...slow]);
  return {
    limiter,
    simulation: {
      openGate:
        fault?.plant(limiter.open) ??
        ((setting) => {
          const rule = limiter.open(setting);
          return ({ now }) => rule(now);
        }),
      limit,
      window,
      seed: Math.floor(draw.uniform() * 2 ** 31),
      roundTrip,
      jitter: draw.pick([0, 0.2, 1]) * roundTrip,
      service,
      pause: draw.pick([0, 0, 0, 150]),
      date: draw.pick(['exact', 'exact', 'timer', 'none'] as const),
      failureShare: draw.pick([0, 0, 0, 0, 0.01]),
      hasHeaders: draw.uniform() < 0.5 || fault?.needsHeaders === true,
    },
  };
};

export const runCell = async (cell: CampaignCell): Promise<CampaignResult> => {
  const { simulation, limiter } = simulationOf(cell);
  const sustain = cell.fault === null ? undefined : plantedFaults[cell.fault]!.sustain;
  const { log, judgement, took } = await examineForeignGateway(simulation, undefined, sustain);
  const { named, rating } = rateName(judgement, limiter);
  return {
    ...cell,
    verdict: judgement.verdict,
    named,
    rating,
    refuted: judgement.checks.filter(({ finding }) => finding === 'refuted').map(({ id }) => id),
    requests: log.replies.length + log.unanswered.length,
    took,
    roundTrip: simulation.roundTrip,
  };
};

const isOffered = (limiter: ForeignLimiter, limit: number, window: number): boolean =>
  limiter.offers?.({ limit, window }) ?? true;

/** How many of `most` examinations are made under a limit: of large ones, which take many times as long, fewer. */
const shareOf = (limit: number, most: number): number =>
  limit <= 100 ? most : Math.ceil(most / 4);

/** Every limiter under every limit and window, `seeds` times, without a fault; under large limits a quarter as often. */
export const compliantCells = (seeds: number): readonly CampaignCell[] =>
  foreignLimiters.flatMap((limiter, place) =>
    campaignWindows.flatMap((window) =>
      campaignLimits
        .filter((limit) => isOffered(limiter, limit, window))
        .flatMap((limit) =>
          Array.from({ length: shareOf(limit, seeds) }, (_, seed) => ({
            limiter: place,
            fault: null,
            limit,
            window,
            seed,
          })),
        ),
    ),
  );

/** The limiters that faults are planted into: one or two of each family that refuses. */
const faultyLimiters: readonly string[] = [
  'express-rate-limit 8.7.4, MemoryStore',
  'Resilience4j, AtomicRateLimiter without a timeout',
  '@upstash/ratelimit 2.2.0, fixedWindow',
  'limits 5.8.0, moving window in memory',
  'golang.org/x/time/rate 0.16.0, Allow with a burst of the limit',
  'limits 5.8.0, sliding window counter in memory',
];

/** The limit that the gateway's contract names, and the share of its examinations that another one has. */
const usualLimit = 60;
const otherShare = 0.6;

/** Every fault under every limit and window, the limiters taking turns: under the usual limit `runs` times, under others fewer. */
export const faultyCells = (runs: number): readonly CampaignCell[] => {
  const places = faultyLimiters.map((name) =>
    foreignLimiters.findIndex((limiter) => limiter.name === name),
  );
  return plantedFaults.flatMap((_fault: SimulatedFault, fault) =>
    campaignWindows.flatMap((window) =>
      campaignLimits.flatMap((limit) =>
        Array.from(
          { length: limit === usualLimit ? runs : shareOf(limit, Math.ceil(runs * otherShare)) },
          (_, seed) => ({
            limiter: places[seed % places.length]!,
            fault,
            limit,
            window,
            seed,
          }),
        ),
      ),
    ),
  );
};
