import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrivalCountOf, type Load } from '../../model/plan/plan.ts';
import { sampleTraceLoad } from '../../model/workload/sample-trace.fixture.ts';
import type { WorkloadFiles } from '../../model/workload/workload.ts';
import { compileLoad } from './compile-load.ts';
import { scenarioLoadSchema } from '../schema/load-schema.ts';

const files: WorkloadFiles = {
  media: (reference) => ({ ok: false, problem: `${reference} is missing` }),
  prices: () => ({ ok: false, problem: 'no prices are named here' }),
  findings: () => ({ ok: false, problem: 'no findings are named here' }),
  text: () => ({ ok: false, problem: 'no text is named here' }),
  dataset: () => ({ ok: false, problem: 'no file of prompts is named here' }),
  tokenizer: () => ({ ok: false, problem: 'no tokenizer is named here' }),
  trace: ({ file }) =>
    file === 'short.jsonl'
      ? { ok: true, value: sampleTraceLoad.facts }
      : { ok: false, problem: 'unreadable' },
};
const compiled = (load: unknown) => compileLoad(scenarioLoadSchema.parse(load), files);

/** Counts arrivals by brute force: the sum of the rates in the middle of many short pieces. */
const summedBySlices = (load: Load): number => {
  if (load.kind !== 'open') throw new Error('only an open load has a curve');
  const pieces = 100;
  let sum = 0;
  for (const { from, to, duration } of load.curve) {
    for (let piece = 0; piece < pieces; piece += 1) {
      const rate = from + ((to - from) * (piece + 0.5)) / pieces;
      sum += (rate * duration) / 1000 / pieces;
    }
  }
  return sum;
};

describe('a compiled load', () => {
  it('with a constant rate is a flat curve', () => {
    expect(compiled({ kind: 'constant', rate: '60/min', duration: '30s' })).toEqual([
      {
        suffix: '',
        load: { kind: 'open', curve: [{ from: 1, to: 1, duration: 30_000 }], spacing: 'even' },
      },
    ]);
  });

  it('with random arrivals differs from a constant one only in its spacing', () => {
    const [constant] = compiled({ kind: 'constant', rate: '5/s', duration: '9s' });
    const [poisson] = compiled({ kind: 'poisson', rate: '5/s', duration: '9s' });
    expect(poisson?.load).toEqual({ ...constant?.load, spacing: 'poisson' });
    const [gamma] = compiled({ kind: 'gamma', rate: '5/s', duration: '9s', shape: 0.5 });
    expect(gamma?.load).toEqual({ ...constant?.load, spacing: { gamma: 0.5 } });
  });

  it('with a ramp begins at zero by default, and jumps where a segment takes no time', () => {
    const steps = [
      { to: '4/s', over: '10s' },
      { to: '8/s', over: '0s' },
      { to: '0/s', over: '5s' },
    ];
    const [ramp] = compiled({ kind: 'ramping', steps, spacing: 'poisson' });
    expect(ramp?.load).toEqual({
      kind: 'open',
      curve: [
        { from: 0, to: 4, duration: 10_000 },
        { from: 8, to: 0, duration: 5000 },
      ],
      spacing: 'poisson',
    });
  });

  it('with stairs is one load for each stair, named by its rate', () => {
    const stairs = { kind: 'stairs', from: '30/min', step: '15/min', every: '10s', steps: 4 };
    const loads = compiled(stairs);
    expect(loads.map(({ suffix }) => suffix)).toEqual([' 30/min', ' 45/min', ' 1/s', ' 75/min']);
    expect(loads.map(({ load }) => arrivalCountOf(load))).toEqual([5, 7.5, 10, 12.5]);
  });

  it('with users keeps its fields, with the defaults filled in', () => {
    expect(compiled({ kind: 'closed', users: 5, duration: '1m' })[0]?.load).toEqual({
      kind: 'closed',
      users: 5,
      duration: 60_000,
      thinkTime: 0,
      rampUp: 0,
    });
    expect(compiled({ kind: 'iterations', iterations: 7 })[0]?.load).toEqual({
      kind: 'iterations',
      users: 1,
      iterations: 7,
      maxDuration: 600_000,
      thinkTime: 0,
    });
  });

  it('with a trace is the selected part of its file, and absent if the file cannot be read', () => {
    const trace = { kind: 'trace', file: 'short.jsonl', speed: 2, maxInputTokens: 700 };
    expect(compiled(trace)).toEqual([{ suffix: '', load: sampleTraceLoad }]);
    expect(arrivalCountOf(sampleTraceLoad)).toBe(3);
    expect(compiled({ ...trace, file: 'other.jsonl' })).toEqual([]);
  });

  it('has as many arrivals as the area under its curve', () => {
    const step = fc.record({
      to: fc.nat(1000).map((n) => `${n}/s`),
      over: fc.nat(100).map((n) => `${n}s`),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), (steps) => {
        const [ramp] = compiled({ kind: 'ramping', from: '7/s', steps });
        if (ramp === undefined) throw new Error('a ramp is one load');
        expect(arrivalCountOf(ramp.load)).toBeCloseTo(summedBySlices(ramp.load), 6);
      }),
    );
  });

  it('with users has as many arrivals as the answers allow, or as were requested', () => {
    expect(
      compiled({ kind: 'closed', users: 5, duration: '1m' }).map(({ load }) =>
        arrivalCountOf(load),
      ),
    ).toEqual([null]);
    expect(
      compiled({ kind: 'iterations', iterations: 7 }).map(({ load }) => arrivalCountOf(load)),
    ).toEqual([7]);
  });
});
