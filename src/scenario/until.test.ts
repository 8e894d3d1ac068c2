import { describe, expect, it } from 'vitest';
import { loadDuration } from '../model/plan/plan.ts';
import { readScenario } from './read-scenario.ts';

const reading = (fields: string, load = '{ kind: constant, rate: 1/s }') =>
  readScenario({
    text: `traffic: [{ kind: models }]\nload: ${load}\n${fields}`,
    name: 's.yaml',
    environment: {},
  });

const objectives = 'objectives: ["e2e.p95 < 1s"]';

const problems = (fields: string, load?: string): readonly string[] => {
  const read = reading(fields, load);
  return read.ok ? [] : read.problems.map(({ message, hint }) => `${message} | ${hint}`);
};

const durationOf = (fields: string, load?: string): number | null => {
  const read = reading(fields, load);
  return read.ok ? loadDuration(read.plan.stages.at(-1)!.load) : null;
};

describe('until: decided', () => {
  it('lets the load last as long as atMost says, whatever its own duration', () => {
    const untilDecided = `until: decided\natMost: 20m\n${objectives}`;
    expect(reading(untilDecided)).toMatchObject({ ok: true, plan: { until: 'decided' } });
    expect(durationOf(untilDecided)).toBe(1_200_000);
    expect(durationOf(untilDecided, '{ kind: closed, users: 2, duration: 5s }')).toBe(1_200_000);
  });

  it('lets the load last as long as its duration without atMost', () => {
    const load = '{ kind: constant, rate: 1/s, duration: 5m }';
    expect(durationOf(`until: decided\n${objectives}`, load)).toBe(300_000);
    expect(problems(`until: decided\n${objectives}`)).toEqual([
      expect.stringContaining('"duration" is missing'),
    ]);
  });

  it('bounds the last of several stages', () => {
    const read = readScenario({
      text: `traffic: [{ kind: models }]
stages:
  - { name: rise, load: { kind: ramping, steps: [{ to: 5/s, over: 10s }] } }
  - { name: hold, load: { kind: constant, rate: 5/s } }
until: decided
atMost: 2m
objectives: ["e2e.p95{stage=hold} < 1s"]`,
      name: 's.yaml',
      environment: {},
    });
    expect(read.ok && read.plan.stages.map(({ load }) => loadDuration(load))).toEqual([
      10_000, 120_000,
    ]);
  });

  it('does not wait for an objective that leaves 429s out, in either form', () => {
    const refused =
      '"until: decided" cannot wait for an objective with quota=excluded: which 429s a limit explains is judged when the run ends | leave out one of the two';
    const fields = (item: string): string =>
      `until: decided\natMost: 1m\nlimits: { requestsPerMinute: 60 }\nobjectives: [${item}]`;
    expect(problems(fields('"errorRate{quota=excluded} < 1%"'))).toEqual([refused]);
    expect(problems(fields('{ objective: errorRate < 1%, quota: excluded }'))).toEqual([refused]);
  });

  it('needs an objective that can become sure', () => {
    const needs =
      '"until: decided" needs an objective that can become sure: on a percentile, a mean, a share or a rate | for example objectives: ["ttft.p95 < 800ms"]';
    expect(problems('until: decided\natMost: 1m')).toEqual([needs]);
    expect(
      problems('until: decided\natMost: 1m\nobjectives: ["failed <= 0", "e2e.max < 9s"]'),
    ).toEqual([needs]);
    expect(
      problems('until: decided\natMost: 1m\nobjectives: [{ objective: "errorRate < 1%" }]'),
    ).toEqual([]);
  });

  it('cannot end a load whose end is part of it', () => {
    const load = '{ kind: iterations, iterations: 100 }';
    expect(problems(`until: decided\natMost: 1m\n${objectives}`, load)).toEqual([
      '"until: decided" cannot end a load of the kind "iterations", whose end is part of it | end with one of constant, poisson, gamma, closed, saturate',
    ]);
  });

  it('is needed by atMost, and both are checked once', () => {
    const load = '{ kind: constant, rate: 1/s, duration: 5m }';
    expect(problems('atMost: 20m', load)).toEqual([
      '"atMost" needs "until: decided" | add it, or give the load a duration',
    ]);
    expect(problems(`until: decided\natMost: 20\n${objectives}`)).toHaveLength(1);
    expect(problems(`until: certain\natMost: 20m\n${objectives}`)).toHaveLength(1);
  });
});
