import { expect, it } from 'vitest';
import { measureNames, measures } from '../../model/measures/measures.ts';
import { type ObjectiveFigure, unitOfFigure } from '../../model/plan/objective.ts';
import { readBound } from './objective-bound.ts';

const written: Readonly<Record<string, string>> = {
  ms: '1.5s',
  s: '1500ms',
  'ms/s': '0.5x',
  'tokens/s': '20/s',
  'characters/s': '20/s',
  tokens: '20',
  'tokens/chunk': '1.5',
  characters: '20',
  models: '3',
  bytes: '2KB',
  '%': '120%',
  µ: '0.002',
};

it('a bound of each unit is read in that unit', () => {
  const names = Map.groupBy(measureNames, (name) => measures[name].unit);
  const bounds = [...names].map(([unit, [name]]) => [
    unit,
    readBound({ kind: 'measure', name: name!, statistic: 'mean' }, written[unit]!),
  ]);
  expect(Object.fromEntries(bounds)).toMatchInlineSnapshot(`
    {
      "%": {
        "bound": 120,
      },
      "bytes": {
        "bound": 2000,
      },
      "characters": {
        "bound": 20,
      },
      "characters/s": {
        "bound": 20,
      },
      "models": {
        "bound": 3,
      },
      "ms": {
        "bound": 1500,
      },
      "ms/s": {
        "bound": 500,
      },
      "s": {
        "bound": 1.5,
      },
      "tokens": {
        "bound": 20,
      },
      "tokens/chunk": {
        "bound": 1.5,
      },
      "tokens/s": {
        "bound": 20,
      },
      "µ": {
        "bound": 2000,
      },
    }
  `);
});

const figures: readonly (readonly [string, ObjectiveFigure])[] = [
  ['20', { kind: 'count', name: 'limited' }],
  ['5%', { kind: 'share', name: 'errorRate' }],
  ['20/s', { kind: 'server', name: 'inputTokens', statistic: 'mean' }],
  ['20', { kind: 'server', name: 'running', statistic: 'max' }],
  ['90%', { kind: 'server', name: 'cacheUse', statistic: 'max' }],
  ['1.5s', { kind: 'server', name: 'queueTime', statistic: 'max' }],
  ['7', { kind: 'server', name: 'own', statistic: 'max' }],
];
it('so is one of a count, a share, and a figure of the server', () => {
  expect(figures.map(([text, figure]) => [unitOfFigure(figure), readBound(figure, text).bound]))
    .toMatchInlineSnapshot(`
    [
      [
        "",
        20,
      ],
      [
        "%",
        5,
      ],
      [
        "/s",
        20,
      ],
      [
        "requests",
        20,
      ],
      [
        "%",
        90,
      ],
      [
        "ms",
        1500,
      ],
      [
        "number",
        7,
      ],
    ]
  `);
});

it('a bound without its unit, or with too many words, gets advice', () => {
  const share: ObjectiveFigure = { kind: 'share', name: 'errorRate' };
  const time: ObjectiveFigure = { kind: 'measure', name: 'ttft', statistic: 0.95 };
  const texts = ['0', '0.05', '1', '1 and more', '1 for all', '5 percents of it'];
  expect(texts.map((text) => readBound(share, text).advice)).toMatchInlineSnapshot(`
    [
      "a number needs its unit: 0%",
      "write 5% for the share 0.05, or 0.05%",
      "a number needs its unit: 1%",
      "write two objectives: ["ttft.p95 < 800ms", "errorRate < 1%"]",
      "for a share of the requests write perRequest: [e2e < 800ms] and the objective goodput > 95%",
      "for a share of the requests write perRequest: [e2e < 800ms] and the objective goodput > 95%",
    ]
  `);
  expect(['0.5', '800 MS', '800ms, 1s'].map((text) => readBound(time, text)))
    .toMatchInlineSnapshot(`
    [
      {
        "advice": "a number needs its unit: 0.5s for seconds or 0.5ms for milliseconds",
        "expected": "a length of time such as 30s, 500ms, 2m or 1h30m",
      },
      {
        "advice": "write 800ms",
        "expected": "a length of time such as 30s, 500ms, 2m or 1h30m",
      },
      {
        "advice": "write two objectives: ["ttft.p95 < 800ms", "errorRate < 1%"]",
        "expected": "a length of time such as 30s, 500ms, 2m or 1h30m",
      },
    ]
  `);
});
