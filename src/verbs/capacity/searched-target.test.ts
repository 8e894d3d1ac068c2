// @gate 1 s
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Result } from '../../model/result/result.ts';
import {
  type AnswerTo,
  chatAnswer,
  oneModelList,
  startAnswering,
} from '../../run/answering-server.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import type { CapacityRequest } from './capacity-request.ts';
import { findTargetCapacity } from './capacity.ts';
import type { CapacityReport } from './model/capacity.ts';
import { sampleRequest } from './sample-request.fixture.ts';

/** Searches that end in their first step, or before it. */

const searched = async (
  answer: (stop: () => void) => ReturnType<AnswerTo>,
  given: Partial<CapacityRequest> = {},
  changes: object = {},
) => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-searched-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const fake = fakeHost({ WEIR_API_KEY: 'sk-of-this-test' });
  const server = await startAnswering(({ text }) =>
    text === '' ? [200, oneModelList] : answer(() => fake.stop('SIGTERM')),
  );
  onTestFinished(server.close);
  const target = `${server.origin}/v1`;
  const out = join(folder, 'out');
  const value = {
    name: 'searched',
    traffic: [{ kind: 'chat', model: 'm', prompt: 'hi', maxTokens: 4 }],
    load: { kind: 'constant', rate: '5/s', duration: '10s' },
    limits: 'none',
    canary: false,
    ...changes,
  };
  const source = { scenario: undefined, value, flags: {}, set: [], target };
  const request = { ...sampleRequest, source, out, yes: true, ...given };
  const exit = await findTargetCapacity(request, fake.host);
  const stored = async <Stored>(path: string): Promise<Stored> =>
    JSON.parse(await readFile(join(out, path), 'utf8')) as Stored;
  const report = await stored<CapacityReport>('capacity.json');
  return { ...fake, exit, report, stored, target };
};

it('a search whose target refuses the first step says so, whatever ended it', async () => {
  const { exit, report, warned, said, stored, target } = await searched(
    (stop) => {
      stop();
      return [403, '{"error":{"message":"not you"}}'];
    },
    { think: '30s', precision: '7%' },
  );
  const [refused = ''] = warned;
  expect(refused).toMatch(
    /^The target refused every request: 1 × 403 \(“not you”\): may this key ask/,
  );
  expect([exit, warned.length]).toEqual(['terminated', 1]);
  const { weir: _, judgedAt: __, ...stable } = report;
  expect(stable).toEqual({
    format: 'capacity/1',
    name: 'searched',
    target,
    terms: {
      thinkTime: 30_000,
      requestsPerMinute: null,
      tokensPerMinute: null,
      keys: 1,
      start: 1,
      top: 1000,
      precision: 0.07,
    },
    objectives: expect.any(Array),
    steps: [],
    answer: null,
    fit: null,
    notes: [refused],
  });
  expect(said.map((line) => line.split('\n')[0])).toEqual([target]);
  expect(said[0]).toMatch(/\nBudget: at most 50,000 requests; .*\.\nThis is .*\.$/);
  const { partial, runId, breach } = await stored<Result>('step-1/result.json');
  expect(partial).toBe('stopped by SIGTERM before the load had ended');
  expect([runId.slice(-7), breach]).toEqual(['-step-1', undefined]);
});

it('a search that is stopped in its first step says by what', async () => {
  const stage = { load: { kind: 'constant', rate: '5/s', duration: '10s' } };
  const { exit, report, warned } = await searched(
    (stop) => {
      stop();
      return [200, chatAnswer];
    },
    {},
    {
      stages: [
        { name: 'a', ...stage },
        { name: 'b', ...stage },
      ],
      load: undefined,
    },
  );
  expect([exit, warned]).toEqual(['terminated', []]);
  expect(report.notes).toEqual([
    'Every step sends the traffic of the first stage.',
    'The search was stopped before its end.',
  ]);
});
