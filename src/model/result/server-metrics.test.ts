import { expect, it } from 'vitest';
import { instant } from '../quantity.ts';
import { serverFiguresRead, serverSamplesIn, serverValuesOf } from './server-metrics.ts';

const sample = (at: number, values: Readonly<Record<string, number>>) => ({
  sent: instant(at - 2),
  received: instant(at + 2),
  values,
});

it('figures that were read stand in the order of tables, those of a scenario last', () => {
  const samples = [sample(0, { own: 1, waiting: 2 }), sample(9, { other: 1, running: 0, own: 3 })];
  expect(serverFiguresRead(samples)).toEqual(['running', 'waiting', 'own', 'other']);
  expect(serverValuesOf(samples, 'own')).toEqual([1, 3]);
  expect(serverValuesOf(samples, 'running')).toEqual([0]);
});

it('a sample was taken in the middle between its request and the answer', () => {
  const samples = [10, 20, 30, 40].map((at) => sample(at, {}));
  const metrics = {
    address: 'http://h/metrics',
    software: null,
    every: 10 as never,
    scrapes: 4,
    failed: 0,
    lastFailure: null,
    resets: 0,
    samples,
  };
  expect(serverSamplesIn(metrics, 20, 30)).toEqual(samples.slice(1, 3));
  expect(serverSamplesIn(metrics, 20.5, 29.5)).toEqual([]);
});
