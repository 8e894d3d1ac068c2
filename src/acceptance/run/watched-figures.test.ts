import { describe, expect, it } from 'vitest';
import type { Observation } from '../../model/observation/observation.ts';
import type { Outcome } from '../../model/observation/outcome.ts';
import type { Objective, ObjectiveFigure } from '../../model/plan/objective.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import { infiniteFigure } from '../../model/result/objective-verdict.ts';
import {
  answeredChat,
  refusedWith,
  sampleObservation,
  sampleStream,
} from '../../record/sample-observations.fixture.ts';
import { watchObjectives } from '../../judge/objectives/abort-watch.ts';

/** The watch of a running load, whose figures are small enough to count by hand. `abort-watch.test.ts` compares it with the judge. */

const everything: Objective['scope'] = { traffic: null, model: null, key: null, stages: null };

/** An objective that no run keeps, so that the breach shows its figure. */
const never = (figure: ObjectiveFigure, more: Partial<Objective> = {}): Objective => ({
  text: `${figure.name} of the test`,
  figure,
  scope: everything,
  comparison: '<',
  bound: -1,
  minSamples: 1,
  severity: 'fail',
  abortAfter: milliseconds(0),
  ...more,
});
const max = (name: 'endToEnd' | 'ttft'): ObjectiveFigure => ({
  kind: 'measure',
  name,
  statistic: 'max',
});
const share = (name: 'errorRate' | 'goodput' | 'limitedRate'): ObjectiveFigure => ({
  kind: 'share',
  name,
});
const count = (name: 'sent' | 'due' | 'completed' | 'failed'): ObjectiveFigure => ({
  kind: 'count',
  name,
});
const completedRate: ObjectiveFigure = { kind: 'rate', name: 'completedRate' };

const failure: Outcome = { kind: 'broken', cause: 'reset', detail: '', partial: null };
const failed = (differing: Partial<Observation> = {}): Observation =>
  sampleObservation({ outcome: failure, ...differing });
const cancelled: Outcome = { kind: 'cancelled', bytes: 0, partial: null };

const breachOf = (
  objectives: Objective | readonly Objective[],
  observations: readonly Observation[],
  { now = 10_000, plan = {} }: { readonly now?: number; readonly plan?: Partial<Plan> } = {},
) => {
  const watch = watchObjectives(samplePlan({ objectives: [objectives].flat(), ...plan }));
  for (const observation of observations) watch.record(observation);
  return watch.breach(instant(now));
};
const figureOf = (...words: Parameters<typeof breachOf>): number | null =>
  breachOf(...words)?.observed ?? null;

describe('the watch of objectives', () => {
  it('names the first objective that is broken, from its own time on', () => {
    const late = never(max('endToEnd'), { abortAfter: milliseconds(6000) });
    const atEnd = never(count('due'), { abortAfter: null });
    const kept = never(count('sent'), { bound: 4, abortAfter: milliseconds(1000) });
    const errors = never(share('errorRate'), { text: 'errorRate < 50%', bound: 50 });
    const seen = [answeredChat(3000, 200), failed(), answeredChat(4000, 250)];
    expect(breachOf([atEnd, kept, errors], seen)).toBeNull();
    expect(breachOf([atEnd, kept, late], seen, { now: 5999 })).toBeNull();
    expect(breachOf([atEnd, kept, late], seen, { now: 6000 })).toEqual({
      text: 'endToEnd of the test',
      at: 6000,
      observed: 250,
    });
    expect(breachOf([errors, late], [...seen, failed()], { now: 9000 })).toEqual({
      text: 'errorRate < 50%',
      at: 9000,
      observed: 50,
    });
  });

  it('waits for the samples that an objective needs', () => {
    const objective = never(max('endToEnd'), { minSamples: 2 });
    expect(figureOf(objective, [answeredChat(3000, 200)])).toBeNull();
    expect(figureOf(objective, [answeredChat(3000, 200), answeredChat(4000, 100)])).toBe(200);
    expect(figureOf(never(completedRate), [], { now: 2999 })).toBeNull();
  });

  it('leaves out what was due in the warm-up, which lasts two seconds', () => {
    const objective = never(count('due'));
    const due = (moment: number) => sampleObservation({ due: instant(moment) });
    expect(figureOf(objective, [due(1999), due(0)])).toBe(0);
    expect(figureOf(objective, [due(1999), due(2000), due(2001)])).toBe(2);
  });

  it('leaves out what is not in the scope of its objective', () => {
    const scopes: readonly (readonly [Partial<Objective['scope']>, number])[] = [
      [{}, 4],
      [{ traffic: 'models' }, 1],
      [{ model: 'other' }, 1],
      [{ key: 'spare' }, 1],
      [{ stages: ['second'] }, 1],
      [{ stages: ['steady'] }, 3],
      [{ stages: ['none'] }, 0],
    ];
    const [stage] = samplePlan().stages;
    const plan = { stages: [stage!, { ...stage!, name: 'second' }] };
    const seen = [
      failed({ traffic: 'models' }),
      failed({ model: 'other' }),
      failed({ key: 'spare' }),
      failed({ stage: 1 }),
    ];
    for (const [scope, figure] of scopes) {
      const objective = never(count('due'), { scope: { ...everything, ...scope } });
      expect([scope, figureOf(objective, seen, { plan })]).toEqual([scope, figure]);
    }
    // An arrival of no stage is in no named stage.
    const nowhere = [failed({ stage: 7 })];
    expect(figureOf(never(count('due')), nowhere)).toBe(1);
    const named = never(count('due'), { scope: { ...everything, stages: ['steady'] } });
    expect(figureOf(named, nowhere)).toBe(0);
  });

  it('takes the samples of a measure from the kinds that have it', () => {
    const stream = sampleObservation({
      traffic: 'chat-stream',
      outcome: { kind: 'completed', answer: sampleStream([5150, 5190]) },
    });
    expect(figureOf(never(max('ttft')), [stream, sampleObservation()])).toBe(150);
    // A chat without a stream is not one that could have had a first token.
    const half: ObjectiveFigure = { kind: 'measure', name: 'ttft', statistic: 0.5 };
    expect(figureOf(never(half), [stream, failed(), failed()])).toBe(150);
    const broken = failed({ traffic: 'chat-stream' });
    expect(figureOf(never(half), [stream, broken])).toBe(150);
    expect(figureOf(never(half), [stream, broken, broken])).toBe(infiniteFigure);
  });

  it('leaves a time out where the scenario hangs up', () => {
    const hungUp = { ...answeredChat(3000, 900), toCancel: true as const };
    expect(figureOf(never(max('endToEnd')), [hungUp])).toBeNull();
    const tokens: ObjectiveFigure = { kind: 'measure', name: 'outputTokens', statistic: 'max' };
    expect(figureOf(never(tokens), [hungUp])).toBe(20);
  });

  it('counts arrivals by how they ended', () => {
    const limited: Outcome = {
      kind: 'limited',
      unit: 'requests',
      retryAfter: null,
      resetIn: null,
      refusal: refusedWith('too many', { status: 429 }).refusal,
    };
    const seen = [
      sampleObservation(),
      failed(),
      failed({ sent: null }),
      sampleObservation({ outcome: limited }),
      sampleObservation({ outcome: refusedWith('no') }),
    ];
    const figures = (['due', 'sent', 'completed', 'failed'] as const).map((name) =>
      figureOf(never(count(name)), seen),
    );
    expect(figures).toEqual([5, 4, 1, 4]);
    expect(figureOf(never(share('errorRate')), seen)).toBe(80);
    expect(figureOf(never(share('limitedRate')), seen)).toBe(20);
    expect(figureOf(never(share('errorRate')), [])).toBeNull();
  });

  it('finds the part of arrivals that met all objectives of a request, without planned hang-ups', () => {
    const faster = (bound: number, stages: readonly string[] | null = null) => ({
      text: 'faster',
      measure: 'endToEnd' as const,
      scope: { ...everything, stages } as Objective['scope'],
      comparison: '<' as const,
      bound,
    });
    const seen = [
      answeredChat(3000, 100),
      answeredChat(3000, 200),
      answeredChat(3000, 300),
      failed(),
      { ...sampleObservation({ outcome: cancelled }), toCancel: true as const },
    ];
    const goodput = (...perRequest: Plan['perRequest']) =>
      figureOf(never(share('goodput')), seen, { plan: { perRequest } });
    expect(goodput(faster(250))).toBe(50);
    expect(goodput(faster(350), faster(150))).toBe(25);
    expect(goodput(faster(0, ['none']))).toBe(75);
    expect(goodput(faster(0, ['steady']))).toBe(0);
    expect(figureOf(never(count('due')), seen)).toBe(5);
  });

  it('counts the answers that ended for the reason of its objective, however it is written', () => {
    const chat = (finish: string): Observation => {
      const sample = sampleObservation();
      if (sample.outcome.kind !== 'completed' || sample.outcome.answer.kind !== 'chat')
        throw new Error('the sample is an answered chat');
      const answer = { ...sample.outcome.answer, finish };
      return { ...sample, outcome: { kind: 'completed', answer } };
    };
    const finish = (reason: string): ObjectiveFigure => ({ kind: 'share', name: 'finish', reason });
    const seen = [chat('stop'), chat('stop'), chat('length'), failed()];
    expect(figureOf(never(finish('STOP')), seen)).toBe(50);
    expect(figureOf(never(finish('length')), seen)).toBe(25);
    expect(figureOf(never(finish('tool_calls')), seen)).toBe(0);
    expect(figureOf(never({ kind: 'share', name: 'finish' }), seen)).toBe(0);
  });

  it('finds a rate over the seconds after the warm-up, by the end of each answer', () => {
    const ends = (...moments: readonly number[]) =>
      moments.map((ended) => sampleObservation({ due: instant(1500), ended: instant(ended) }));
    const rate = never(completedRate);
    const seen = [...ends(1999, 2000, 2500, 2999, 4500, 6000), failed({ ended: instant(2100) })];
    expect(figureOf(rate, seen, { now: 6000 })).toBe(1);
    expect(figureOf(rate, seen, { now: 7000 })).toBe(1);
    expect(figureOf(rate, seen, { now: 3999 })).toBe(3);
    expect(figureOf(rate, seen, { now: 12_000 })).toBe(0.5);
    // What is counted at the end of its second alone is no rate of a run under way.
    expect(figureOf(never({ kind: 'rate', name: 'outputTokenRate' }), seen)).toBe(0);
  });

  it('finds a rate in the seconds of the stages that it names, whatever the stage of the request', () => {
    const [stage] = samplePlan().stages;
    const length = (seconds: number) => ({
      kind: 'closed' as const,
      users: 1,
      duration: milliseconds(seconds * 1000),
    });
    const stages = [
      { ...stage!, load: length(5) as never },
      { ...stage!, name: 'second', load: length(5) as never },
    ];
    const seen = [4500, 5500, 6500].map((ended) =>
      sampleObservation({ due: instant(4000), ended: instant(ended) }),
    );
    const rate = (name: string) =>
      figureOf(never(completedRate, { scope: { ...everything, stages: [name] } }), seen, {
        now: 9000,
        plan: { stages },
      });
    expect(rate('second')).toBe(0.5);
    expect(rate('steady')).toBeCloseTo(1 / 3, 12);
  });

  it('finds nothing of what only the end of a run shows', () => {
    const server: ObjectiveFigure = { kind: 'server', name: 'queueDepth', statistic: 'max' };
    const cached: ObjectiveFigure = { kind: 'token-share', name: 'cacheHits' };
    for (const figure of [server, cached])
      expect(figureOf(never(figure), [sampleObservation(), failed()])).toBeNull();
  });
});
