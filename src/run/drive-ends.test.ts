import { describe, expect, it } from 'vitest';
import type { RunningSlice } from '../engine/slice-options.ts';
import type { Clock } from '../model/clock.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { instant } from '../model/quantity.ts';
import { type DrivenSlice, endWhenDecided, openingLine, stopOnFound } from './drive.ts';
import { partialReason } from './run.ts';
import { readyTarget } from './target/ready-target.fixture.ts';
import { combineObservers } from './watch/observer.ts';

/** What ends a load early, and the words for it; the clock is of the test. */

const driving = () => {
  let tick = (): void => undefined;
  const seen = { intervals: [] as number[], stops: [] as number[], ends: 0, releases: 0 };
  let now = 0;
  const clock = {
    now: () => instant(now),
    every: (interval: number, listener: () => void) => {
      seen.intervals.push(interval);
      tick = listener;
      return () => void (seen.releases += 1);
    },
  } as unknown as Clock;
  const running = {
    stop: (grace: number) => void seen.stops.push(grace),
    endLoad: () => void (seen.ends += 1),
    progress: () => ({ due: 3, inFlight: 1 }),
  } as unknown as RunningSlice;
  const said: string[] = [];
  const say = (text: string): void => void said.push(text);
  const tickAt = (moment: number): void => {
    now = moment;
    tick();
  };
  return { clock, running, seen, said, say, tickAt };
};

it('a finding is looked for once a second, ends the load with two seconds of grace, and is said once', () => {
  const { clock, running, seen, said, say, tickAt } = driving();
  let answers: readonly (string | null)[] = [null, 'one', 'two'];
  const find = () => {
    const [first = null, ...rest] = answers;
    answers = rest;
    return first;
  };
  const watch = stopOnFound(clock, running, say, { find, textOf: (text) => `because of ${text}` });
  expect([seen.intervals, watch.found()]).toEqual([[1000], null]);
  tickAt(1000);
  expect([watch.found(), seen.stops, said]).toEqual([null, [], []]);
  tickAt(2000);
  tickAt(3000);
  expect([watch.found(), seen.stops]).toEqual(['one', [2000]]);
  expect(said).toEqual(['ending: because of one']);
  watch.release();
  expect(seen.releases).toBe(1);
});

it('a load whose objectives are decided ends, but not at or after its planned end', () => {
  const decidingFrom = (from: number) => {
    const driven = driving();
    const { clock, running, say } = driven;
    const asked: unknown[] = [];
    const observer = combineObservers([
      {
        isDecided: (now, progress) => {
          asked.push([now, progress.due]);
          return now >= from;
        },
      },
    ]);
    const context = { observer, say, onStop: () => () => undefined, canary: null };
    const decision = endWhenDecided(clock, { running, until: instant(5000) }, context);
    return { ...driven, asked, decision };
  };
  const early = decidingFrom(2000);
  for (const moment of [1000, 2000, 3000]) early.tickAt(moment);
  expect(early.seen.intervals).toEqual([1000]);
  expect(early.asked).toEqual([
    [1000, 3],
    [2000, 3],
  ]);
  expect([early.decision.at(), early.seen.ends, early.seen.stops]).toEqual([2000, 1, []]);
  expect(early.said).toEqual(['ending: every objective is sure']);
  early.decision.release();
  expect(early.seen.releases).toBe(1);
  const late = decidingFrom(4999);
  for (const moment of [5000, 6000]) late.tickAt(moment);
  expect([late.decision.at(), late.seen.ends, late.said]).toEqual([null, 0, []]);
  late.tickAt(4999);
  expect([late.decision.at(), late.seen.ends]).toEqual([4999, 1]);
});

describe('the first line of a run', () => {
  const lineOf = (changes: Parameters<typeof samplePlan>[0], ...addresses: readonly string[]) =>
    openingLine(
      { plan: samplePlan(changes) } as never,
      { targets: addresses.map((address) => readyTarget(address)) } as never,
    );
  const end = 'Ctrl-C ends it early and keeps the report.';

  it.each([
    ['url', ''],
    ['mock', ', the embedded reference gateway'],
    ['container', ', the reference gateway in a container'],
  ])('says where the load goes: %s', (kind, suffix) => {
    const target = { kind, url: 'http://x/v1' } as never;
    expect(lineOf({ target }, 'http://x/v1')).toBe(
      `sample: 25 s against http://x/v1${suffix}. ${end}`,
    );
  });

  it('names each of several targets', () => {
    const { wire } = samplePlan();
    const target = (kind: string) => ({ kind, url: 'http://x/v1' }) as never;
    const targets = [
      { name: 'old', wire, target: target('url') },
      { name: 'new', wire, target: target('mock') },
    ] as never;
    const keys = ['old', 'new'].map((name) => ({ name, template: '', weight: 1, target: name }));
    expect(lineOf({ targets, keys }, 'http://one/v1', 'http://two/v1')).toBe(
      `sample: 25 s against old http://one/v1 and new http://two/v1, the embedded reference gateway. ${end}`,
    );
  });
});

describe('a load that ended early', () => {
  const whole: DrivenSlice = {
    startedAt: '',
    loadEnded: instant(90_000),
    stoppedBy: null,
    breach: null,
    refusal: null,
    decidedAt: null,
    exhaustedBudget: null,
    lostLease: false,
    isCutShort: false,
    notes: [],
    slices: [],
    workerResults: [],
    lostSlices: [],
  };
  const breach = { text: 'errorRate < 1%', at: instant(61_000), observed: 3 };
  it.each<[Partial<DrivenSlice>, string | null, string | null]>([
    [{}, null, null],
    [{ isCutShort: true }, null, null],
    [{ breach }, null, 'ended after 61 s, since the objective errorRate < 1% was broken'],
    [{ refusal: 'no key works' }, null, 'ended after 90 s, since no key works'],
    [
      { breach, refusal: 'no key works' },
      null,
      'ended after 61 s, since the objective errorRate < 1% was broken',
    ],
    [
      { exhaustedBudget: 'tokens', lostLease: true },
      null,
      'ended after 90 s, since the next request might have passed budget.tokens',
    ],
    [
      { lostLease: true, stoppedBy: 'SIGINT' },
      null,
      'ended after 90 s, since the coordinator was silent',
    ],
    [
      { stoppedBy: 'SIGINT', isCutShort: true },
      null,
      'stopped by SIGINT before the load had ended',
    ],
    [{ stoppedBy: 'SIGTERM' }, null, 'stopped by SIGTERM while waiting for the last answers'],
    [{}, 'the gateway ended', 'the gateway ended'],
    [
      { lostLease: true, lostSlices: ['one is lost', 'two is lost'] },
      'the gateway ended',
      'ended after 90 s, since the coordinator was silent; one is lost; two is lost; the gateway ended',
    ],
  ])('says why it is incomplete: %j', (differing, lost, reason) => {
    expect(partialReason({ ...whole, ...differing }, lost)).toBe(reason);
  });
});
