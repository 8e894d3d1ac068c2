import { milliseconds } from '../../model/quantity.ts';
import {
  startMockContainer,
  findContainerEngine,
  loadContainerLibrary,
} from '../../platform/process/mock-container.ts';
import type { BenchPart } from '../harness/bench.ts';
import { median } from '../harness/statistics.ts';

const rounds = 7;

/** In ms. */
const timeOf = async <T>(work: () => Promise<T>): Promise<[number, T]> => {
  const startedAt = performance.now();
  const value = await work();
  return [performance.now() - startedAt, value];
};

/** How long the container of the mock takes until it answers, beside one that only starts Node. */
export const measureContainerStart: BenchPart = async () => {
  const base = process.env['WEIR_NODE_IMAGE'] ?? null;
  const { dockerode } = (await findContainerEngine(await loadContainerLibrary())).container;
  const options = { settings: {}, lifetime: milliseconds(60_000), base };
  // The first start builds the image if it is missing, and has the engine read it.
  await (await startMockContainer(options)).stop();
  const ready: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const container = await dockerode.createContainer({
      Image: base ?? 'node:24-slim',
      Cmd: ['node', '-e', '0'],
      HostConfig: { AutoRemove: true },
    });
    const [bareTime] = await timeOf(async () => {
      await container.start();
      await container.wait();
    });
    const [mockTime, mock] = await timeOf(() => startMockContainer(options));
    await mock.stop();
    bare.push(bareTime);
    ready.push(mockTime);
  }
  return [
    {
      what: 'container ready after its start, image built',
      value: median(ready),
      unit: 'ms',
      bound: { kind: 'at most', value: 900 },
      reference: median(bare),
    },
  ];
};
