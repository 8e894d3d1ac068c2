import type { CalibrationCell } from '../../model/series/calibration.ts';
import { transportNames } from '../../model/observation/exchange.ts';

type SendingSetup = Pick<CalibrationCell, 'transport' | 'workers'>;

/** One load of the grid. */
export type GridLoad = SendingSetup & Pick<CalibrationCell, 'streams' | 'tokensPerSecond'>;

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

/** The requested grid; `null` stands for the default. */
export interface GridRequest {
  readonly quick: boolean;
  readonly streams: readonly number[] | null;
  readonly rates: readonly number[] | null;
  readonly workers: readonly number[] | null;
}

/** At this many tokens per second or more, several threads may help. */
const twoWorkerTokenRate = 20_000;

/** Each load is sent over both transports. A large load is also sent by two workers, unless the request sets their number. */
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

/** The loads to measure, smallest first, each with all its setups. */
export const calibrationGrid = ({
  quick,
  streams,
  rates,
  workers,
}: GridRequest): readonly GridLoad[] => {
  const defaults = quick ? quickLoads : defaultLoads;
  const pairs =
    streams === null && rates === null
      ? defaults
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
