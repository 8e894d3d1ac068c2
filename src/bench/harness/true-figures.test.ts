import { expect, it } from 'vitest';
import { instant } from '../../model/quantity.ts';
import type { FigureError } from '../../model/result/verdict.ts';
import { sampleObservation, sampleStream } from '../../record/sample-observations.fixture.ts';
import { comparedFigures, trueSamplesOf } from './true-figures.ts';

const zero = 70_000;

/** A stream that was due at 5000 and begun at 5001, with its tokens as they were read. */
const seen = (requestId: string, tokens: readonly number[], due = 5000) =>
  sampleObservation({
    requestId,
    traffic: 'chat-stream',
    due: instant(due),
    outcome: { kind: 'completed', answer: sampleStream(tokens) },
  });

/** A trace whose writes took this many milliseconds. */
const sentAt = (requestId: string, tokens: readonly number[], took = 0) => ({
  requestId,
  sent: tokens.map((at) => zero + at),
  written: tokens.map((at) => zero + at + took),
});

const exactly = (...values: number[]) => ({
  least: Float64Array.from(values),
  most: Float64Array.from(values),
});

const figure = (changes: Partial<FigureError>): FigureError => ({
  traffic: 'chat-stream',
  measure: 'ttft',
  q: 0.5,
  value: 105,
  low: 98,
  high: 105,
  isHeadline: true,
  isWeak: false,
  isSmall: true,
  ...changes,
});

it('true samples count from due, without the lag of the start, to the instants at which tokens were sent', () => {
  const traces = [sentAt('b', [5120, 5150]), sentAt('a', [5101, 5121, 5140])];
  const observations = [seen('a', [5106, 5126, 5140]), seen('b', [5120, 5150])];
  expect(trueSamplesOf({ traces, zero, observations, warmUp: 0 })).toEqual({
    ttft: exactly(100, 119),
    gap: exactly(19, 20, 30),
    endToEnd: exactly(139, 149),
  });
});

it('a true sample is a range if the gateway waited between its clock and its write', () => {
  const traces = [sentAt('a', [5101, 5121], 3)];
  const observations = [seen('a', [5106, 5126])];
  expect(trueSamplesOf({ traces, zero, observations, warmUp: 0 })).toEqual({
    ttft: { least: Float64Array.of(100), most: Float64Array.of(103) },
    gap: { least: Float64Array.of(17), most: Float64Array.of(23) },
    endToEnd: { least: Float64Array.of(120), most: Float64Array.of(123) },
  });
});

it('requests of the warm-up and those that did not complete have no true samples', () => {
  const failed = sampleObservation({
    outcome: { kind: 'dropped', cause: 'saturated' },
  });
  const observations = [seen('a', [5106], 900), failed];
  const { ttft } = trueSamplesOf({ traces: [], zero, observations, warmUp: 1000 });
  expect(ttft).toEqual(exactly());
});

it('a trace log with other tokens than were read proves nothing', () => {
  const sides = { traces: [sentAt('a', [5101])], zero, observations: [seen('a', [5106, 5126])] };
  expect(() => trueSamplesOf({ ...sides, warmUp: 0 })).toThrow(
    'a: 1 tokens in the trace log, 2 were read',
  );
});

it('a figure is compared with the same percentile of the truth, to three digits', () => {
  const samples = {
    ttft: exactly(90, 100, 110),
    gap: exactly(),
    endToEnd: exactly(),
  };
  const inside = (changes: Partial<FigureError>) =>
    comparedFigures([figure(changes)], samples).map(({ least, isInside }) => [least, isInside]);
  expect(inside({})).toEqual([[100, true]]);
  expect(inside({ low: 100.1 })).toEqual([[100, true]]);
  expect(inside({ low: 100.2 })).toEqual([[100, false]]);
  expect(inside({ high: 99.8 })).toEqual([[100, false]]);
  expect(inside({ q: 0.95 })).toEqual([[110, false]]);
  expect(inside({ measure: 'gap' })).toEqual([]);
  expect(inside({ measure: 'stall' })).toEqual([]);
  expect(inside({ traffic: 'chat' })).toEqual([]);
});

it('a figure is outside its bounds only if its whole true range is', () => {
  const samples = {
    ttft: { least: Float64Array.of(100), most: Float64Array.of(104) },
    gap: exactly(),
    endToEnd: exactly(),
  };
  const inside = (changes: Partial<FigureError>) =>
    comparedFigures([figure(changes)], samples).map(({ isInside }) => isInside);
  expect(inside({ low: 103, high: 110 })).toEqual([true]);
  expect(inside({ low: 105, high: 110 })).toEqual([false]);
  expect(inside({ low: 90, high: 99 })).toEqual([false]);
});
