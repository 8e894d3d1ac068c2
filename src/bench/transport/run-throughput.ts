import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { measuredWindow } from '../../model/result/summary.ts';
import { smallChatTraffic } from '../harness/chat-bytes.ts';
import { runWeir } from '../harness/run-weir.ts';
import type { ClosedLoopThroughput } from './closed-client.ts';

/** The closed loop of small chats that all clients run; times in whole seconds. */
export const loop = { connections: 100, warmUp: 4, seconds: 2 } as const;

interface Threads {
  readonly workers: number;
  /** The cores that they may use, such as `0,1`. */
  readonly cores: string;
}

/** The chats by `weir run`, with everything that a run records, in the seconds after the warm-up. Throws if one failed. */
export const measureRun = async (
  target: string,
  kind: 'closed' | 'saturate',
  { workers, cores }: Threads = { workers: 1, cores: '1' },
): Promise<ClosedLoopThroughput> => {
  const { connections, warmUp, seconds } = loop;
  // Autocannon has its own transport.
  const [client, users] =
    kind === 'closed' ? [{ transport: 'socket' }, { users: connections }] : [{}, { connections }];
  const scenario = {
    name: 'small-chats',
    target,
    ...client,
    workers,
    traffic: [{ kind: 'chat', ...smallChatTraffic }],
    // The last second is incomplete and has no sample of the generator.
    load: { kind, ...users, duration: `${warmUp + seconds + 1}s` },
    warmUp: `${warmUp}s`,
  };
  const result = await runWeir(scenario, { cores });
  const outcomes = sumOutcomes(result.groups);
  const arrivals = countArrivals(outcomes);
  const failed = arrivals - outcomes.completed;
  if (failed > 0) throw new Error(`${failed} of ${arrivals} requests of weir failed`);
  const window = measuredWindow(result)?.timeline.slice(0, seconds) ?? [];
  const cpuOf = (second: number): number =>
    result.slices
      .map(({ generator }) => generator.find((sample) => sample.second === second)?.cpu)
      .reduce<number>((sum, cpu) => sum + (cpu ?? Number.NaN), 0);
  return {
    requests: window.reduce((sum, { ended }) => sum + ended, 0),
    seconds: window.length,
    cpu: window.reduce((sum, { second }) => sum + cpuOf(second), 0),
  };
};
