// @gate 2 s
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { wholeRunSlice } from '../../model/workload/arrival.ts';
import {
  type AnsweringServer,
  oneModelList,
  startAnswering,
} from '../../run/answering-server.fixture.ts';
import { openCanary } from '../../run/canary.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { readPlanWithFiles } from '../../run/input/read-plan.ts';
import { prepareTargets, sliceOptionsFor } from '../../run/target/prepare-targets.ts';
import { runStep } from './run-step.ts';

/** Steps of a few requests in this process, against a server that lists a model or refuses. */

let folder: string;
let server: AnsweringServer;
let origin: string;
let onRequest: (url: string) => void = () => undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-step-'));
  server = await startAnswering(({ url }) => {
    onRequest(url);
    return url.startsWith('/refuses')
      ? [403, '{"error":{"message":"not you"}}']
      : [200, oneModelList];
  });
  ({ origin } = server);
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const step = async (path: string, out: string, duration = '60ms') => {
  const fake = fakeHost();
  const value = {
    name: 'searched',
    stages: [{ name: 'step-1', load: { kind: 'constant', rate: '100/s', duration } }],
    traffic: [{ kind: 'models' }],
    keys: [{ name: 'k', key: '${env:K}' }],
    warmUp: '0s',
    canary: false,
  };
  const source = { scenario: undefined, value, flags: {}, set: [], target: `${origin}/${path}` };
  const read = await readPlanWithFiles(source, { K: 'sk-of-this-test' });
  const target = await prepareTargets(read, { preflight: false });
  const canary = await openCanary(read.plan, 1);
  const options = sliceOptionsFor(read, target, { slice: wholeRunSlice, runId: 'search' });
  const setup = { target, canary, folder: out, host: fake.host };
  return { ...fake, stepping: () => runStep(options, read.plan, setup) };
};

describe('a step', () => {
  it('sends its load, and keeps its result in a folder of its name', async () => {
    const { stepping, warned, said } = await step('serves', folder);
    const { result, stoppedBy, refused } = await stepping();
    expect([stoppedBy, refused, warned, said]).toEqual([null, null, [], []]);
    expect(sumOutcomes(result.groups)).toMatchObject({ completed: 6, refused: 0 });
    expect(result).toMatchObject({ runId: 'search-step-1', partial: null, scheduled: 60 });
    expect(result.breach).toBeUndefined();
    const stored: unknown = JSON.parse(await readFile(join(folder, 'step-1/result.json'), 'utf8'));
    expect(stored).toMatchObject({ runId: 'search-step-1', planHash: result.planHash });
  });

  it('of which all is refused says so, and is kept where it can be', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const { stepping, warned } = await step('refuses', file);
    const { result, refused } = await stepping();
    expect(refused).toMatch(
      /^The target refused every request: 6 × 403 \(“not you”\): may this key/,
    );
    expect(sumOutcomes(result.groups)).toMatchObject({ completed: 0, refused: 6 });
    expect(warned).toEqual([
      expect.stringMatching(/^The result of this step was not written: .+\.$/),
    ]);
  });

  it('that is stopped says by what, and is partial', async () => {
    const { stepping, stop } = await step('stops', join(folder, 'stopped'), '30s');
    onRequest = (url) => {
      if (url.startsWith('/stops')) stop('SIGINT');
    };
    const { result, stoppedBy } = await stepping();
    expect(stoppedBy).toBe('SIGINT');
    expect(result.partial).toBe('stopped by SIGINT before the load had ended');
  });
});
