import { milliseconds } from '../../model/quantity.ts';
import {
  startMockContainer,
  findContainerEngine,
  loadContainerLibrary,
} from '../../platform/process/mock-container.ts';
import { atMost, type BenchPart, benchRow } from '../harness/bench.ts';
import { median } from '../harness/statistics.ts';

const rounds = 7;

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
    const begun = performance.now();
    await container.start();
    await container.wait();
    const bareEnded = performance.now();
    const mock = await startMockContainer(options);
    bare.push(bareEnded - begun);
    ready.push(performance.now() - bareEnded);
    await mock.stop();
  }
  const row = benchRow(
    'container ready after its start, image built',
    median(ready),
    'ms',
    atMost(900),
  );
  return [{ ...row, reference: median(bare) }];
};
