import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { healthyResult } from '../judge/sample-result.fixture.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import type { Clock } from '../model/clock.ts';
import { Problem } from '../platform/problem.ts';
import {
  sampleCalibration,
  sampleCalibrationCell,
} from '../verbs/calibrate/report/sample-calibration.fixture.ts';
import { budgetEndText } from './budget-end.ts';
import { calibrationPath, withCalibrationNote } from './calibration-note.ts';
import { isBaselineName } from './input/baseline-name.ts';

import { rejectUntil } from './input/reject-until.ts';
import { schemaFor } from './input/schema-address.ts';
import { withObjectives } from './input/with-objectives.ts';
import { appendJobSummary } from './output/job-summary.ts';
import { defaultMockKeys, embeddedMockSettings } from './target/embedded-mock.ts';
import { renewKeys } from './target/renew-keys.ts';
import { createSnapshotPace, setWatched, snapshotInterval } from './watch/snapshot-pace.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-decisions-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('keys from commands', () => {
  const clockOf = () => {
    let tick = (): void => undefined;
    let isStopped = false;
    const clock = {
      every: (_: number, listener: () => void) => {
        tick = listener;
        return () => {
          isStopped = true;
        };
      },
    } as unknown as Clock;
    return { clock, tick: () => tick(), isStopped: () => isStopped };
  };
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const target = (read: () => Promise<string>, lifetime: number, age: number) => {
    const key = { index: 1, lifetime, readAt: performance.now() - age, read };
    const credentials = ['a', 'b'].map((name) => ({ name, weight: 1, value: `old-${name}` }));
    return { key, credentials, secrets: [] as string[], renewableKeys: [key] };
  };

  it('are read again once they are old, and go to the requests and to what is masked', async () => {
    const { clock, tick, isStopped } = clockOf();
    let reads = 0;
    const renewed: unknown[] = [];
    // The machine's clock has the origin of performance.now only by chance, so ages are far from the lifetime.
    const young = target(async () => 'never', 1e12, 0);
    const old = target(async () => `new-${(reads += 1)}`, 1, 0);
    const stopYoung = renewKeys(
      young,
      clock,
      () => undefined,
      () => undefined,
    );
    tick();
    stopYoung();
    old.key.readAt = -1e12;
    const stop = renewKeys(
      old,
      clock,
      () => undefined,
      (...each) => renewed.push(each),
    );
    tick();
    tick();
    await settle();
    expect(reads).toBe(1);
    expect(old.credentials.map(({ value }) => value)).toEqual(['old-a', 'new-1']);
    expect([old.secrets, renewed]).toEqual([['new-1'], [[1, 'new-1']]]);
    expect(young.credentials[1]!.value).toBe('old-b');
    stop();
    expect(isStopped()).toBe(true);
  });

  it('stay as they are where the command fails, which is said once, and after the end', async () => {
    const { clock, tick } = clockOf();
    const said: string[] = [];
    const failing = target(() => Promise.reject(new Problem('no login')), 1, 0);
    failing.key.readAt = -1e12;
    const stop = renewKeys(
      failing,
      clock,
      (text) => said.push(text),
      () => undefined,
    );
    for (let time = 0; time < 2; time += 1) {
      failing.key.readAt = -1e12;
      tick();
      await settle();
    }
    expect(said).toEqual(['A key could not be renewed, and the old one is kept: no login']);
    expect(failing.key.readAt).toBeGreaterThan(-1e12);
    stop();
    const late = target(async () => 'late', 1, 0);
    late.key.readAt = -1e12;
    const end = renewKeys(
      late,
      clock,
      () => undefined,
      () => undefined,
    );
    tick();
    end();
    await settle();
    expect([late.credentials[1]!.value, late.secrets]).toEqual(['old-b', []]);
    expect(
      renewKeys(
        { ...late, renewableKeys: [] },
        clock,
        () => undefined,
        () => undefined,
      )(),
    ).toBeUndefined();
  });
});

describe('the embedded gateway', () => {
  const price = { input: 1, output: 2 };
  const chat = (model: string, own: object = {}) => ({
    ...samplePlan().stages[0]!.traffic[0]!,
    kind: 'chat',
    model,
    price: null,
    ...own,
  });
  const planOf = (traffic: readonly object[], more: object = {}) => {
    const plan = samplePlan();
    return { ...plan, ...more, stages: [{ ...plan.stages[0]!, traffic }] } as never as ReturnType<
      typeof samplePlan
    >;
  };

  it('knows the models, voices and prices of the plan besides its own', () => {
    const plan = planOf([
      { ...chat('b'), kind: 'chat-stream' },
      chat('a', { price }),
      { kind: 'speech', model: 'tts', voice: 'Ann' },
      { kind: 'speech', model: 'tts', voice: 'Bob' },
      { kind: 'transcription', model: 'stt' },
    ]);
    const settings = embeddedMockSettings(plan, ['k']);
    expect(settings).toMatchObject({
      keys: ['k'],
      seed: plan.seed,
      models: [...plan.mock.models, 'a', 'b'],
      speech: {
        ...plan.mock.speech,
        model: 'tts',
        voices: [...plan.mock.speech.voices, 'Ann', 'Bob'],
      },
      transcription: { ...plan.mock.transcription, model: 'stt' },
      prices: { a: price },
    });
    expect(settings).not.toHaveProperty('keyHeader');
    const plain = embeddedMockSettings(
      planOf([chat(plan.mock.models[0]!)], { auth: { header: 'x-key', scheme: null } }),
      [],
    );
    expect(plain).toMatchObject({
      keyHeader: 'x-key',
      models: plan.mock.models,
      speech: plan.mock.speech,
      transcription: plan.mock.transcription,
      prices: {},
    });
  });

  it('has as many keys as the plan, and at least three', () => {
    const keys = Array.from({ length: 5 }, (_, n) => ({ ...samplePlan().keys[0]!, name: `k${n}` }));
    expect(defaultMockKeys({ ...samplePlan(), keys })).toHaveLength(5);
    expect(defaultMockKeys({ ...samplePlan(), keys: keys.slice(0, 1) })).toEqual([
      'sk-weir-test',
      'sk-weir-test-2',
      'sk-weir-test-3',
    ]);
  });
});

describe('a stored result', () => {
  const result = healthyResult({ lags: [[0.1]] });

  it('is judged by other objectives if they are given, and right', () => {
    expect(withObjectives(result, undefined)).toBe(result);
    const other = withObjectives(result, ['errorRate < 3%', 'e2e.p95 < 2s']);
    expect(other.plan.objectives.map(({ text }) => text)).toEqual([
      'errorRate < 3%',
      'e2e.p95 < 2s',
    ]);
    expect(withObjectives(result, []).plan.objectives).toEqual([]);
    expect(() =>
      withObjectives(result, ['errorRat < 3%', 'errorRate{stage=none} < 1%', 'errorRate < 1%']),
    ).toThrow(
      /^objective errorRat < 3%: .*; did you mean "?errorRate"?\?\nobjective errorRate\{stage=none\} < 1%: the plan has no stage "none": expected one of \S+$/,
    );
  });

  it('says the error that was measured for its machine and load, if any', async () => {
    const place = { WEIR_HISTORY: join(folder, 'history.db') };
    expect(calibrationPath(place)).toBe(join(folder, 'calibration.json'));
    expect(calibrationPath({ WEIR_HISTORY: 'off' })).toBeNull();
    const { plan, slices, timeline } = result;
    const [second] = timeline;
    const loaded = { ...result, timeline: [{ ...second!, begun: 10, ended: 0, tokenEvents: 100 }] };
    expect(await withCalibrationNote(loaded, place)).toBe(loaded);
    writeFileSync(
      join(folder, 'calibration.json'),
      JSON.stringify(
        sampleCalibration({
          cells: [sampleCalibrationCell({ transport: plan.transport, workers: slices.length })],
        }),
      ),
    );
    const { notes } = await withCalibrationNote(loaded, place);
    expect(notes.slice(0, -1)).toEqual(loaded.notes);
    expect(notes.at(-1)).toContain('calibrated 2026-11-21');
    expect(await withCalibrationNote(loaded, { WEIR_HISTORY: 'off' })).toBe(loaded);
    const silent = { ...loaded, timeline: [] };
    expect(await withCalibrationNote(silent, place)).toBe(silent);
  });
});

describe('small rules', () => {
  it('distinguish the name of a baseline from a number, a path and a file', () => {
    const names = ['main', 'v1.2', 'a_b-c', '7', 'x.json', 'x.db', '-a', 'a/b', '', '.x', '7a'];
    expect(names.filter(isBaselineName)).toEqual(['main', 'v1.2', 'a_b-c', '7a']);
  });

  it('say where an editor finds the schema: beside it, above it or far away', () => {
    expect(schemaFor('scenarios/mine.yaml')).toBe('./schema.json');
    expect(schemaFor('mine.yaml')).toBe('./scenarios/schema.json');
    expect(schemaFor('a/b/mine.yaml')).toBe('../../scenarios/schema.json');
    expect(schemaFor('/nowhere/x.yaml')).toMatch(/^\.\.\/.*scenarios\/schema\.json$/);
  });

  it('say when a budget ended the load, and which', () => {
    expect(budgetEndText(90_000, 'tokens')).toBe(
      'ended after 90 s, since the next request might have passed budget.tokens',
    );
  });

  it('refuse lengths and warm-ups that a verb sets itself', () => {
    const until = { until: 'decided' } as never;
    const auto = { autoWarmUp: true } as never;
    expect(() => rejectUntil({}, 'it must', 'it does')).not.toThrow();
    expect(() => rejectUntil(until, 'it must', 'it does')).toThrow(
      /^until: decided: it must\. Leave "until" and "atMost" out/,
    );
    expect(() => rejectUntil(auto, 'it must', 'it does')).toThrow('warmUp: auto: it does. ');
    expect(() => rejectUntil(auto, 'it must')).not.toThrow();
  });

  it('append to the page of a job, and only warn where that fails', async () => {
    const page = join(folder, 'job.md');
    const warned: string[] = [];
    const warn = (text: string): void => void warned.push(text);
    await appendJobSummary(undefined, 'x', warn);
    await appendJobSummary(page, 'one\n', warn);
    await appendJobSummary(page, 'two\n', warn);
    expect([readFileSync(page, 'utf8'), warned]).toEqual(['one\ntwo\n', []]);
    await appendJobSummary(join(folder, 'none', 'x'), 'x', warn);
    expect(warned).toEqual([expect.stringMatching(/^GITHUB_STEP_SUMMARY could not be written: /)]);
  });

  it('make snapshots every second while somebody looks, and else every five', () => {
    const pace = createSnapshotPace();
    expect(snapshotInterval(pace)).toBe(5000);
    setWatched(pace, true);
    expect(snapshotInterval(pace)).toBe(1000);
    setWatched(pace, false);
    expect(snapshotInterval(pace)).toBe(5000);
  });
});
