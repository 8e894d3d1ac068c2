import { describe, expect, it } from 'vitest';
import type { Plan } from '../../model/plan/plan.ts';
import { plansByTarget } from '../../model/plan/targets.ts';
import { planHash } from '../../model/plan/plan-hash.ts';
import { withoutPrompts } from '../../model/plan/without-prompts.ts';
import { readScenario } from '../read-scenario.ts';

const environment = { WEIR_API_KEY: 'common', A: 'a-key', B: 'b-key', TEAM: 'blue' };
const load = 'load: { kind: constant, rate: 1/s, duration: 5s }';

const read = (text: string, more: Partial<Parameters<typeof readScenario>[0]> = {}) =>
  readScenario({ text, name: 's.yaml', environment, ...more });

const problemsOf = (...given: Parameters<typeof read>): readonly string[] => {
  const reading = read(...given);
  return reading.ok
    ? []
    : reading.problems.map(({ line, flag, message, hint }) =>
        [flag ?? line, message, ...(hint === null ? [] : [hint])].join(': '),
      );
};

const planOf = (...given: Parameters<typeof read>): Plan => {
  const reading = read(...given);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.plan;
};

const two = `
traffic: [{ kind: models }]
targets:
  direct: http://127.0.0.1:1/v1
  gateway:
    url: http://127.0.0.1:2/v1
    keys: [{ name: a, key: '\${env:A}', limits: { requestsPerMinute: 7 } }, { name: b, key: '\${env:B}' }]
    auth: { header: X-Key }
    headers: { X-Team: '\${env:TEAM}' }
    wire: { http2: true }
    limits: { requestsPerMinute: 30 }
headers: { X-All: '\${env:TEAM}' }
populations:
  - { name: one, target: direct, ${load} }
  - { name: two, target: gateway, ${load} }
`;

describe('targets by name', () => {
  it('have what they say themselves, and otherwise what the scenario says', () => {
    const plan = planOf(two);
    expect(plan.keys).toEqual([
      { name: 'default@direct', template: '${env:WEIR_API_KEY}', weight: 1, target: 'direct' },
      {
        name: 'a@gateway',
        template: '${env:A}',
        weight: 1,
        target: 'gateway',
        limits: { requestsPerMinute: 7, tokensPerMinute: 2_000_000 },
      },
      {
        name: 'b@gateway',
        template: '${env:B}',
        weight: 1,
        target: 'gateway',
        limits: { requestsPerMinute: 30, tokensPerMinute: 2_000_000 },
      },
    ]);
    const [direct, gateway] = plansByTarget(plan) as [Plan, Plan];
    expect(direct).toMatchObject({ headers: { 'x-all': '${env:TEAM}' }, transport: 'socket' });
    expect(direct).not.toHaveProperty('auth');
    expect(gateway).toMatchObject({
      target: { kind: 'url', url: 'http://127.0.0.1:2/v1' },
      headers: { 'x-team': '${env:TEAM}' },
      auth: { header: 'x-key' },
      transport: 'undici',
      wire: { http2: true },
    });
    expect(gateway.headers).not.toHaveProperty('x-all');
    expect(direct.keys.map(({ name }) => name)).toEqual(['default@direct']);
    expect(gateway.stages.map(({ name }) => name)).toEqual(['two']);
  });

  it('are two budgets of one key that both use', () => {
    const plan = planOf(
      `
traffic: [{ kind: models }]
keys: [{ name: team, key: '\${env:A}' }]
targets: { x: 'http://127.0.0.1:1/v1', y: 'http://127.0.0.1:2/v1' }
populations:
  - { name: one, target: x, ${load} }
  - { name: two, target: y, ${load} }
  - { name: three, target: y, keys: '\${env:B}', ${load} }
objectives: ['failed{key=team, target=y} < 1', 'failed{key=team@x} < 1', 'failed{key=three} < 1', 'ttlb.p95{target=y} < 1s']
`.replace('ttlb', 'e2e'),
    );
    expect(plan.keys.map(({ name }) => name)).toEqual(['team@x', 'team@y', 'three@y']);
    expect(plan.objectives.map(({ scope: { key, stages } }) => [key, stages])).toEqual([
      ['team@y', ['two', 'three']],
      ['team@x', null],
      ['three@y', null],
      [null, ['two', 'three']],
    ]);
  });

  it('have a hash of all that they send, and results without what headers hold', () => {
    const plan = planOf(two);
    const other = planOf(two, { overrides: ['targets.gateway.url=http://127.0.0.1:9/v1'] });
    expect(planHash(other)).not.toBe(planHash(plan));
    const secret = planOf(
      two.replace("'${env:TEAM}' }\n    wire", "'x ${env:TEAM} y' }\n    wire"),
    );
    expect(JSON.stringify(withoutPrompts(secret))).not.toContain('x ${env');
  });

  it('are changed one by one from the command line, and not by one address for all', () => {
    const changed = planOf(two, { overrides: ['targets.direct=http://127.0.0.1:7/v1'] });
    expect(changed.targets?.[0]?.target).toEqual({ kind: 'url', url: 'http://127.0.0.1:7/v1' });
    expect(problemsOf(two, { target: 'http://127.0.0.1:7/v1' })).toEqual([
      '--target: this scenario has its targets by name (direct, gateway), so one address cannot take their place: change the address of one, for example --set targets.direct=https://host/v1',
    ]);
  });

  const small = (rest: string): string =>
    `traffic: [{ kind: models }]\nlimits: none\n${rest}`.trimEnd();
  it.each([
    [
      `targets: { x: mock }\n${load}`,
      '3: populations name their targets, and this scenario has no populations: add populations: [{name: …, target: x}], or use "target"',
    ],
    [
      `targets: { xray: mock, y: mock }\npopulations:\n  - { name: a, target: xry, ${load} }\n  - { name: b, ${load} }\n  - { name: c, target: y, ${load} }`,
      '5: no target of this scenario is called "xry": did you mean "xray"?',
      '6: "target" is missing: expected one of xray, y: each population names its target',
    ],
    [
      `targets: { xray: mock, y: mock }\npopulations:\n  - { name: c, target: y, ${load} }`,
      '3: no population names the target "xray": leave it out, or name it in a population',
    ],
    [
      `populations:\n  - { name: a, target: x, ${load} }`,
      '4: this scenario names no targets: add targets: {NAME: ADDRESS}, or leave it out',
    ],
    [
      `target: mock\ntargets: { x: mock }\npace: {}\nserver: { metrics: /m }\npopulations:\n  - { name: a, target: x, ${load} }`,
      '3: "target" cannot be combined with "targets", which populations name: leave "target" out',
      '5: "pace" sends with whichever key is free, and keys of targets differ: leave one of the two out',
      '5: the pace has no limit to keep: give it a rate, or declare the limits',
      '6: "server" reads the metrics of one server, and targets are several: leave one of the two out',
    ],
    [
      `targets: { 'x y': mock }\npopulations:\n  - { name: a, target: x y, ${load} }`,
      '3: "x y" is no name of a target: expected up to 60 letters, digits and the signs . _ -',
    ],
    [
      `headers: { x-a: b }\nwire: { http2: true }\ntargets: { x: { url: mock, headers: {}, keys: '\${env:A}' } }\npopulations:\n  - { name: a, target: x, keys: '\${env:B}', ${load} }`,
      '3: no target uses this "headers": each has its own: leave it out, or leave it out of a target',
      '5: no population uses these keys: each has its own: leave them out, or leave them out of a population',
    ],
    [
      `targets: { x: 'http://h/v1', y: { url: 'http://h/v1', limits: { requestsPerMinute: 5 } } }\npopulations:\n  - { name: a, target: x, ${load} }\n  - { name: b, target: y, ${load} }`,
      '3: the targets "x" and "y" have the same address and a key in common, whose limits would be counted twice: give them different keys, name one target in both populations, or say limits: none',
    ],
    [
      `targets: { x: 'http://h/v1', y: 'http://i/v1' }\nobjectives: ['failed{key=default} < 1', 'failed{target=z} < 1', 'failed{target=x, population=b} < 1', 'completedRate{target=x} > 1/s']\npopulations:\n  - { name: a, target: x, ${load} }\n  - { name: b, target: y, ${load} }`,
      '4: the key "default" is used at several targets, each with limits of its own: write key=default@x or key=default@y',
      '4: no target of this scenario is called "z": did you mean "x"?',
      '4: no request of this scenario has all of these labels',
      '4: "completedRate" is counted for the whole run: it has no figures by population: use a count such as completed, or leave the label out',
    ],
    [
      `objectives: ['failed{target=x} < 1']\n${load}`,
      '3: this scenario has no targets by name: leave the label out',
    ],
    [
      `targets: { x: { url: 'http://h/v1', keys: sk-secret-secret } }\npopulations:\n  - { name: a, target: x, ${load} }`,
      '3: a key does not belong in a scenario file: write ${env:NAME} to take it from an environment variable, ${secret:PATH} to read it from a file, or ${command:…} to take it from what a command prints',
    ],
    [
      `targets: { x: { url: 'http://h/v1', headers: { authorization: Bearer abcdefghijklmnopqrstuvwxyz }, auth: { header: x-k } }, y: { url: nothing.of/that }, z: { uri: mock } }\npopulations:\n  - { name: a, target: x, ${load} }\n  - { name: b, target: y, ${load} }\n  - { name: c, target: z, ${load} }`,
      '3: the value of the header "authorization" does not belong in a scenario file: write ${env:NAME} or ${secret:PATH} for it, for example Bearer ${env:NAME}',
      '3: expected mock, container, or the address of a gateway such as https://gateway.example/v1, got "nothing.of/that": an address must begin with http:// or https://',
      '3: unknown key "uri": did you mean "url"?',
    ],
  ])('says what is wrong with %s', (rest, ...said) => {
    expect(problemsOf(small(rest))).toEqual(said);
  });
});
