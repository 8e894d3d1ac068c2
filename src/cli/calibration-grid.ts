import type { CalibrationCell } from '../model/calibration.ts';
import { transportNames } from '../model/exchange.ts';
import { UsageProblem } from './options.ts';

/** One load of the grid. */
export type GridLoad = Pick<
  CalibrationCell,
  'streams' | 'tokensPerSecond' | 'transport' | 'workers'
>;

type Way = Pick<CalibrationCell, 'transport' | 'workers'>;

const usual: readonly (readonly [streams: number, tokensPerSecond: number])[] = [
  [100, 20],
  [100, 50],
  [500, 20],
  [1000, 20],
  [2000, 20],
];
const quick = usual.filter(
  ([streams, rate]) => rate === 20 && (streams === 100 || streams === 1000),
);

const numbersFrom = (
  option: string,
  text: string | undefined,
  [least, most]: readonly [number, number],
): readonly number[] | null => {
  if (text === undefined) return null;
  const numbers = text.split(',').map(Number);
  if (numbers.every((value) => Number.isInteger(value) && value >= least && value <= most)) {
    return [...new Set(numbers)];
  }
  throw new UsageProblem(
    `--${option}: expected whole numbers from ${least} to ${most} with commas between them, got ${text}`,
  );
};

/** From so many tokens a second on, several threads may pay. */
const manyTokens = 20_000;

/** The ways in which a load is sent: over both transports, and a great one also by two workers, unless their number is asked for. */
const waysOf = (tokens: number, workers: readonly number[] | null): readonly Way[] => [
  ...transportNames.flatMap((transport) =>
    (workers ?? [1]).map((count) => ({ transport, workers: count })),
  ),
  ...(workers === null && tokens >= manyTokens
    ? [{ transport: 'socket' as const, workers: 2 }]
    : []),
];

/** The loads to measure, from the smallest to the greatest: those asked for, or the usual ones, each in its ways. */
export const calibrationGrid = (asked: {
  readonly quick: boolean;
  readonly streams: string | undefined;
  readonly rate: string | undefined;
  readonly workers: string | undefined;
}): readonly GridLoad[] => {
  const streams = numbersFrom('streams', asked.streams, [1, 20_000]);
  const rates = numbersFrom('rate', asked.rate, [1, 1000]);
  const workers = numbersFrom('workers', asked.workers, [1, 64]);
  const pairs =
    streams === null && rates === null
      ? asked.quick
        ? quick
        : usual
      : (streams ?? [100, 1000]).flatMap((each) =>
          (rates ?? [20]).map((rate): readonly [number, number] => [each, rate]),
        );
  return pairs
    .toSorted((a, b) => a[0] * a[1] - b[0] * b[1])
    .flatMap(([each, tokensPerSecond]) =>
      waysOf(each * tokensPerSecond, workers).map((way) => ({
        ...{ streams: each, tokensPerSecond },
        ...way,
      })),
    );
};
