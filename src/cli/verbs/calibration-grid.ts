import type { GridLoad } from '../../run/series/measure-cell.ts';
import type { CalibrationCell } from '../../model/series/calibration.ts';
import { transportNames } from '../../model/observation/exchange.ts';
import { UsageProblem } from '../options/scenario-options.ts';

type SendingSetup = Pick<CalibrationCell, 'transport' | 'workers'>;

const defaultLoads: readonly (readonly [streams: number, tokensPerSecond: number])[] = [
  [100, 20],
  [100, 50],
  [500, 20],
  [1000, 20],
  [2000, 20],
];
const quickLoads = defaultLoads.filter(
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
const twoWorkerTokenRate = 20_000;

/** The ways in which a load is sent: over both transports, and a great one also by two workers, unless their number is asked for. */
const sendingSetupsFor = (
  tokens: number,
  workers: readonly number[] | null,
): readonly SendingSetup[] => [
  ...transportNames.flatMap((transport) =>
    (workers ?? [1]).map((count) => ({ transport, workers: count })),
  ),
  ...(workers === null && tokens >= twoWorkerTokenRate
    ? [{ transport: 'socket' as const, workers: 2 }]
    : []),
];

/** The loads to measure, from the smallest to the greatest: those asked for, or the usual ones, each in its ways. */
export const calibrationGrid = (request: {
  readonly quick: boolean;
  readonly streams: string | undefined;
  readonly rate: string | undefined;
  readonly workers: string | undefined;
}): readonly GridLoad[] => {
  const streams = numbersFrom('streams', request.streams, [1, 20_000]);
  const rates = numbersFrom('rate', request.rate, [1, 1000]);
  const workers = numbersFrom('workers', request.workers, [1, 64]);
  const pairs =
    streams === null && rates === null
      ? request.quick
        ? quickLoads
        : defaultLoads
      : (streams ?? [100, 1000]).flatMap((streamCount) =>
          (rates ?? [20]).map((rate): readonly [number, number] => [streamCount, rate]),
        );
  return pairs
    .toSorted((a, b) => a[0] * a[1] - b[0] * b[1])
    .flatMap(([streamCount, tokensPerSecond]) =>
      sendingSetupsFor(streamCount * tokensPerSecond, workers).map((setup) => ({
        streams: streamCount,
        tokensPerSecond,
        ...setup,
      })),
    );
};
