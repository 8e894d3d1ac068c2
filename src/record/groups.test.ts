import type { Group } from '../model/measures/counts.ts';
import type { AnswerNote } from '../model/observation/outcome.ts';
import { describe, expect, it } from 'vitest';
import { decodeHistogram } from '../model/measures/histogram.ts';
import type { Objective } from '../model/plan/objective.ts';
import type { Observation } from '../model/observation/observation.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { groupRecorder, recordObjectiveCounts } from './groups.ts';
import {
  sampleObservation,
  sampleSpeech,
  sampleStream,
  sampleTranscript,
  refusedWith,
} from './sample-observations.fixture.ts';
import { addCounts } from './recorder.ts';
import { sampleObjective } from '../model/plan/sample-objective.fixture.ts';

const [stage] = samplePlan().stages;
const plan = samplePlan({
  stages: [
    { ...stage!, name: 'zenith' },
    { ...stage!, name: 'afterwards' },
  ],
});

const grouped = (...observations: readonly Observation[]): readonly Group[] => {
  const recorder = groupRecorder(plan);
  const groups = recorder.restore([]);
  for (const observation of observations) recorder.record(groups, observation);
  return recorder.store(groups);
};
const streamed = (moments: readonly number[], differing = {}): Observation =>
  sampleObservation({
    traffic: 'chat-stream',
    outcome: { kind: 'completed', answer: sampleStream(moments, differing) },
  });

describe('groups', () => {
  it('count the attempts that were sent again on a new connection', () => {
    const again = { ...sampleObservation(), reconnected: instant(1) };
    const [group] = grouped(sampleObservation(), again, again);
    expect(group!.reconnected).toBe(2);
    expect(grouped(sampleObservation())[0]).not.toHaveProperty('reconnected');
  });

  it('have the measures of token classes where an answer says its classes, and only there', () => {
    const chatWith = (classes: object): Observation => {
      const { outcome } = sampleObservation();
      if (outcome.kind !== 'completed' || outcome.answer.kind !== 'chat')
        throw new Error('no chat');
      const tokens = { ...outcome.answer.tokens, ...classes };
      return sampleObservation({ outcome: { ...outcome, answer: { ...outcome.answer, tokens } } });
    };
    const measured = (classes: object): readonly string[] =>
      Object.keys(grouped(chatWith(classes))[0]!.distributions).filter((name) =>
        /cached|reasoning/.test(name),
      );
    expect(measured({})).toEqual([]);
    expect(measured({ cached: 4 })).toEqual(['cachedTokens', 'cachedShare']);
    expect(measured({ reasoning: 3 })).toEqual(['reasoningTokens']);
  });

  it('separate different labels, in the plan’s order, the warm-up first', () => {
    const groups = grouped(
      sampleObservation({ stage: 1 }),
      sampleObservation({ key: 'spare' }),
      sampleObservation({ model: null, traffic: 'models' }),
      sampleObservation(),
      sampleObservation({ due: instant(1999.9) }),
      sampleObservation({ due: instant(2000) }),
    );
    expect(groups.map(({ labels }) => Object.values(labels).join(' '))).toMatchInlineSnapshot(`
      [
        "chat publisher/model-8b main zenith true",
        "chat publisher/model-8b main zenith false",
        "chat publisher/model-8b spare zenith false",
        "models  main zenith false",
        "chat publisher/model-8b main afterwards false",
      ]
    `);
    expect(groups.map(({ outcomes }) => outcomes.completed)).toEqual([1, 2, 1, 1, 1]);
  });

  it('separate entries with names and combine those without', () => {
    const groups = grouped(
      sampleObservation({ entry: 'short' }),
      sampleObservation(),
      sampleObservation({ entry: 'long' }),
      sampleObservation(),
    );
    expect(groups.map(({ labels, outcomes }) => [labels.entry, outcomes.completed])).toEqual([
      [undefined, 2],
      ['long', 1],
      ['short', 1],
    ]);
    const recorder = groupRecorder(plan);
    expect(recorder.store(recorder.restore(groups))).toEqual(groups);
  });

  it('hold the samples of every measure, to the microsecond', () => {
    const [group] = grouped(streamed([5100, 5120, 5150]));
    const samples = Object.entries(group!.distributions).map(([measure, encoded]) => [
      measure,
      decodeHistogram(encoded).count,
      encoded.sum,
    ]);
    expect(samples).toMatchInlineSnapshot(`
      [
        [
          "ttft",
          1,
          100,
        ],
        [
          "ttftService",
          1,
          96,
        ],
        [
          "firstEvent",
          1,
          96,
        ],
        [
          "firstVisible",
          1,
          100,
        ],
        [
          "gap",
          2,
          50,
        ],
        [
          "stall",
          1,
          30,
        ],
        [
          "tpot",
          1,
          25,
        ],
        [
          "outputSpeed",
          1,
          40,
        ],
        [
          "tokensPerChunk",
          1,
          1,
        ],
        [
          "closing",
          1,
          50,
        ],
        [
          "inputTokens",
          1,
          10,
        ],
        [
          "outputTokens",
          1,
          3,
        ],
        [
          "endToEnd",
          1,
          150,
        ],
        [
          "serviceTime",
          1,
          196,
        ],
        [
          "headers",
          1,
          186,
        ],
        [
          "connect",
          1,
          2,
        ],
      ]
    `);
  });

  it('hold the measures of speech and transcription', () => {
    const groups = grouped(
      sampleObservation({
        traffic: 'speech',
        outcome: { kind: 'completed', answer: sampleSpeech() },
      }),
      sampleObservation({
        traffic: 'transcription',
        outcome: { kind: 'completed', answer: sampleTranscript() },
      }),
    );
    const shared = ['endToEnd', 'serviceTime', 'headers', 'connect'];
    const samples = groups.map(({ distributions }) =>
      Object.entries(distributions)
        .filter(([name]) => !shared.includes(name))
        .map(([name, { sum }]) => `${name} ${sum}`),
    );
    expect(samples).toEqual([
      [
        'firstAudio 60',
        'firstByte 46',
        'speechFactor 49',
        'speakingSpeed 163.265',
        'speechSeconds 4',
        'characters 32',
        'speechBytes 64000',
        'cost 480',
      ],
      ['transcriptionFactor 24.5', 'wordErrorRate 5', 'clipSeconds 8', 'cost 800'],
    ]);
  });

  it('sum costs to the micro-unit, and have no sample where a cost is unknown', () => {
    const priced = (cost: number | null) =>
      sampleObservation({
        traffic: 'speech',
        outcome: { kind: 'completed', answer: sampleSpeech({ cost }) },
      });
    const [group] = grouped(priced(1), priced(33_333), priced(null), priced(2));
    expect(group!.distributions.cost).toMatchObject({ count: 3, sum: 33_336 });
    expect(group!.outcomes.completed).toBe(4);
  });

  it('count the notes of completed answers, in the order of their table', () => {
    const odd = (...notes: readonly AnswerNote[]) => streamed([5100], { notes });
    const partial = sampleStream([5100], { notes: ['other-event'] });
    const [group] = grouped(
      odd('usage-zero', 'no-done'),
      odd(),
      odd('no-done'),
      sampleObservation({
        traffic: 'chat-stream',
        outcome: { kind: 'broken', cause: 'reset', detail: '', partial },
      }),
    );
    expect(Object.entries(group!.notes)).toEqual([
      ['no-done', 2],
      ['usage-zero', 1],
    ]);
  });

  it('sum tokens by the source of their count, and input only where it is known', () => {
    const [group] = grouped(
      streamed([5100, 5120]),
      streamed([5100], { tokens: { input: null, output: 7, source: 'events' } }),
      streamed([5100], { tokens: { input: null, output: 5, source: 'usage' } }),
    );
    expect(group!.tokens).toEqual([
      { source: 'usage', answers: 2, answersWithInput: 1, input: 10, output: 7 },
      { source: 'events', answers: 1, answersWithInput: 0, input: 0, output: 7 },
    ]);
  });

  it('sum the requested and the counted tokens of synthetic prompts, and of no others', () => {
    const tokens = { output: 1, source: 'usage' } as const;
    const [group] = grouped(
      streamed([5100], { tokens: { ...tokens, input: 12, asked: 10 } }),
      streamed([5100], { tokens: { ...tokens, input: 33, asked: 30 } }),
      streamed([5100], { tokens: { ...tokens, input: null, asked: 50 } }),
      streamed([5100], { tokens: { ...tokens, input: 70 } }),
    );
    const made = { answers: 2, asked: 40, input: 45 };
    expect(group!.tokens).toEqual([
      { source: 'usage', answers: 4, answersWithInput: 3, input: 115, output: 4, made },
    ]);
  });

  it('count the token events of broken streams, but exclude these from all measures', () => {
    const partial = sampleStream([5100, 5120, 5120], { coalesced: 1 });
    const [group] = grouped(
      sampleObservation({
        traffic: 'chat-stream',
        outcome: { kind: 'broken', cause: 'reset', detail: 'reset by peer', partial },
      }),
    );
    expect(group).toMatchObject({
      tokenEvents: 3,
      coalescedEvents: 1,
      tokens: [],
      distributions: {},
    });
    expect(group!.outcomes).toMatchObject({ broken: 1, completed: 0 });
  });

  it('count buffered streams and exclude their gaps', () => {
    const [group] = grouped(streamed([5100, 5101], { buffered: true }));
    expect(group!.buffered).toBe(1);
    expect(Object.keys(group!.distributions)).not.toContain('gap');
    expect(Object.keys(group!.distributions)).toContain('ttft');
  });

  it('count what was sent and over which connections', () => {
    const unsent = { connected: null, connection: null, sent: null, head: null } as const;
    const [group] = grouped(
      sampleObservation(),
      sampleObservation({ connection: 'reused' }),
      sampleObservation({ ...unsent, outcome: { kind: 'dropped', cause: 'saturated' } }),
    );
    expect(group).toMatchObject({ sent: 2, connections: { new: 1, reused: 1 } });
    expect(group!.outcomes).toMatchObject({ completed: 2, dropped: 1 });
  });

  it('count attempts and retried requests, each arrival once', () => {
    const refused = {
      ...sampleObservation(),
      outcome: { kind: 'broken', cause: 'reset', detail: '', partial: null },
      wait: milliseconds(100),
      waitBy: 'backoff',
    } as const;
    const outcome = refused.outcome;
    const [group] = grouped(
      sampleObservation(),
      sampleObservation({ earlier: [refused, refused] }),
      sampleObservation({ earlier: [refused], gaveUp: 'patience', outcome }),
      sampleObservation({ outcome: { kind: 'dropped', cause: 'saturated' } }),
    );
    expect(group).toMatchObject({ attempts: 6, retried: 2, gaveUp: { patience: 1 } });
    expect(group!.connections.new).toBe(6);
    expect(group!.outcomes).toMatchObject({ completed: 2, broken: 1, dropped: 1 });
    expect(group!.distributions.retryWait).toMatchObject({ count: 1, max: 200 });
  });
});

const ended = (...reasons: readonly (string | null)[]): readonly Observation[] =>
  reasons.map((finish) => streamed([5100], { finish }));

describe('finish reasons', () => {
  const countsOf = (groups: readonly Group[]) =>
    groups[0]!.finishes?.map(({ reason, count }) => `${reason} ${count}`);

  it('are counted as they were sent, of complete and of failed chats', () => {
    const partial = sampleStream([5100], { finish: 'abort' });
    const failed = sampleObservation({
      traffic: 'chat-stream',
      outcome: { kind: 'malformed', issue: 'stream-error', detail: '', partial },
    });
    const odd = ['__proto__', 'constructor', 'toString'];
    expect(countsOf(grouped(...ended('stop', 'STOP', 'stop', null, ...odd), failed))).toEqual([
      'STOP 1',
      '__proto__ 1',
      'abort 1',
      'constructor 1',
      'stop 2',
      'toString 1',
    ]);
  });

  it('are none of answers that have none, and absent in groups of other kinds', () => {
    expect(countsOf(grouped(...ended(null)))).toEqual([]);
    expect(grouped(sampleObservation({ model: null, traffic: 'models' }))[0]).not.toHaveProperty(
      'finishes',
    );
  });

  it('are at most 20 that are unusual, and spellings of usual ones beyond them are added to these', () => {
    const names = Array.from({ length: 1000 }, (_, n) => `invented ${n}`);
    const spelt = Array.from({ length: 50 }, (_, n) => `length${' '.repeat(n + 1)}`);
    const counts = countsOf(grouped(...ended('stop', ...names, ...spelt, 'length')))!;
    expect(counts).toHaveLength(20 + 3);
    expect(counts).toContain('length 51');
    expect(counts).toContain('others 980');
    expect(counts).toContain('stop 1');
  });

  it('keep those that the plan names', () => {
    const objective: Objective = sampleObjective({
      text: 'finish{reason=Zeal} < 5%',
      figure: { kind: 'share', name: 'finish', reason: 'Zeal' },
      bound: 5,
    });
    const named = { ...plan, fails: [{ finish: 'zap' }], objectives: [objective] };
    const recorder = groupRecorder(named);
    const groups = recorder.restore([]);
    const names = Array.from({ length: 99 }, (_, n) => `invented ${n}`);
    for (const each of ended('zeal', 'zap', 'zeal', ...names, 'ZEAL'))
      recorder.record(groups, each);
    expect(countsOf(recorder.store(groups))).toEqual(
      expect.arrayContaining(['zeal 2', 'zap 1', 'ZEAL 1', 'others 80']),
    );
  });

  it('stay absent where a part of a merged result did not count them', () => {
    const recorder = groupRecorder(plan);
    const old = structuredClone(grouped(...ended('stop')));
    delete old[0]!.finishes;
    const whole = recorder.restore([]);
    recorder.add(whole, recorder.restore(grouped(...ended('stop'))));
    expect(countsOf(recorder.store(whole))).toEqual(['stop 1']);
    recorder.add(whole, recorder.restore(old));
    expect(recorder.store(whole)[0]).not.toHaveProperty('finishes');
  });
});

const scope = { traffic: null, model: null, key: null, stages: null };
const bound = { scope, comparison: '<', bound: 150 } as const;
const objectives = [
  { ...bound, text: 'e2e < 150ms', measure: 'endToEnd' as const },
  { ...bound, text: 'ttft < 150ms', measure: 'ttft' as const },
];

const counted = (...given: Parameters<typeof sampleObservation>[]): Pick<Group, 'good'> => {
  const group: Pick<Group, 'good'> = {};
  for (const each of given)
    recordObjectiveCounts(group, objectives, sampleObservation(...each), 'steady');
  return group;
};

describe('a group in parts', () => {
  const readDelays = { first: 1, end: 2, tokens: [1, 2, 1], weight: 1 };
  const stream = streamed([5100, 5110, 5120]);
  const partial = sampleObservation({
    traffic: 'chat-stream',
    outcome: {
      kind: 'broken',
      cause: 'reset',
      detail: '',
      partial: sampleStream([5100, 5110]),
    },
  });
  const stateOf = (...observations: readonly Observation[]) => {
    const recorder = groupRecorder(plan);
    const groups = recorder.restore([]);
    for (const observation of observations) recorder.record(groups, observation);
    return { recorder, groups };
  };

  it.each([
    ['without delays', stream],
    ['with delays', { ...stream, readDelays }],
    ['with a part of an answer', { ...partial, readDelays }],
  ])('is one with the counts and one for each histogram, %s', (_, observation) => {
    const { recorder, groups } = stateOf(observation);
    const [whole] = recorder.store(groups);
    const { distributions, partials = {}, delays = {} } = whole!;
    const histograms = [distributions, partials, delays].flatMap((each) => Object.keys(each));
    expect(histograms).not.toEqual([]);
    const parts = Array.from(recorder.split(groups), ({ stored }) => stored).flat();
    expect(parts).toHaveLength(1 + histograms.length);
    const named = parts.flatMap((part) =>
      [part.distributions, part.partials ?? {}, part.delays ?? {}].flatMap((each) =>
        Object.keys(each),
      ),
    );
    expect(named).toEqual(histograms);
  });
});

describe('requests that meet the per-request objectives', () => {
  it('are counted, for all objectives together and for each', () => {
    // The sample takes 200 ms from due to its end. It is a whole chat, which has no first token.
    const quick = { ended: instant(5100) };
    expect(counted([], [quick], []).good).toEqual({ all: 1, each: [1, 3] });
  });

  it('never include failed requests, even if no objective concerns their kind', () => {
    const failed = sampleObservation({ outcome: refusedWith('no') });
    const group: Pick<Group, 'good'> = {};
    recordObjectiveCounts(group, objectives.slice(1), failed, 'steady');
    expect(group.good).toEqual({ all: 0, each: [0] });
  });

  it('are added up', () => {
    const whole: Pick<Group, 'good'> = {};
    addCounts(whole, counted([]));
    addCounts(whole, {});
    addCounts(whole, counted([], []));
    expect(whole.good).toEqual({ all: 0, each: [0, 3] });
  });

  it('are not counted without objectives', () => {
    const group: Pick<Group, 'good'> = {};
    recordObjectiveCounts(group, [], sampleObservation(), 'steady');
    expect(group).toEqual({});
  });
});
