import { milliseconds } from '../../model/quantity.ts';
import {
  startMockContainer,
  findContainerEngine,
  loadContainerLibrary,
} from '../../platform/process/mock-container.ts';
import { atMost, type BenchPart, rowsBeside, takeTurns } from '../harness/bench.ts';
import { median } from '../harness/statistics.ts';

/** How long the container of the mock takes until it answers, beside one that only starts Node. */
export const measureContainerStart: BenchPart = async (say) => {
  const base = process.env['WEIR_NODE_IMAGE'] ?? null;
  const { dockerode } = (await findContainerEngine(await loadContainerLibrary())).container;
  const starts = {
    bare: async () => {
      const container = await dockerode.createContainer({
        Image: base ?? 'node:24-slim',
        Cmd: ['node', '-e', '0'],
        HostConfig: { AutoRemove: true },
      });
      const begun = performance.now();
      await container.start();
      await container.wait();
      return performance.now() - begun;
    },
    mock: async () => {
      const begun = performance.now();
      const mock = await startMockContainer({ settings: {}, lifetime: milliseconds(60_000), base });
      const ready = performance.now() - begun;
      await mock.stop();
      return ready;
    },
  };
  // The first start builds the image if it is missing, and has the engine read it.
  await starts.mock();
  const { bare, mock } = await takeTurns(say, {
    rounds: 7,
    candidates: ['bare', 'mock'],
    measure: (name) => starts[name](),
  });
  const row = rowsBeside(mock, bare);
  return [row('container ready after its start, image built', 'ms', median, atMost(900))];
};
