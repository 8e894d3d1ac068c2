import { describe, expect, it } from 'vitest';
import { type ProbePhase, probePhases } from '../../../model/limits/limit-log.ts';
import { milliseconds } from '../../../model/quantity.ts';
import {
  evenRequests,
  maxEvenWindows,
  phaseBudget,
  probeBudgetFor,
  repeatedEvenRequests,
} from './request-budget.ts';
import type { ProbeModels } from './probe-requests.ts';
import { probeRequestBuilders } from './probe-requests.ts';

const minute = { limit: 60, window: milliseconds(60_000) };
const second = { limit: 5, window: milliseconds(6000) };
const all = Object.keys(probePhases) as readonly ProbePhase[];

describe('the budget of an examination', () => {
  const lines = (rule: typeof minute, phases: readonly ProbePhase[], hasSecondKey: boolean) =>
    phases.map((phase) => {
      const { usual, most, time } = phaseBudget(phase, { rule, hasSecondKey, sustain: 3, phases });
      return `${phase}: ${usual}, at most ${most}, ${Math.round(time)} ms`;
    });

  it('is that of each phase, which is less beside others', () => {
    expect(lines(minute, all, true)).toMatchInlineSnapshot(`
      [
        "counting: 31, at most 31, 39863 ms",
        "even: 41, at most 161, 52722 ms",
        "provocation: 134, at most 343, 158000 ms",
        "sustained: 152, at most 431, 108000 ms",
        "concurrency: 83, at most 278, 129000 ms",
        "exhausted: 11, at most 11, 0 ms",
      ]
    `);
    expect(lines(second, all, false)).toMatchInlineSnapshot(`
      [
        "counting: 31, at most 31, 51987 ms",
        "even: 0, at most 10, 0 ms",
        "provocation: 24, at most 109, 16300 ms",
        "sustained: 13, at most 38, 10800 ms",
        "concurrency: 19, at most 58, 13900 ms",
        "exhausted: 6, at most 6, 0 ms",
      ]
    `);
    expect(lines(minute, ['even'], false)).toMatchInlineSnapshot(`
      [
        "even: 72, at most 192, 92585 ms",
      ]
    `);
    expect(lines(minute, ['provocation', 'concurrency'], false)).toMatchInlineSnapshot(`
      [
        "provocation: 113, at most 149, 87000 ms",
        "concurrency: 83, at most 278, 129000 ms",
      ]
    `);
    expect(lines(minute, ['concurrency', 'provocation'], false)).toMatchInlineSnapshot(`
      [
        "concurrency: 83, at most 278, 6000 ms",
        "provocation: 113, at most 149, 149000 ms",
      ]
    `);
  });

  it('is the sum of its phases, with its tokens, time and money', () => {
    const options = { rule: minute, hasSecondKey: true, sustain: 3 };
    expect(probeBudgetFor(all, options, { input: 150_000, output: 600_000 }))
      .toMatchInlineSnapshot(`
      {
        "cost": 3987,
        "max": 1255,
        "time": 487584.6779661017,
        "tokens": {
          "max": 21280,
          "typical": 7010,
        },
        "typical": 452,
      }
    `);
    expect(probeBudgetFor(['provocation'], options, null)).toMatchInlineSnapshot(`
      {
        "cost": null,
        "max": 149,
        "time": 87000,
        "tokens": {
          "max": 2384,
          "typical": 1681,
        },
        "typical": 113,
      }
    `);
  });

  it('of an even pace is above the limit by a fifth, from 2 to 12 requests, or a twentieth', () => {
    expect(
      [1, 10, 11, 59, 60, 61, 240, 241, 1000].map((limit) => evenRequests({ ...minute, limit })),
    ).toEqual([3, 12, 14, 71, 72, 73, 252, 254, 1050]);
    expect(repeatedEvenRequests(minute)).toBe(120);
    expect(
      [
        { limit: 9, window: 60_000 },
        { limit: 10, window: 60_000 },
        { limit: 10, window: 15_000 },
        { limit: 9, window: 22_500 },
      ].map(({ limit, window }) => maxEvenWindows({ limit, window: milliseconds(window) })),
    ).toEqual([2.5, 2, 3, 2.5]);
  });
});

describe('the requests of a probe', () => {
  const models: ProbeModels = {
    chat: 'c',
    otherChat: 'o',
    speech: 's',
    transcription: 't',
    voice: 'v',
    listed: [],
  };
  const none: ProbeModels = { ...models, otherChat: null, speech: null, transcription: null };

  it('are these', () => {
    const texts = Object.entries(probeRequestBuilders).map(([name, build]) => {
      const prepared = build(models)!;
      const { request, asked, giveUp, wrongKey } = prepared;
      const body = request.body === null ? '' : Buffer.from(request.body).toString('latin1');
      const text = body
        .replaceAll('Nothing of this matters. ', '.')
        .replaceAll(/-{2,}[\w-]+/g, 'BOUNDARY')
        .replaceAll(/[^ -~]+/g, ' ');
      return `${name}: ${request.method} ${request.path} ${JSON.stringify(asked)} ${giveUp} ${wrongKey} ${Object.keys(request.headers).join()} ${body.length}: ${text.slice(0, 260)}`;
    });
    expect(texts).toMatchSnapshot();
  });

  it('are none where the target offers no model for them', () => {
    const missing = Object.entries(probeRequestBuilders).flatMap(([name, build]) =>
      build(none) === null ? [name] : [],
    );
    expect(missing).toEqual(['speech', 'transcription', 'other-model']);
  });
});
