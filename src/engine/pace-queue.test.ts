import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Pace } from '../model/plan/pace.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import { mediaTokens } from '../contract/content-parts.ts';
import type { Outcome } from '../model/observation/outcome.ts';
import { constantLoad, fakePlan, fakeSliceOptions } from './fake-run.fixture.ts';
import { keyShareProblem, keySharesOf, PaceQueue } from './pace-queue.ts';
import { drawRequestContent } from './request-content.ts';

const pace: Pace = {
  requests: 60,
  tokens: 1000,
  window: milliseconds(60_000),
  margin: milliseconds(1000),
  charged: 'sent',
};

const slicesOf = (count: number) => Array.from({ length: count }, (_, index) => ({ index, count }));

it('each key belongs to exactly one slice, whole, where the keys divide evenly', () => {
  const shares = slicesOf(3).map((slice) => keySharesOf(slice, 6, { ...pace, burst: 4 }));
  expect(shares.map(({ keys }) => keys)).toEqual([
    [0, 3],
    [1, 4],
    [2, 5],
  ]);
  const whole = { requests: 60, tokens: 1000, burst: 4 };
  for (const { amounts } of shares) expect(amounts).toEqual([whole, whole]);
});

it('together all slices use exactly the limits of all keys, whatever their number', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }), (keys, count) => {
      const used = Array.from({ length: keys }, () => ({ requests: 0, tokens: 0, burst: 0 }));
      for (const slice of slicesOf(count)) {
        const { keys: own, amounts } = keySharesOf(slice, keys, { ...pace, burst: 24 });
        for (const [place, key] of own.entries()) {
          used[key]!.requests += amounts[place]!.requests!;
          used[key]!.tokens += amounts[place]!.tokens!;
          used[key]!.burst += amounts[place]!.burst!;
        }
      }
      for (const each of used) expect(each).toEqual({ requests: 60, tokens: 1000, burst: 24 });
    }),
  );
});

it('a split below one request or one burst is refused, with what to do', () => {
  expect(keyShareProblem(pace, 2, 3)).toBeNull();
  expect(keyShareProblem({ ...pace, burst: 2 }, 2, 3)).toMatch(
    /^pace: 3 slices cannot share a key’s burst of 2.*as many keys as slices/,
  );
  expect(keyShareProblem({ ...pace, requests: 2 }, 1, 3)).toMatch(/requests of 2/);
  expect(keyShareProblem({ ...pace, requests: 2, burst: 1 }, 3, 3)).toBeNull();
  expect(keyShareProblem(null, 1, 3)).toBeNull();
});

it('a request reserves a quarter of its characters, its images, ten and its answer, until usage says more', () => {
  const image = { type: 'image_url' as const, image_url: { url: 'https://h/a.png' } };
  const content = [{ type: 'text' as const, text: 'x'.repeat(40) }, image];
  const chat = {
    kind: 'chat' as const,
    weight: 1,
    model: 'm',
    conversations: [[{ role: 'user' as const, content }]],
    maxTokens: 20,
    body: {},
    price: null,
  };
  const load = constantLoad(1, 1000);
  const plan = fakePlan(load, { stages: [{ name: 'main', load, traffic: [chat] }] });
  const queue = new PaceQueue(fakeSliceOptions(plan), { ...pace, requests: null, tokens: 1e6 });
  let index = 0;
  /** What the next request reserves, which then ends in this way. */
  const reservedBy = (outcome: object): number => {
    const due = instant(0);
    queue.add({ arrival: { stage: 0, index, due }, due, earlier: [], onAnswered: undefined });
    index += 1;
    const slot = queue.take(due)!;
    slot.onSent(due);
    slot.onFinished(due, outcome as Outcome, null);
    return slot.reserved;
  };
  const ended = (input: number | null) => ({
    kind: 'completed',
    answer: { kind: 'chat', tokens: { input, output: 5 } },
  });
  const media = mediaTokens(image);
  const [usual, learned] = [10 + media + 10 + 20, 40 + media + 10 + 20];
  expect(media).toBeGreaterThan(0);
  // A token for each character of the text, then fewer, which changes nothing.
  expect(reservedBy({ kind: 'broken', cause: 'reset' })).toBe(usual);
  expect(reservedBy(ended(null))).toBe(usual);
  expect(reservedBy(ended(40 + media))).toBe(usual);
  expect(reservedBy(ended(4 + media))).toBe(learned);
  expect(reservedBy(ended(80 + media))).toBe(learned);
  expect(reservedBy(ended(1))).toBe(80 + media + 10 + 20);
  expect([queue.size, queue.oldest]).toEqual([0, null]);
});

it('a request whose key belongs to another slice goes to the key at its place among those of this slice', () => {
  const options = fakeSliceOptions(fakePlan(constantLoad(1, 1000)), { index: 0, count: 2 });
  const credentials = ['a', 'b', 'c', 'd'].map((name) => ({ name, weight: 1, value: name }));
  const all = { ...options, credentials };
  const queue = new PaceQueue(all, { ...pace, tokens: null });
  const chosen = new Map<string, Set<number>>();
  for (let index = 0; index < 40; index += 1) {
    // Two windows after the request before, so that every key has room.
    const due = instant(index * 2 * pace.window);
    const arrival = { stage: 0, index, due };
    queue.add({ arrival, due, earlier: [], onAnswered: undefined });
    const drawn = drawRequestContent(all, arrival).credential.name;
    chosen.set(drawn, (chosen.get(drawn) ?? new Set()).add(queue.take(due)!.keyIndex));
  }
  // This slice has a and c. The drawn b and d are at odd places, so both go to the second of the two.
  expect(Object.fromEntries([...chosen].map(([name, keys]) => [name, [...keys]]))).toEqual({
    a: [0],
    b: [2],
    c: [2],
    d: [2],
  });
});

it('slices that share each key share what its gateway declares, too', () => {
  const load = constantLoad(1, 1000);
  const options = fakeSliceOptions(fakePlan(load), { index: 0, count: 4 });
  const only = { ...options, credentials: options.credentials.slice(0, 1) };
  const queue = new PaceQueue(only, { ...pace, tokens: null, follows: ['requests'] });
  const due = instant(0);
  const add = (index: number): void =>
    queue.add({ arrival: { stage: 0, index, due }, due, earlier: [], onAnswered: undefined });
  add(0);
  const slot = queue.take(due)!;
  slot.onSent(due);
  // Eight a minute for the key, of which a quarter is two: one more goes within the minute, and no third.
  slot.onHeaders(due, 200, { 'x-ratelimit-limit-minute': '8' });
  slot.onFinished(
    due,
    { kind: 'completed', answer: { kind: 'models' } } as unknown as Outcome,
    null,
  );
  for (let index = 1; index < 5; index += 1) add(index);
  const released: number[] = [];
  for (let now = 0; now < 60_000; now += 500) {
    const next = queue.take(instant(now));
    if (next === null) continue;
    released.push(now);
    next.onSent(instant(now));
    next.onFinished(
      instant(now),
      { kind: 'completed', answer: { kind: 'models' } } as unknown as Outcome,
      null,
    );
  }
  expect(released).toHaveLength(1);
});

it('a key that has nothing left by an answer waits until its reset and the margin', () => {
  const options = fakeSliceOptions(fakePlan(constantLoad(1, 1000)));
  const only = { ...options, credentials: options.credentials.slice(0, 1) };
  const queue = new PaceQueue(only, { ...pace, tokens: null });
  const due = instant(0);
  const add = (index: number): void =>
    queue.add({ arrival: { stage: 0, index, due }, due, earlier: [], onAnswered: undefined });
  add(0);
  const slot = queue.take(due)!;
  slot.onSent(due);
  slot.onHeaders(due, 200, { ratelimit: 'limit=60, remaining=0, reset=30' });
  add(1);
  expect([queue.size, queue.oldest]).toEqual([1, 0]);
  expect(queue.take(instant(30_999))).toBeNull();
  expect(queue.take(instant(31_000))).not.toBeNull();
});
