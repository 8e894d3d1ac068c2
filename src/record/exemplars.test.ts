import { expect, it } from 'vitest';
import type { Observation } from '../model/observation/observation.ts';
import { instant } from '../model/quantity.ts';
import { exemplarRecorder, type Exemplars } from './exemplars.ts';
import {
  answeredChat,
  sampleObservation,
  sampleSpeech,
  sampleStream,
} from './sample-observations.fixture.ts';

const exemplarsOf = (observations: readonly Observation[]) => {
  const lists: Exemplars = new Map();
  for (const observation of observations) exemplarRecorder.record(lists, observation);
  return exemplarRecorder.store(lists);
};

it('the twenty slowest completed requests are kept, the slowest first', () => {
  const times = Array.from({ length: 30 }, (_, i) => 100 + ((7 * i) % 30));
  const kept = exemplarsOf(times.map((took, i) => answeredChat(1000 * i, took)));
  expect(kept.map(({ due, ended }) => ended - due)).toEqual(
    Array.from({ length: 20 }, (_, i) => 129 - i),
  );
});

it('the first and the last five requests of a failed outcome are kept, in order of time', () => {
  const failed = Array.from({ length: 12 }, (_, i) =>
    sampleObservation({
      ended: instant(6000 + i),
      outcome: { kind: 'broken', cause: 'reset', detail: '', partial: null },
    }),
  );
  const kept = exemplarsOf([...failed, sampleObservation()]);
  expect(kept.map(({ outcome, ended }) => [outcome, ended - 6000])).toEqual([
    ['completed', -800],
    ...[0, 1, 2, 3, 4, 7, 8, 9, 10, 11].map((i) => ['broken', i]),
  ]);
});

const broken = (at: number, differing: Partial<Observation> = {}): Observation =>
  sampleObservation({
    requestId: `at ${at}`,
    ended: instant(at),
    outcome: { kind: 'broken', cause: 'reset', detail: 'gone', partial: null },
    ...differing,
  });

it('an exemplar has what a reader looks up in the logs of a server', () => {
  const [plain] = exemplarsOf([sampleObservation()]);
  expect(plain).toEqual({
    requestId: 'run-0-15',
    serverId: 'server-15',
    traffic: 'chat',
    model: 'publisher/model-8b',
    key: 'main',
    stage: 0,
    outcome: 'completed',
    status: 200,
    cause: null,
    attempts: 1,
    connection: 'new',
    due: 5000,
    released: 5000,
    begun: 5001,
    connected: 5003,
    sent: 5004,
    head: 5190,
    output: null,
    ended: 5200,
  });
  const [headless] = exemplarsOf([broken(6000, { head: null })]);
  expect(headless).toMatchObject({ serverId: null, status: null, head: null, cause: 'reset' });
});

it('the output of speech is its first audio, and that of a stream its first token', () => {
  const outputOf = (outcome: Observation['outcome']) =>
    exemplarsOf([sampleObservation({ outcome })])[0]!.output;
  expect(outputOf({ kind: 'completed', answer: sampleSpeech() })).toBe(5060);
  expect(outputOf({ kind: 'completed', answer: sampleStream([5100, 5150]) })).toBe(5100);
  const partial = sampleStream([5110]);
  expect(outputOf({ kind: 'broken', cause: 'reset', detail: '', partial })).toBe(5110);
});

it('each kind of traffic has its own slowest, and each outcome its own first and last', () => {
  const stream = { kind: 'completed', answer: sampleStream([5100]) } as const;
  const cancelled = { kind: 'cancelled', bytes: 1, partial: null } as const;
  const kept = exemplarsOf([
    broken(6001),
    sampleObservation({ traffic: 'chat-stream', outcome: stream, ended: instant(9000) }),
    answeredChat(0, 100),
    answeredChat(0, 200),
    broken(6000),
    sampleObservation({ outcome: cancelled, ended: instant(7000) }),
  ]);
  expect(kept.map(({ traffic, outcome, ended }) => `${traffic} ${outcome} ${ended}`)).toEqual([
    'chat completed 200',
    'chat completed 100',
    'chat-stream completed 9000',
    'chat broken 6000',
    'chat broken 6001',
    'chat cancelled 7000',
  ]);
});

it('parts of a run keep together what the whole run keeps, each once', () => {
  const all = Array.from({ length: 24 }, (_, i) => [
    broken(6000 + i),
    answeredChat(i, 100 + i),
  ]).flat();
  const whole = exemplarsOf(all);
  const parts: Exemplars = new Map();
  for (const part of [all.slice(30), all.slice(0, 30)])
    exemplarRecorder.add(parts, exemplarRecorder.restore(exemplarsOf(part)));
  expect(exemplarRecorder.store(parts)).toEqual(whole);
  expect(exemplarRecorder.store(exemplarRecorder.restore(whole))).toEqual(whole);
  const [{ stored } = { stored: [] }] = exemplarRecorder.split(exemplarRecorder.restore(whole));
  expect(stored).toHaveLength(whole.length);
  // Six failures are both among the first five and the last five.
  expect(exemplarsOf(Array.from({ length: 6 }, (_, i) => broken(6000 + i)))).toHaveLength(6);
});

it('requests that took as long are kept in the order of their text, whichever came first', () => {
  const alike = Array.from({ length: 30 }, (_, i) => ({
    ...answeredChat(1000, 100),
    requestId: `r${String(i).padStart(2, '0')}`,
  }));
  const ids = (list: readonly Observation[]) => exemplarsOf(list).map(({ requestId }) => requestId);
  const first = alike.slice(0, 20).map(({ requestId }) => requestId);
  expect(ids(alike)).toEqual(first);
  expect(ids(alike.toReversed())).toEqual(first);
});
