import { describe, expect, it } from 'vitest';
import type { Plan } from '../model/plan/plan.ts';
import { stageSpans } from '../model/plan/stage-spans.ts';
import { readScenario } from './read-scenario.ts';

const reading = (text: string, environment = {}) =>
  readScenario({ text, name: 's.yaml', environment });

const planOf = (text: string): Plan => {
  const read = reading(text);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.plan;
};

const problems = (text: string, environment = {}): readonly string[] => {
  const read = reading(text, environment);
  return read.ok ? [] : read.problems.map(({ line, message }) => `${line}: ${message}`);
};

const traffic = 'traffic: [{ kind: models }]\n';
const load = 'load: { kind: constant, rate: 1/s, duration: 10s }';
const two = (quiet: string, noisy: string, common = ''): string =>
  `${traffic}${common}populations:\n  - { name: quiet, ${quiet} }\n  - { name: noisy, ${noisy} }\n`;

it('keeps the limits of a key that several populations name', () => {
  const key = (limits: string): string => `keys: [{ name: a, key: '\${env:A}'${limits} }], ${load}`;
  const { keys } = planOf(two(key(', limits: { requestsPerMinute: 60 }'), key('')));
  expect(keys).toHaveLength(1);
  expect(keys[0]!.limits).toMatchObject({ requestsPerMinute: 60 });
});

describe('populations', () => {
  const plan = planOf(`${traffic}${load}
keys: [{ name: a, key: '\${env:A}' }, { name: b, key: '\${env:B}', weight: 3 }]
retry: { attempts: 2 }
populations:
  - name: quiet
    objectives: ["e2e.p95 < 1s", { objective: "errorRate{traffic=models} < 1%", severity: warn }]
  - name: team two
    after: 30s
    keys: \${env:TWO}
    retry: none
    traffic: [{ kind: chat, model: m, prompt: hi }]
    stages:
      - { name: low, load: { kind: closed, users: 2, duration: 5s } }
      - { name: climb, load: { kind: stairs, from: 1/s, step: 1/s, steps: 2, every: 5s } }
objectives: ["e2e.p95{stage=low} < 1s", "e2e.p95{population=team two} < 2s", "completed > 1"]
`);

  it('take from the scenario what they do not say themselves', () => {
    expect(plan.populations).toEqual([
      {
        name: 'quiet',
        after: 0,
        keys: [
          { name: 'a', weight: 1 },
          { name: 'b', weight: 3 },
        ],
        retry: expect.objectContaining({ attempts: 2 }) as unknown,
      },
      { name: 'team two', after: 30_000, keys: [{ name: 'team two', weight: 1 }], retry: null },
    ]);
    expect(plan.keys.map(({ name }) => name)).toEqual(['a', 'b', 'team two']);
    expect(plan.stages.map(({ traffic: [entry] }) => entry!.kind)).toEqual([
      'models',
      'chat',
      'chat',
      'chat',
    ]);
  });

  it('run beside each other, their own stages one after another', () => {
    expect(stageSpans(plan)).toEqual([
      { name: 'quiet', from: 0, to: 10_000 },
      { name: 'team two/low', from: 30_000, to: 35_000 },
      { name: 'team two/climb 1/s', from: 35_000, to: 40_000 },
      { name: 'team two/climb 2/s', from: 40_000, to: 45_000 },
    ]);
  });

  it('are labels of objectives, and have their own objectives', () => {
    expect(plan.objectives.map(({ text, scope: { stages } }) => [text, stages])).toEqual([
      ['e2e.p95{stage=low} < 1s', ['team two/low']],
      [
        'e2e.p95{population=team two} < 2s',
        ['team two/low', 'team two/climb 1/s', 'team two/climb 2/s'],
      ],
      ['completed > 1', null],
      ['e2e.p95{population=quiet} < 1s', ['quiet']],
      ['errorRate{traffic=models, population=quiet} < 1%', ['quiet']],
    ]);
  });

  it('leave a plan without them as it was', () => {
    const plain = planOf(`${traffic}${load}`);
    expect(plain).not.toHaveProperty('populations');
    expect(Object.keys(plain.stages[0]!)).toEqual(['name', 'load', 'traffic']);
  });

  it('need no key of the scenario if each has its own', () => {
    const text = two(
      `keys: '\${env:A}', ${load}`,
      `keys: '\${env:B}', ${load}`,
      'target: https://x/v1\n',
    );
    expect(problems(text, { A: 'x' })).toEqual(['5: the environment variable B is not set']);
    expect(problems(text, { A: 'x', B: 'y' })).toEqual([]);
  });

  it.each([
    [
      'a name used twice',
      two(load, load).replace('noisy', 'quiet'),
      'population names must differ; "quiet" is used twice',
    ],
    ['an empty name', two(load, load).replace('noisy', "''"), 'expected'],
    [
      'a name that no objective could have',
      two(load, load).replace('noisy', "'a,b'"),
      'expected letters, digits',
    ],
    ['no populations', `${traffic}${load}\npopulations: []`, 'expected at least one population'],
    ['populations within one', two(load, `populations: [], ${load}`), 'populations'],
    ['no load', two(load, 'after: 1s'), '"load" is missing'],
    [
      'a load and stages',
      two(load, `${load}, stages: [{ name: s, ${load} }]`),
      'a population has either "load" or "stages"',
    ],
    [
      'a load that none uses',
      two(load, load, `${load}\n`),
      'no population uses this "load": each has its own',
    ],
    [
      'a mix that none uses',
      two(`${load}, traffic: [{ kind: models }]`, `${load}, traffic: [{ kind: models }]`),
      'no population uses this "traffic"',
    ],
    [
      'one name for two keys',
      two(
        `${load}, keys: [{ name: k, key: '\${env:A}' }]`,
        `${load}, keys: [{ name: k, key: '\${env:B}' }]`,
      ),
      'two populations have different keys of the name "k"',
    ],
    [
      'a pace over populations with their own keys',
      two(load, `${load}, keys: '\${env:B}'`, 'pace: {requests: 5/s}\n'),
      '"pace" cannot be combined with populations that have keys of their own',
    ],
    [
      'until',
      two(load, load, 'until: decided\nobjectives: ["e2e.p95 < 1s"]\n'),
      '"until" cannot end a run with populations',
    ],
    [
      'a found warm-up',
      two(load, load, 'warmUp: auto\n'),
      '"warmUp: auto" cannot be combined with populations',
    ],
    [
      'a saturating load',
      two(load, 'load: { kind: saturate, connections: 2, duration: 5s }'),
      'a load of the kind "saturate"',
    ],
    [
      'more users than may be in flight',
      two(
        'load: { kind: closed, users: 6, duration: 5s }',
        'load: { kind: closed, users: 6, duration: 5s }',
        'inFlight: 10\n',
      ),
      '12 users of all populations are more than "inFlight" allows (10)',
    ],
    [
      'an unknown population',
      two(load, load, 'objectives: ["e2e.p95{population=noise} < 1s"]\n'),
      'no population of this scenario is called "noise"',
    ],
    [
      'a population in a scenario without any',
      `${traffic}${load}\nobjectives: ["e2e.p95{population=a} < 1s"]`,
      'this scenario has no populations',
    ],
    [
      'an objective of one that names a population itself',
      two(`${load}, objectives: ["e2e.p95{population=b} < 1s"]`, load),
      'this objective is of the population "quiet" already',
    ],
    [
      'a rate of one',
      two(`${load}, objectives: ["completedRate > 1/s"]`, load),
      '"completedRate" is counted for the whole run',
    ],
    [
      'explained 429s of one',
      two(
        `${load}, objectives: ["errorRate{quota=excluded} < 1%"]`,
        load,
        'limits: {requestsPerMinute: 60}\n',
      ),
      'quota=excluded has no figures by population',
    ],
    [
      'traffic of another',
      two(
        `${load}, objectives: ["e2e.p95{traffic=chat} < 1s"]`,
        `${load}, traffic: [{ kind: chat, model: m, prompt: hi }]`,
      ),
      'no traffic of this scenario is called "chat"',
    ],
    [
      'a key in the file',
      two(load, `${load}, keys: sk-1`),
      'a key does not belong in a scenario file',
    ],
  ])('refuse %s with a sentence', (_, text, message) => {
    const found = problems(text);
    expect(found.filter((each) => each.includes(message))).toHaveLength(1);
    expect(found.join()).not.toContain('sk-1');
  });
});
