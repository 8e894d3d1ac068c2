import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startOn } from './processes.ts';
import type { StreamsCount, StreamsOrder } from './stamped-streams.ts';

/** The process that sends stamped streams. */
export interface Emitter {
  readonly port: number;
  count(): Promise<StreamsCount>;
  stop(): Promise<void>;
}

/** Starts it on the first core. */
export const startEmitter = async (order: StreamsOrder): Promise<Emitter> => {
  const bound = await startOn(0, ['stamped-streams.ts'], {
    input: JSON.stringify(order),
  });
  const lines = createInterface({ input: bound.child.stdout! });
  return {
    port: Number(bound.line),
    count: async () => {
      const told = once(lines, 'line');
      bound.child.stdin!.write('\n');
      return JSON.parse(String((await told)[0])) as StreamsCount;
    },
    stop: () => bound.stop(),
  };
};
