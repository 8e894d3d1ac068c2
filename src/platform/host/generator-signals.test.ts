import { expect, it, onTestFinished } from 'vitest';
import { watchGenerator } from './generator-signals.ts';

/** Lets the system answer the question for this process's memory with an error. */
const refuseMemory = (code: string): void => {
  const { rss } = process.memoryUsage;
  process.memoryUsage.rss = () => {
    throw Object.assign(new Error(`${code}: uv_resident_set_memory`), { code });
  };
  onTestFinished(() => {
    process.memoryUsage.rss = rss;
  });
};

it('a system without /proc reports no memory, but all other figures', () => {
  refuseMemory('ENOENT');
  const { sample, stop } = watchGenerator();
  onTestFinished(stop);
  const { memory, loops, cpu } = sample(0);
  expect(memory).toBeNull();
  expect(loops).toBeGreaterThanOrEqual(0);
  expect(cpu).toBeGreaterThan(0);
});

it('the longest pause for garbage collection is one of them, and none before the first', () => {
  const { sample, stop } = watchGenerator();
  onTestFinished(stop);
  const { gcMax, gcTotal } = sample(0);
  expect(gcMax).toBeGreaterThanOrEqual(0);
  expect(gcMax).toBeLessThanOrEqual(gcTotal);
});

it('the longest delay of the event loop is that of the longest turn', async () => {
  const { sample, stop } = watchGenerator();
  onTestFinished(stop);
  const turn = () => new Promise((resolve) => setTimeout(resolve, 25));
  const begun = performance.now();
  sample(0);
  // The monitor measures between two of its ticks, so it needs one before the long turn.
  await turn();
  const from = performance.now();
  while (performance.now() - from < 80);
  await turn();
  const { delayMax, delayP99 } = sample(1);
  // The timer that is late was due up to 10 ms after the start of the long turn.
  expect(delayMax).toBeGreaterThan(50);
  expect(delayMax).toBeLessThan(performance.now() - begun);
  expect(delayP99).toBeLessThanOrEqual(delayMax);
});

it('the longest pause is above 0 once garbage was collected', async () => {
  const { sample, stop } = watchGenerator();
  onTestFinished(stop);
  let seen = { gcMax: 0, gcTotal: 0 };
  for (let turn = 0; turn < 500 && seen.gcTotal === 0; turn += 1) {
    const waste = Array.from({ length: 20_000 }, (_, i) => ({ i }));
    await new Promise((resolve) => setImmediate(resolve, waste.length));
    seen = sample(turn);
  }
  expect(seen.gcMax).toBeGreaterThan(0);
  expect(seen.gcMax).toBeLessThanOrEqual(seen.gcTotal);
});

it('a process without descriptors has the memory that was last known', () => {
  const { sample, stop } = watchGenerator();
  onTestFinished(stop);
  const { memory } = sample(0);
  expect(memory).toBeGreaterThan(2 ** 20);
  refuseMemory('EMFILE');
  expect(sample(1).memory).toBe(memory);
});

it('any other error is not hidden', () => {
  refuseMemory('EINVAL');
  const { sample, stop } = watchGenerator();
  onTestFinished(stop);
  expect(() => sample(0)).toThrow('EINVAL');
});
