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
  return {
    port: Number(bound.line),
    count: async () => {
      bound.child.stdin!.write('\n');
      return JSON.parse(await bound.next()) as StreamsCount;
    },
    stop: () => bound.stop(),
  };
};
