import type { Load, Plan, Stage } from '../../model/plan/plan.ts';
import type { Population } from '../../model/plan/population.ts';
import { milliseconds, perSecond } from '../../model/quantity.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { Problem } from '../../platform/problem.ts';
import { listed } from '../../report/text/number-text.ts';
import type { NoiseBlock } from './model/seen-arrival.ts';

export interface BlockTerms {
  readonly quiet: string;
  readonly noisy: string;
  /**
   * In blocks with noise, the noisy load is multiplied by this factor; the other blocks have the planned load. If
   * `null`, blocks with noise have the planned load, and the other blocks have no noisy load.
   */
  readonly times: number | null;
  readonly pairs: number;
  /** A block begins with `settle` ms that are not measured. The `block` ms after them are measured. */
  readonly block: number;
  readonly settle: number;
}

/** Separates the random draws for the order of blocks from all other draws with the same seed. */
const orderDraw = 0xfa_12;

/**
 * Returns the blocks in pairs: one block with the noise, and one block without the noise. The order in each pair is
 * random.
 */
export const noiseBlocks = (
  { pairs, block, settle }: BlockTerms,
  seed: number,
  start: number,
): readonly NoiseBlock[] =>
  Array.from({ length: pairs }, (_, pair) => {
    const isFirst = drawFrom(seed, orderDraw, pair).uniform() < 0.5;
    return [isFirst, !isFirst].map((isNoisy, place) => {
      const begins = start + (2 * pair + place) * (settle + block);
      return { pair, isNoisy, begins, from: begins + settle, to: begins + settle + block };
    });
  }).flat();

/**
 * Returns when the load ends. If the last block has noise, the load continues for `settle` ms, in which the target can
 * recover.
 */
const endOfBlocks = (blocks: readonly NoiseBlock[], { settle }: BlockTerms): number => {
  const last = blocks.at(-1)!;
  return last.isNoisy ? last.to + settle : last.to;
};

const stageOf = ({ stages }: Plan, population: string): Stage => {
  const own = stages.filter((stage) => stage.population === population);
  const [stage] = own;
  if (own.length === 1 && stage !== undefined) return stage;
  throw new Problem(
    `population ${population}: expected one load, since its blocks are compared; got ${own.length} stages. Give it a lone "load"`,
  );
};

/**
 * Returns a copy of a steady load that lasts `length` ms, with its rate or users multiplied by `times`. Throws a
 * `Problem` if the load is not steady.
 */
const lasting = ({ load, population }: Stage, length: number, times = 1): Load => {
  const duration = milliseconds(length);
  if (load.kind === 'closed') return { ...load, users: load.users * times, duration };
  const [only, ...more] = load.kind === 'open' ? load.curve : [];
  if (load.kind === 'open' && only !== undefined && more.length === 0 && only.from === only.to) {
    const rate = perSecond(only.from * times);
    return { ...load, curve: [{ from: rate, to: rate, duration }] };
  }
  throw new Problem(
    `population ${population}: expected a steady load, since its blocks are compared: constant, poisson, gamma or closed; got ${load.kind === 'open' ? 'a rate that changes' : load.kind}`,
  );
};

const populationOf = ({ populations = [] }: Plan, name: string): Population =>
  populations.find((each) => each.name === name)!;

/** Returns the names of the populations to compare: by default the first and the last population of a scenario. */
export const neighboursIn = (
  { populations = [] }: Plan,
  given: { readonly quiet: string | undefined; readonly noisy: string | undefined },
): Pick<BlockTerms, 'quiet' | 'noisy'> => {
  const names = populations.map(({ name }) => name);
  const quiet = given.quiet ?? names.find((name) => name !== given.noisy);
  const noisy = given.noisy ?? names.findLast((name) => name !== quiet);
  if (names.length < 2 || quiet === undefined || noisy === undefined)
    throw new Problem(
      'weir fairness needs a scenario with two populations, a quiet one and a noisy one: scenarios/neighbours.yaml is an example',
    );
  for (const [option, name] of [
    ['quiet-population', quiet],
    ['noisy', noisy],
  ] as const)
    if (!names.includes(name))
      throw new Problem(
        `--${option}: expected a population of the scenario (${listed(names)}); got ${name}`,
      );
  if (quiet === noisy)
    throw new Problem(
      `--noisy: expected another population than the quiet one; got ${noisy} for both`,
    );
  return { quiet, noisy };
};

/**
 * Returns the name that a population has in the scenario: `noisy` for `noisy/2`. In the plan of the blocks, `noisy/2`
 * is the noise of the second block with noise. Names in a scenario contain no slash.
 */
export const populationNamed = (name: string): string => name.split('/', 1)[0]!;

/**
 * Returns the plan of the blocks. All populations last until the end, except the noisy population if `times` is `null`.
 * In each block with noise, the noise is a separate population. The quiet population therefore sends the same requests
 * throughout, whatever the noise does.
 */
export const blockPlan = (plan: Plan, terms: BlockTerms, blocks: readonly NoiseBlock[]): Plan => {
  const { noisy, times } = terms;
  const end = endOfBlocks(blocks, terms);
  const noise = stageOf(plan, noisy);
  const noisyPopulation = populationOf(plan, noisy);
  const lastingOnes = (plan.populations ?? []).filter(
    ({ name }) => name !== noisy || times !== null,
  );
  const loud = blocks.filter(({ isNoisy }) => isNoisy);
  const nameOf = (place: number): string => `${noisy}/${place + 1}`;
  const stages = [
    ...lastingOnes.map(({ name }) => {
      const stage = stageOf(plan, name);
      return { ...stage, load: lasting(stage, end) };
    }),
    ...loud.map(({ begins, to }, place): Stage => ({
      ...noise,
      name: nameOf(place),
      population: nameOf(place),
      stream: (noise.stream ?? 0) + 1 + place,
      load: lasting(noise, to - begins, times === null ? 1 : times - 1),
    })),
  ];
  return {
    ...plan,
    stages,
    populations: [
      ...lastingOnes.map((each) => ({ ...each, after: milliseconds(0) })),
      ...loud.map(({ begins }, place) => ({
        ...noisyPopulation,
        name: nameOf(place),
        after: milliseconds(begins),
      })),
    ],
    objectives: [],
    perRequest: [],
  };
};
