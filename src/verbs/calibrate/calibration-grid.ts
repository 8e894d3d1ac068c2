import type { CalibrationCell } from '../../model/series/calibration.ts';
import { transportNames } from '../../model/observation/exchange.ts';

type SendingSetup = Pick<CalibrationCell, 'transport' | 'workers'>;

type StreamLoad = Pick<CalibrationCell, 'streams' | 'tokensPerSecond'>;

export type GridLoad = SendingSetup & StreamLoad;

const loadsOf = (streamCounts: readonly number[], rates: readonly number[]): StreamLoad[] =>
  streamCounts.flatMap((streams) => rates.map((tokensPerSecond) => ({ streams, tokensPerSecond })));

const defaultLoads = [...loadsOf([100], [20, 50]), ...loadsOf([500, 1000, 2000], [20])];

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
const sendingSetupsFor = (tokens: number, workers: readonly number[] | null): SendingSetup[] => {
  const setups: SendingSetup[] = transportNames.flatMap((transport) =>
    (workers ?? [1]).map((count) => ({ transport, workers: count })),
  );
  const isLarge = workers === null && tokens >= twoWorkerTokenRate;
  return isLarge ? [...setups, { transport: 'socket', workers: 2 }] : setups;
};

/** The loads to measure, smallest first, each with all its setups. */
export const calibrationGrid = (request: GridRequest): readonly GridLoad[] => {
  const { quick, workers, streams, rates } = request;
  const isDefault = !quick && streams === null && rates === null;
  const loads = isDefault ? defaultLoads : loadsOf(streams ?? [100, 1000], rates ?? [20]);
  const tokensOf = (load: StreamLoad): number => load.streams * load.tokensPerSecond;
  return loads
    .toSorted((a, b) => tokensOf(a) - tokensOf(b))
    .flatMap((load) =>
      sendingSetupsFor(tokensOf(load), workers).map((setup) => ({ ...load, ...setup })),
    );
};
