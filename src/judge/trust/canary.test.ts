import { describe, expect, it } from 'vitest';
import type { GeneratorSample, Result } from '../../model/result/result.ts';
import type { TrustSignal } from '../../model/result/verdict.ts';
import { healthyResult, sampleSeconds, sampleJudgedSlice } from '../sample-result.fixture.ts';
import { judgeTrust } from './judge-trust.ts';

const repeated = <T>(value: T, length: number): readonly T[] => Array.from({ length }, () => value);
const generating = (samples: readonly Partial<GeneratorSample>[]): Result =>
  healthyResult({ slices: [sampleJudgedSlice(sampleSeconds(samples))] });
const evidence = (result: Result, signal: string): TrustSignal | undefined =>
  judgeTrust(result).evidence.find((each) => each.signal === signal);
const complaints = (result: Result): readonly (readonly string[])[] =>
  judgeTrust(result)
    .evidence.filter(({ level }) => level !== 'valid')
    .map(({ signal, level }) => [signal, level]);

describe('the canary', () => {
  /** Returns a run whose self-test streams read 360 of 400 events a second at once, and the others `late` ms late. */
  const reading = (late: number, seconds = 30): Result =>
    generating(
      repeated(
        {
          canary: {
            streams: 20,
            errors: [
              [0.05, 360],
              [late, 40],
            ],
          },
        },
        seconds,
      ),
    );

  it.each([
    [1, []],
    [1.1, [['canary', 'degraded']]],
    [5, [['canary', 'degraded']]],
    [5.1, [['canary', 'invalid']]],
  ] as const)('with a p99 lateness of %f ms gives %j', (late, expected) => {
    expect(complaints(reading(late))).toEqual(expected);
  });

  it('is reported with its figures at every level', () => {
    expect(evidence(reading(0.4), 'canary')).toMatchObject({
      level: 'valid',
      observed:
        'p99 0.4 ms, maximum 0.4 ms, over 11,600 events; the first second is not judged: p99 0.4 ms, maximum 0.4 ms, over 400 events',
      advice: null,
    });
    expect(evidence(reading(6), 'canary')?.advice).toContain('independent of the target');
  });

  /** Two seconds are judged. They have 200 events, three of them `late` ms late because of one pause. */
  const readingBriefly = (late: number): Result => {
    const smooth: GeneratorSample['canary'] = { streams: 5, errors: [[0.05, 100]] };
    const once: GeneratorSample['canary'] = {
      streams: 5,
      errors: [
        [0.05, 97],
        [late, 3],
      ],
    };
    return generating([smooth, once, smooth].map((canary) => ({ canary })));
  };

  it('does not invalidate a short run because of one pause', () => {
    expect(evidence(readingBriefly(30), 'canary')).toMatchObject({
      level: 'valid',
      observed: expect.stringContaining(
        'p99 30 ms, maximum 30 ms, over 200 events; too few events for a p99: judged by its lower bound of 0.05 ms',
      ) as string,
    });
  });

  it.each([
    [0.9, false],
    [1.5, true],
  ])('with few events and a p99 of %f ms names the lower bound: %s', (late, isNamed) => {
    const found = evidence(readingBriefly(late), 'canary');
    expect(found?.observed.includes('judged by its lower bound of 0.05 ms')).toBe(isNamed);
  });

  it('with many events is judged by its p99, and says nothing of a bound', () => {
    expect(evidence(reading(1.5), 'canary')).toMatchObject({
      level: 'degraded',
      observed: expect.not.stringContaining('lower bound') as string,
    });
  });

  it('has the level of the worst slice', () => {
    const slices = [0.2, 7].map((late, index) =>
      sampleJudgedSlice(
        sampleSeconds(repeated({ canary: { streams: 20, errors: [[late, 400]] } }, 30)),
        {
          index,
          count: 2,
        },
      ),
    );
    expect(evidence(healthyResult({ slices }), 'canary')).toMatchObject({
      level: 'invalid',
      observed: expect.stringContaining('slice 1/2: p99 7 ms') as string,
    });
  });

  const calm: GeneratorSample['canary'] = { streams: 20, errors: [[0.05, 400]] };
  const dead: GeneratorSample['canary'] = { streams: 0, errors: [] };

  it.each([
    [1, 'valid', '3.4 % of them are missing'],
    [2, 'degraded', '6.9 % of them are missing'],
    [29, 'degraded', 'no events were read'],
  ] as const)('that ended %i of 29 seconds early makes a run %s', (silent, level, text) => {
    const seconds = Array.from({ length: 30 }, (_, n) => (n >= 30 - silent ? dead : calm));
    const found = evidence(generating(seconds.map((canary) => ({ canary }))), 'canary');
    expect(found?.level).toBe(level);
    expect(found?.observed).toContain(text);
    if (level === 'degraded') expect(found?.advice).toContain('is not verified');
  });

  it('proves nothing while its own process was delayed, even if that reported in each second', () => {
    const held: GeneratorSample['canary'] = { streams: 20, errors: [[0.1, 20]] };
    expect(evidence(generating(repeated({ canary: held }, 30)), 'canary')).toMatchObject({
      level: 'degraded',
      observed: expect.stringContaining('over 580 events; 95 % of them are missing') as string,
    });
  });

  it('is not reported if it did not run', () => {
    expect(evidence(generating(repeated({ canary: null }, 30)), 'canary')).toBeUndefined();
    expect(evidence(healthyResult(), 'canary')).toBeUndefined();
  });
});
