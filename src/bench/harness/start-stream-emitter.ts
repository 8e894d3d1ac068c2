import { startPinned } from './pinned-processes.ts';
import type { StreamCounts, StreamEmitterOptions } from './stream-emitter.ts';

/** The process that sends stamped streams. */
export interface StreamEmitter {
  readonly port: number;
  count(): Promise<StreamCounts>;
  stop(): Promise<void>;
}

/** Starts it on the first core. */
export const startStreamEmitter = async (order: StreamEmitterOptions): Promise<StreamEmitter> => {
  const bound = await startPinned(0, ['stamped-streams.ts'], {
    input: JSON.stringify(order),
  });
  return {
    port: Number(bound.line),
    count: async () => {
      bound.child.stdin!.write('\n');
      return JSON.parse(await bound.next()) as StreamCounts;
    },
    stop: () => bound.stop(),
  };
};
