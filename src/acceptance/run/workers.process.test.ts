import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../../model/observation/observation.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { exitOf, readObservations, resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  startWeir,
  tempFile,
  tempFolder,
  cleanUpAfterEach,
  weirProcess,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const scenario = (load: string, more = ''): string => `
name: short
traffic:
  - { kind: chat-stream, model: weir/small, weight: 3, maxTokens: 5, prompt: { tokens: 40 } }
  - { kind: transcription, model: weir/whisper, clips: bundled }
  - { kind: models, weight: 1 }
load: ${load}
grace: 5s
mock: { ttft: 20ms, gap: 2ms }
${more}
`;

/** Requests and when they are due: the number of workers must not change them. */
const requestsIn = (observations: readonly Observation[]): readonly string[] =>
  observations
    .map(({ requestId, traffic, due, key }) => `${requestId} ${traffic} ${due} ${key}`)
    .toSorted();

describe('workers', () => {
  it('send the same requests at the same times as one worker, and count what the gateway counts', async () => {
    const path = await tempFile('s.yaml', scenario('{ kind: constant, rate: 70/s, duration: 1s }'));
    const runs = await Promise.all(
      ['1', '3'].map(async (workers) => {
        const out = await tempFolder();
        const file = join(out, 'observations.jsonl');
        const ended = await weir([
          'run',
          path,
          '--workers',
          workers,
          '--out',
          out,
          '--observations',
          file,
        ]);
        return { ...ended, result: await resultIn(out), seen: await readObservations(file) };
      }),
    );
    const [one, three] = [runs[0]!, runs[1]!];
    expect(three.seen).toHaveLength(70);
    expect(requestsIn(three.seen)).toEqual(requestsIn(one.seen));
    expect(three.result.planHash).toBe(one.result.planHash);
    const outcomes = sumOutcomes(three.result.groups);
    expect(outcomes).toMatchObject({ completed: 60, limited: 10, broken: 0 });
    expect(three.result.gatewayCounters).toMatchObject({ completed: 60, limited: 10 });
    expect(three.code).toBe(exitOf(three.result, 0));
    expect(three.result.slices.map(({ index, count }) => `${index}/${count}`)).toEqual([
      '0/3',
      '1/3',
      '2/3',
    ]);
    expect(new Set(three.result.slices.map(({ clock }) => clock)).size).toBe(1);
    // With one clock, admissions can be counted over all slices.
    expect(three.result.limits?.keys).toMatchObject([{ key: 'default' }]);
  });

  it('all stop at Ctrl-C', async () => {
    const path = await tempFile(
      's.yaml',
      scenario('{ kind: constant, rate: 20/s, duration: 60s }'),
    );
    const out = await tempFolder();
    const { child, ended, waitForOutput } = startWeir([
      'run',
      path,
      '--workers',
      '2',
      '--out',
      out,
    ]);
    await waitForOutput('Ctrl-C ends it early');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    const result = await resultIn(out);
    expect(result.partial).toContain('SIGINT');
    expect(result.slices).toHaveLength(2);
  });

  it('all end when they break an objective together', async () => {
    const objective = "objectives: [{ objective: 'limitedRate < 1%', abort: { after: 1s } }]";
    const path = await tempFile(
      's.yaml',
      scenario('{ kind: constant, rate: 100/s, duration: 60s }', objective),
    );
    const out = await tempFolder();
    const { stderr } = await weir(['run', path, '--workers', '2', '--out', out]);
    expect(stderr).toContain('is broken');
    const { breach, slices } = await resultIn(out);
    expect(breach).toMatchObject({ text: 'limitedRate < 1%' });
    expect(breach!.observed).toBeGreaterThan(1);
    expect(slices).toHaveLength(2);
  });

  it('share one budget to its last request', async () => {
    // The only user is the first worker's: the second one has nothing to send.
    const load = '{ kind: closed, users: 1, duration: 60s }';
    const path = await tempFile('s.yaml', scenario(load, 'budget: { requests: 20 }'));
    const out = await tempFolder();
    const { code } = await weir(['run', path, '--workers', '2', '--out', out]);
    const result = await resultIn(out);
    expect(code).toBe(3);
    // Nor does the second one keep the run open, which the first has ended.
    expect(result.scheduled).toBeLessThan(60_000);
    expect(result.partial).toContain('might have passed budget.requests');
    expect(sumOutcomes(result.groups).completed).toBe(20);
    expect(result.gatewayCounters).toMatchObject({ received: 20 });
    expect(result.slices).toHaveLength(2);
  });

  it('lose only the slice of a worker that crashes: the run is incomplete', async () => {
    const crash = await tempFile(
      'crash.cjs',
      `const { parentPort, workerData } = require('node:worker_threads');
       if (workerData?.slice?.index === 1) {
         parentPort.on('message', ({ kind }) => {
           if (kind !== 'begin') return;
           setTimeout(() => { throw new Error('planted, by sk-weir-test'); }, 1500);
         });
       }`,
    );
    const path = await tempFile('s.yaml', scenario('{ kind: constant, rate: 20/s, duration: 3s }'));
    const out = await tempFolder();
    const environment = { NODE_OPTIONS: `--require ${crash}` };
    const ended = await weirProcess(['run', path, '--workers', '2', '--out', out], environment);
    const result = await resultIn(out);
    expect(ended.code).toBe(3);
    expect(result.partial).toBe(
      'worker 1/2 crashed (Error: planted, by [redacted]), and what its slice had measured is lost',
    );
    expect(sumOutcomes(result.groups).completed).toBe(30);
    expect(result.limits?.keys).toEqual([]);
    expect(ended.stdout).toContain('worker 1/2 crashed');
  });

  it('all stop the program if one of them cannot start', async () => {
    const crash = await tempFile(
      'crash.cjs',
      `const { workerData } = require('node:worker_threads');
       if (workerData?.slice?.index === 1) throw new Error('planted');`,
    );
    const path = await tempFile('s.yaml', scenario('{ kind: constant, rate: 20/s, duration: 3s }'));
    const environment = { NODE_OPTIONS: `--require ${crash}` };
    const out = await tempFolder();
    const ended = await weirProcess(['run', path, '--workers', '2', '--out', out], environment);
    expect(ended.stderr).toContain('a worker could not start: Error: planted');
    expect(ended.code).toBe(1);
  });

  it('are refused if they have no use', async () => {
    const load = '{ kind: constant, rate: 1/s, duration: 1s }';
    const path = await tempFile(
      's.yaml',
      scenario(load, 'pace: { requests: 3/min, tokens: none }'),
    );
    const few = await weir(['run', path, '--workers', '4']);
    expect(few.stderr).toContain('3 requests cannot be shared by 4: expected at most 3');
    expect(few.code).toBe(2);
    const out = join(await tempFolder(), 'out');
    for (const [words, reason] of [
      [['run', path, '--capture', 'all', '--out', out], '--capture works only in the main thread'],
      [['capacity', path, '--yes', '--out', out], 'weir capacity sends each of its steps'],
    ] as const) {
      const beside = await weir([...words, '--workers', '2']);
      expect(beside.stderr).toContain(reason);
      expect(beside.stderr).toContain('expected 1 worker, got 2');
      expect(beside.code).toBe(2);
    }
    // Refused before anything was opened.
    await expect(access(out)).rejects.toThrow('ENOENT');
    const none = await weir(['validate', path, '--workers', 'many']);
    expect(none.stderr).toContain('expected a whole number from 1 to 64, or auto');
    expect(none.code).toBe(2);
  });
});
