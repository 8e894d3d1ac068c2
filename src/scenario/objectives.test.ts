import { describe, expect, it } from 'vitest';
import { problemsText } from './text/scenario-problem.ts';
import { readScenario } from './read-scenario.ts';

const scenario = (objectives: string): string => `traffic:
  - { kind: chat-stream, model: publisher/big }
  - { kind: chat, model: publisher/small }
keys:
  - { name: blue, key: '\${env:BLUE}' }
stages:
  - { name: climb, load: { kind: stairs, from: 1/s, step: 1/s, every: 10s, steps: 2 } }
  - { name: peak, load: { kind: constant, rate: 5/s, duration: 30s } }
perRequest: [ttft < 500ms, 'e2e{traffic=chat} <= 5s']
objectives:
${objectives}`;

const read = (objectives: string, environment = {}) =>
  readScenario({ text: scenario(objectives), name: 'f.yaml', environment });

const planOf = (objectives: string) => {
  const reading = read(objectives);
  if (!reading.ok) throw new Error(problemsText(reading.problems, 'f.yaml'));
  return reading.plan;
};

const one = (text: string) => planOf(`  - '${text}'`).objectives[0];

const problemsOf = (text: string, environment = {}): string[] => {
  const reading = read(text, environment);
  return reading.ok ? [] : problemsText(reading.problems, 'f.yaml').split('\n');
};

describe('an objective', () => {
  it.each([
    ['ttft.p95 < 800ms', { kind: 'measure', name: 'ttft', statistic: 0.95 }, '<', 800],
    ['ttft.p99.9<=1.5s', { kind: 'measure', name: 'ttft', statistic: 0.999 }, '<=', 1500],
    ['e2e.median < 1m', { kind: 'measure', name: 'endToEnd', statistic: 0.5 }, '<', 60_000],
    ['gap.max < 0.5s', { kind: 'measure', name: 'gap', statistic: 'max' }, '<', 500],
    [
      'outputSpeed.mean > 20/s',
      { kind: 'measure', name: 'outputSpeed', statistic: 'mean' },
      '>',
      20,
    ],
    ['cost.mean < 0.002', { kind: 'measure', name: 'cost', statistic: 'mean' }, '<', 2000],
    ['errorRate < 0.5%', { kind: 'share', name: 'errorRate' }, '<', 0.5],
    ['goodput >= 95%', { kind: 'share', name: 'goodput' }, '>=', 95],
    ['finish{reason=length} < 5%', { kind: 'share', name: 'finish', reason: 'length' }, '<', 5],
    [
      'finish{reason="any, new", traffic=chat} <= 0%',
      { kind: 'share', name: 'finish', reason: 'any, new' },
      '<=',
      0,
    ],
    ['completedRate > 120/min', { kind: 'rate', name: 'completedRate' }, '>', 2],
    ['cacheHits > 80%', { kind: 'token-share', name: 'cacheHits' }, '>', 80],
    ['limited <= 0', { kind: 'count', name: 'limited' }, '<=', 0],
  ])('%s', (text, figure, comparison, bound) => {
    expect(one(text)).toMatchObject({ text, figure, comparison, bound, severity: 'fail' });
  });

  it('needs enough samples for ten to lie beyond its percentile, unless it says otherwise', () => {
    const minimum = (text: string) => one(text)?.minSamples;
    expect(minimum('ttft.p50 < 1s')).toBe(20);
    expect(minimum('ttft.p95 < 1s')).toBe(200);
    expect(minimum('ttft.p99 < 1s')).toBe(1000);
    expect(minimum('ttft.p5 > 1ms')).toBe(200);
    expect(minimum('ttft.mean < 1s')).toBe(30);
    expect(minimum('ttft.max < 1s')).toBe(1);
    expect(
      planOf('  - { objective: ttft.p95 < 1s, minSamples: 5 }').objectives[0]?.minSamples,
    ).toBe(5);
  });

  it('may cover only some arrivals; stairs are all their stages under one name', () => {
    expect(
      one('ttft.p95{traffic=chat-stream, model = publisher/big, key=blue, stage=climb} < 1s')
        ?.scope,
    ).toEqual({
      traffic: 'chat-stream',
      model: 'publisher/big',
      key: 'blue',
      stages: ['climb 1/s', 'climb 2/s'],
    });
    expect(one('errorRate{stage="climb 2/s"} < 1%')?.scope.stages).toEqual(['climb 2/s']);
    expect(one('errorRate{} < 1%')?.scope).toMatchObject({ traffic: null, stages: null });
  });

  it('has a long form', () => {
    const { objectives } = planOf(
      '  - { objective: errorRate < 5%, minSamples: 50, severity: fail, abort: { after: 30s } }',
    );
    expect(planOf('  - { objective: limited < 1, severity: warn }').objectives).toMatchObject([
      { severity: 'warn', abortAfter: null },
    ]);
    expect(objectives).toMatchObject([{ minSamples: 50, severity: 'fail', abortAfter: 30_000 }]);
  });

  it('can leave out 429s that a limit explains, by a label or in the long form', () => {
    const { objectives } = planOf(`  - e2e.p95{quota=excluded} < 1s
  - { objective: 'e2e.p99{ traffic=chat } < 1s', quota: excluded }
  - { objective: errorRate < 1%, quota: excluded }
  - { objective: 'failed{quota=excluded} < 1', quota: excluded }
  - errorRate < 1%`);
    expect(objectives.map(({ text, quota }) => [text, quota])).toEqual([
      ['e2e.p95{quota=excluded} < 1s', 'excluded'],
      ['e2e.p99{traffic=chat, quota=excluded} < 1s', 'excluded'],
      ['errorRate{quota=excluded} < 1%', 'excluded'],
      ['failed{quota=excluded} < 1', 'excluded'],
      ['errorRate < 1%', undefined],
    ]);
    expect(objectives.at(-1)).not.toHaveProperty('quota');
  });

  it('leaves them out too if a quoted label holds “quota=”, or a comma ends the labels', () => {
    const list = `  - { objective: 'errorRate{stage="x quota=1"} < 1%', quota: excluded }
  - { objective: 'errorRate{traffic=chat, } < 1%', quota: excluded }`;
    const text = scenario(list).replace('name: peak', 'name: x quota=1');
    const reading = readScenario({ text, name: 'f.yaml', environment: {} });
    expect(reading.ok && reading.plan.objectives).toMatchObject([
      { text: 'errorRate{stage="x quota=1", quota=excluded} < 1%', quota: 'excluded' },
      { text: 'errorRate{traffic=chat, quota=excluded} < 1%', quota: 'excluded' },
    ]);
  });

  it('on each request has a measure and optional labels', () => {
    expect(planOf('  []').perRequest).toMatchObject([
      { measure: 'ttft', comparison: '<', bound: 500, scope: { traffic: null } },
      { measure: 'endToEnd', comparison: '<=', bound: 5000, scope: { traffic: 'chat' } },
    ]);
  });
});

describe('an error in an objective is reported at its place', () => {
  it.each([
    [
      'tfft.p95 < 800ms',
      '"tfft" is neither a measure nor a figure of the run; did you mean "ttft"?',
    ],
    [
      'time_to_first_token.p95 < 800ms',
      '"time_to_first_token" is neither a measure nor a figure of the run; did you mean "ttft"?',
    ],
    [
      'errorrate < 1%',
      '"errorrate" is neither a measure nor a figure of the run; did you mean "errorRate"?',
    ],
    ['ttft < 800ms', '"ttft" is a distribution: it needs a statistic; for example ttft.p95'],
    [
      'ttft.p9x < 800ms',
      '"p9x" is not a statistic: expected a percentile such as p95, or mean, min, max or median; did you mean "p90"?',
    ],
    [
      'ttft.p100 < 800ms',
      '"p100" is not a statistic: expected a percentile such as p95, or mean, min, max or median',
    ],
    [
      'ttft.avg < 800ms',
      '"avg" is not a statistic: expected a percentile such as p95, or mean, min, max or median; did you mean "mean"?',
    ],
    ['errorRate.p95 < 1%', '"errorRate" is a single figure: it has no "p95"; leave ".p95" out'],
    ['ttft.p95 = 800ms', 'expected <, <=, > or >=, got "="'],
    [
      'ttft.p95 < 800',
      '"800" is not a bound for ttft: expected a length of time such as 30s, 500ms, 2m or 1h30m; a number needs its unit: 800s for seconds or 800ms for milliseconds',
    ],
    [
      'errorRate < 1',
      '"1" is not a bound for errorRate: expected a percentage from 0% to 100%, such as 99.5%; a number needs its unit: 1%',
    ],
    [
      'errorRate < 200%',
      '"200%" is not a bound for errorRate: expected a percentage from 0% to 100%, such as 99.5%',
    ],
    ['completed > 5/s', '"5/s" is not a bound for completed: expected a number of arrivals'],
    [
      'ttft.p95{modle=publisher/big} < 1s',
      '"modle" is not a label: expected traffic, model, key, stage, population, target or quota; did you mean "model"?',
    ],
    [
      'finish < 5%',
      '"finish" needs the reason that it counts; for example finish{reason=length} < 5%',
    ],
    [
      'finish{traffic=chat} < 5%',
      '"finish" needs the reason that it counts; for example finish{reason=length} < 5%',
    ],
    [
      'finish{raeson=length} < 5%',
      '"raeson" is not a label: expected reason, traffic, model, key, stage, population, target or quota; did you mean "reason"?',
    ],
    [
      'finish{reason=length, reason=stop} < 5%',
      'the label "reason" is set twice; keep one of them',
    ],
    [
      `finish{reason=${'x'.repeat(61)}} < 5%`,
      'a finish reason has at most 60 characters in results; for example finish{reason=length} < 5%',
    ],
    [
      'errorRate{reason=length} < 5%',
      '"reason" is not a label: expected traffic, model, key, stage, population, target or quota; only finish has a reason',
    ],
    [
      'ttft.p95{quota=counted} < 1s',
      '"counted" is no quota: expected excluded; write quota=excluded, or leave it out',
    ],
    ...(
      [
        ['ttft.mean{quota=excluded} < 1s', 'is of completed requests only'],
        ['gap.p95{quota=excluded} < 1s', 'is of completed requests only'],
        ['outputSpeed.p5{quota=excluded} > 20/s', 'is of completed requests only'],
        ['cacheHits{quota=excluded} > 5%', 'is of completed requests only'],
        ['completed{quota=excluded} > 5', 'counts no 429s'],
        ['completedRate{quota=excluded} > 5/s', 'counts events, of which no 429 is one'],
        ['server.waiting.p95{quota=excluded} < 5', 'is not of single requests'],
      ] as const
    ).map(([text, reason]) => [
      text,
      `quota=excluded leaves out 429s, and this figure ${reason}; percentiles of times that each request has, shares, failed and limited can have it`,
    ]),
    [
      'finish{reason=length} < 5',
      '"5" is not a bound for finish: expected a percentage from 0% to 100%, such as 99.5%; a number needs its unit: 5%',
    ],
    [
      'ttft.p95{model=publisher/bgi} < 1s',
      'no model of this scenario is called "publisher/bgi"; did you mean "publisher/big"?',
    ],
    [
      'ttft.p95{traffic=chatstream} < 1s',
      'no traffic of this scenario is called "chatstream"; did you mean "chat-stream"?',
    ],
    [
      'ttft.p95{stage=peek} < 1s',
      'no stage of this scenario is called "peek"; did you mean "peak"?',
    ],
    ['ttft.p95{key=green} < 1s', 'no key of this scenario is called "green"; expected one of blue'],
    ['ttft.p95{key=blue, key=blue} < 1s', 'the label "key" is set twice; keep one of them'],
    [
      'ttft.p95{key} < 1s',
      'expected labels such as {traffic=chat-stream, stage="climb 2/s"}, got "{key}"',
    ],
    [
      'ttft.p95{key=blue < 1s',
      '"ttft.p95{key=blue < 1s" is not an objective: expected a figure, a comparison and a bound; for example ttft.p95{traffic=chat-stream} < 800ms, or errorRate < 1%',
    ],
    [
      'ttft.p95{traffic=chat} < 1s',
      '"ttft" is measured for chat-stream only, and this objective covers no such request',
    ],
    [
      'ttft.p95{traffic=chat, model=publisher/big} < 1s',
      'no request of this scenario has all of these labels',
    ],
    [
      'firstAudio.p95 < 1s',
      '"firstAudio" is measured for speech only, and this objective covers no such request',
    ],
    [
      'completedRate{model=publisher/big} > 1/s',
      '"completedRate" has no figures by model; use stage or traffic',
    ],
    ['sentRate{traffic=chat} > 1/s', '"sentRate" has no figures by traffic; use stage'],
    [
      'fast please',
      '"fast please" is not an objective: expected a figure, a comparison and a bound; for example ttft.p95{traffic=chat-stream} < 800ms, or errorRate < 1%',
    ],
  ])('%s', (text, message) => {
    expect(problemsOf(`  - '${text}'`)).toEqual([`f.yaml:11:5: ${message}`]);
  });

  it('in the long form too, at its field', () => {
    expect(
      problemsOf(`  - objective: completed > 100
    minSamples: 3
    abort: { after: 30s }
  - { objective: sentRate > 1/s, abort: { after: 30s } }
  - { objective: ttft.p95 < 1s, minSamples: 0, severity: bad, abort: 30s }
  - { objektive: ttft.p95 < 1s }
  - 5
  - errorRate < 1%
  - errorRate < 1%
  - { objective: faultRate < 1%, severity: warn, abort: { after: 3s } }`),
    ).toMatchInlineSnapshot(`
      [
        "f.yaml:12:5: "completed" has no samples; leave "minSamples" out",
        "f.yaml:13:5: a minimum count cannot fail before the run ends; leave "abort" out",
        "f.yaml:14:34: "sentRate" is known only when the run ends; leave "abort" out",
        "f.yaml:15:45: expected a whole number from 1 to 1,000,000,000, got the number 0",
        "f.yaml:15:58: expected "fail" or "warn", got "bad"",
        "f.yaml:15:70: expected a mapping such as {after: 30s}, got "30s"",
        "f.yaml:16:7: unknown key "objektive"; did you mean "objective"?",
        "f.yaml:17:5: expected an objective such as "ttft.p95 < 800ms", or a mapping such as {objective: "errorRate < 1%", severity: warn}, got the number 5",
        "f.yaml:19:5: this objective is a duplicate; keep one of them",
        "f.yaml:20:50: an objective that only warns cannot end the run; keep one of the two",
      ]
    `);
  });

  it('if 429s are to be left out where no limit can explain them, or the run may end by them', () => {
    const problems = (more: string) =>
      problemsOf(`  - { objective: errorRate < 1%, quota: excluded }
  - errorRate{quota=excluded} < 1%
  - { objective: faultRate < 1%, quota: excluded, abort: { after: 3s } }
  - { objective: sent < 1, quota: excluded }
${more}`);
    expect(problems('limits: none\nretry: { attempts: 2 }')).toMatchInlineSnapshot(`
      [
        "f.yaml:11:18: quota=excluded leaves out 429s that a limit explains, and none is declared; add for example limits: {requestsPerMinute: 60}",
        "f.yaml:11:18: quota=excluded cannot be combined with "retry": each try is judged by itself; keep one of the two",
        "f.yaml:12:5: this objective is a duplicate; keep one of them",
        "f.yaml:12:5: quota=excluded leaves out 429s that a limit explains, and none is declared; add for example limits: {requestsPerMinute: 60}",
        "f.yaml:12:5: quota=excluded cannot be combined with "retry": each try is judged by itself; keep one of the two",
        "f.yaml:13:18: quota=excluded leaves out 429s that a limit explains, and none is declared; add for example limits: {requestsPerMinute: 60}",
        "f.yaml:13:18: quota=excluded cannot be combined with "retry": each try is judged by itself; keep one of the two",
        "f.yaml:13:51: which 429s a limit explains is judged when the run ends; leave "abort" out",
        "f.yaml:14:18: quota=excluded leaves out 429s, and this figure counts no 429s; percentiles of times that each request has, shares, failed and limited can have it",
      ]
    `);
  });

  it('in an objective on each request', () => {
    const text = `traffic: [{ kind: chat-stream, model: m }]
load: { kind: constant, rate: 1/s, duration: 9s }
objectives: [goodput > 90%]
`;
    const problems = (perRequest: string) => {
      const reading = readScenario({
        text: `${text}${perRequest}`,
        name: 'f.yaml',
        environment: {},
      });
      return reading.ok ? [] : problemsText(reading.problems, 'f.yaml').split('\n');
    };
    expect(problems('')).toMatchInlineSnapshot(`
      [
        "f.yaml:3:14: "goodput" needs "perRequest", which says what a good request is; add for example perRequest: ["ttft < 500ms", "e2e < 5s"]",
      ]
    `);
    expect(problems("perRequest: ['ttft.p95 < 1s', 'errorRate < 1%', 'tftt < 1s', 'ttft < 1']"))
      .toMatchInlineSnapshot(`
        [
          "f.yaml:4:14: a single request has no "p95": expected a measure alone; write ttft here, or move the whole objective to "objectives"",
          "f.yaml:4:31: "errorRate" is a figure of the whole run; move it to "objectives"",
          "f.yaml:4:49: "tftt" is not a measure; did you mean "ttft"?",
          "f.yaml:4:62: "1" is not a bound for ttft: expected a length of time such as 30s, 500ms, 2m or 1h30m; a number needs its unit: 1s for seconds or 1ms for milliseconds",
        ]
      `);
    expect(problems('perRequest: { ttft: 800ms }')).toMatchInlineSnapshot(`
      [
        "f.yaml:3:14: "goodput" needs "perRequest", which says what a good request is; add for example perRequest: ["ttft < 500ms", "e2e < 5s"]",
        "f.yaml:4:13: expected a list such as ["ttft < 500ms", "e2e < 5s"], got a mapping",
      ]
    `);
  });

  it('without repeating values of the environment', () => {
    const problems = problemsOf("  - '${env:GATE}'", { GATE: 'sk-secret' });
    expect(problems).toHaveLength(1);
    expect(problems[0]).not.toContain('sk-secret');
  });
});
