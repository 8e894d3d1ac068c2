import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { openCanary } from '../canary.ts';
import { collectMockCounters } from './collect-mock-counters.ts';
import { smallestRequest, type TrafficWithModel } from './smallest-request.ts';
import { targetPlanFor } from './target-plan.ts';

describe('a target to examine', () => {
  const request = {
    scenario: undefined,
    target: 'http://h/v1',
    set: [],
    key: undefined,
    secondKey: undefined,
  };
  const environment = {
    WEIR_API_KEY: 'sk-usual-0123',
    MINE: 'sk-mine-0123',
    OTHER: 'sk-other-012',
  };
  const keysOf = async (more: object) => {
    const { plan } = await targetPlanFor({ ...request, ...more }, environment);
    return plan.keys.map(({ name, template }) => `${name} ${template}`);
  };

  it('has the usual key, or those that options name', async () => {
    expect(await keysOf({})).toEqual([expect.stringContaining('${env:WEIR_API_KEY}')]);
    expect(await keysOf({ key: 'MINE' })).toEqual(['first ${env:MINE}']);
    expect(await keysOf({ key: 'MINE', secondKey: 'OTHER' })).toEqual([
      'first ${env:MINE}',
      'second ${env:OTHER}',
    ]);
    expect(await keysOf({ secondKey: 'OTHER' })).toEqual([
      'first ${env:WEIR_API_KEY}',
      'second ${env:OTHER}',
    ]);
    // What is set by hand comes later, and counts.
    const set = ['keys=[{name: a, key: "${env:OTHER}"}]'];
    expect(await keysOf({ key: 'MINE', set })).toEqual(['a ${env:OTHER}']);
  });

  it('is named by an option or a scenario', async () => {
    await expect(targetPlanFor({ ...request, target: undefined }, {})).rejects.toThrow(
      'expected a target to examine: --target https://host/v1, --target mock, or a scenario file',
    );
    const { plan } = await targetPlanFor({ ...request, target: 'mock' }, {});
    expect(plan.target).toEqual({ kind: 'mock' });
  });

  it('without its keys says which option names them', async () => {
    const failure = (more: object, own = {}) =>
      targetPlanFor({ ...request, ...more }, own).catch(
        (error: unknown) => (error as Error).message,
      );
    expect(await failure({})).toContain('name another variable (--key NAME)');
    expect(await failure({ key: 'NONE' })).toMatch(/^--key: the environment variable NONE /m);
    const second = await failure({ key: 'MINE', secondKey: 'NONE' }, environment);
    expect(second).toMatch(/^--second-key: the environment variable NONE /m);
    expect(second).not.toMatch(/^--key:/m);
    await expect(targetPlanFor({ ...request, key: 'NONE' }, {})).rejects.toMatchObject({
      kind: 'scenario',
    });
  });
});

describe('the smallest request', () => {
  const of = (entry: object) => smallestRequest({ model: 'm', ...entry } as TrafficWithModel);
  const jsonOf = (entry: object): unknown => JSON.parse(of(entry).body.toString('utf8'));

  it('of chat is a token, and of speech two letters', () => {
    for (const kind of ['chat', 'chat-stream']) {
      expect(of({ kind }).path).toBe('/chat/completions');
      expect(jsonOf({ kind })).toEqual({
        model: 'm',
        messages: [{ role: 'user', content: 'Hi' }],
        max_tokens: 1,
      });
    }
    const speech = { kind: 'speech', voice: 'v' };
    expect([of(speech).path, of(speech).contentType]).toEqual([
      '/audio/speech',
      'application/json',
    ]);
    expect(jsonOf(speech)).toEqual({ model: 'm', input: 'Hi', voice: 'v' });
  });

  it('of a transcription is a tenth of a second of silence', () => {
    const { path, contentType, body } = of({ kind: 'transcription' });
    expect([path, contentType]).toEqual([
      '/audio/transcriptions',
      expect.stringMatching(/^multipart\/form-data; boundary=/),
    ]);
    const form = Buffer.from(body);
    const wave = form.subarray(form.indexOf('RIFF'));
    expect(wave.readUInt32LE(4)).toBe(36 + 800);
    expect([wave.toString('latin1', 8, 16), wave.toString('latin1', 36, 40)]).toEqual([
      'WAVEfmt ',
      'data',
    ]);
    // PCM, mono, 8,000 samples of one byte a second.
    expect([20, 22, 32, 34].map((at) => wave.readUInt16LE(at))).toEqual([1, 1, 1, 8]);
    expect([24, 28, 40].map((at) => wave.readUInt32LE(at))).toEqual([8000, 8000, 800]);
    expect(wave.subarray(44, 844).every((byte) => byte === 0x80)).toBe(true);
    expect(form.toString('latin1')).toContain('filename="silence.wav"');
  });
});

describe('the counters of reference gateways', () => {
  const gone = (ended: string | null) =>
    ({ control: 'http://127.0.0.1:1', ended: () => ended }) as never;
  const collect = (mocks: readonly unknown[], targets = 1) =>
    collectMockCounters({ mocks, targets: Array.from({ length: targets }) } as never);

  it('are those of the only one, once nothing is in flight', async () => {
    const answers = [
      { inFlight: 1, completed: 4 },
      { inFlight: 0, completed: 5 },
    ];
    const server = createServer((_, response) => response.end(JSON.stringify(answers.shift())));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const control = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const mock = { control, ended: () => null };
    expect(await collect([mock])).toEqual({
      gatewayCounters: { inFlight: 0, completed: 5 },
      notes: [],
      lost: null,
    });
    answers.push({ inFlight: 0, completed: 1 });
    // Those of one of several targets would be those of a part.
    expect((await collect([mock], 2)).gatewayCounters).toBeNull();
    server.close();
  });

  it('are none without a gateway, or if one does not answer', async () => {
    expect(await collect([])).toEqual({ gatewayCounters: null, notes: [], lost: null });
    expect(await collect([gone(null)])).toEqual({
      gatewayCounters: null,
      notes: ['The reference gateway could not be asked for its counters: it does not answer.'],
      lost: null,
    });
  });

  it('say which gateway ended, so that the run is incomplete', async () => {
    const { notes, lost } = await collect([gone('signal SIGKILL'), gone('exit code 1')], 2);
    expect(notes).toEqual([
      'The reference gateway could not be asked for its counters: it ended during the run (signal SIGKILL).',
      'The reference gateway could not be asked for its counters: it ended during the run (exit code 1).',
    ]);
    expect(lost).toBe(
      'the reference gateway ended during the run (signal SIGKILL); the reference gateway ended during the run (exit code 1)',
    );
  });
});

it('a run has no self-test streams if its plan has none, or its load saturates the target', async () => {
  const load = { kind: 'saturate', connections: 1, duration: milliseconds(1000) } as const;
  const { stages } = samplePlan();
  const saturating = samplePlan({ canary: true, stages: [{ ...stages[0]!, load }] });
  for (const plan of [samplePlan(), samplePlan({ canary: false }), saturating]) {
    const canary = await openCanary(plan, 1);
    expect(canary).toMatchObject({ streamOptions: null, notes: [], pid: null });
    expect(canary.endNotes()).toEqual([]);
    await canary.stop();
  }
});
