// @gate 1 s
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { oneModelList, startAnswering } from '../../run/answering-server.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { bareRequest } from '../../run/input/run-request.ts';
import { repeat } from './repeat.ts';

/** Series of runs of one request each, in this process. */
const series = async (given: Partial<Parameters<typeof repeat>[0]> = {}, status = 200) => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-series-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const server = await startAnswering(() => [status, oneModelList]);
  onTestFinished(server.close);
  const fake = fakeHost({ WEIR_API_KEY: 'sk-of-this-test' });
  const { say } = fake.host.printer;
  Object.assign(fake.host.printer, {
    say: (text: string) => {
      say(text);
      if (text.startsWith('Pausing')) setImmediate(() => fake.stop('SIGINT'));
    },
  });
  const value = {
    name: 'series',
    traffic: [{ kind: 'models' }],
    load: { kind: 'constant', rate: '100/s', duration: '10ms' },
    limits: 'none',
    warmUp: '0s',
    canary: false,
  };
  const target = `${server.origin}/v1`;
  const out = join(folder, 'out');
  const exit = await repeat(
    {
      ...bareRequest,
      source: { scenario: undefined, value, flags: {}, set: [], target },
      out,
      runId: 'series',
      repetitions: 2,
      against: undefined,
      baseline: [],
      pause: undefined,
      self: false,
      printEach: true,
      strict: false,
      allowDifferent: true,
      ...given,
    },
    fake.host,
  );
  const said = fake.said.map((line) => line.replace(out, 'OUT'));
  return { ...fake, exit, said };
};

it('a run in which nothing succeeded does not count, and says so', async () => {
  const { said, printed } = await series({ repetitions: 1, printEach: false }, 500);
  expect(said.slice(-2)).toEqual([
    '1 of 1 runs does not count, and --allow-different lets them pass:',
    // Its load is as planned on any machine: one start of a run may be late.
    '  1: nothing succeeded.',
  ]);
  expect(printed).toEqual([]);
});

it('a stop in the pause ends the series with its exit', async () => {
  const { exit, said, printed } = await series({ pause: '60s' });
  expect(exit).toBe('interrupted');
  expect(said).toContain('Pausing 60 s, so that the limits recover.');
  expect(said.at(-1)).toBe('Runs: OUT');
  expect(printed).toHaveLength(1);
});
