import { expect, it } from 'vitest';
import type { Transport } from '../../model/observation/exchange.ts';
import { instant } from '../../model/quantity.ts';
import type { Breach } from '../../model/result/objective-verdict.ts';
import { answeredChat } from '../../record/sample-observations.fixture.ts';
import { combineObservers, type RunObserver } from './observer.ts';

const now = instant(1000);
const progress = { due: 3, inFlight: 1 };

/** An observer with every handler, which writes down what it is called with. */
const recording = (name: string, calls: unknown[]): RunObserver => {
  const note =
    (handler: string) =>
    (...values: readonly unknown[]): void =>
      void calls.push([name, handler, ...values]);
  return {
    onStart: note('start'),
    onObservation: note('observation'),
    onWorkerUpdate: note('update'),
    onTick: note('tick'),
    onEnd: note('end'),
  };
};

it.each([0, 1, 2, 3])('%i observers all hear everything, in their order', (count) => {
  const calls: unknown[] = [];
  const names = ['a', 'b', 'c'].slice(0, count);
  const { onStart, onObservation, onWorkerUpdate, onTick, onEnd } = combineObservers([
    {},
    ...names.map((name) => recording(name, calls)),
  ]);
  const [started, update, observation] = [{} as never, {} as never, answeredChat(0, 100)];
  onStart(started);
  onObservation(observation);
  onWorkerUpdate(update);
  onTick(now, progress);
  onEnd();
  const handlers = [
    ['start', started],
    ['observation', observation],
    ['update', update],
    ['tick', now, progress],
    ['end'],
  ];
  const heard = calls.map((call) => (call as unknown[]).filter((value) => value !== undefined));
  expect(heard).toEqual(handlers.flatMap((each) => names.map((name) => [name, ...each])));
});

it('the first breach and the first refusal count, and one observer that is decided is enough', () => {
  const breach = (text: string): Breach => ({ objective: text, at: now }) as never;
  const says = (text: string | null): RunObserver => ({
    findBreach: (at) => (text === null || at !== now ? null : breach(text)),
    findRefusal: () => text,
    isDecided: (at, { due }) => text !== null && at === now && due === 3,
  });
  const ask = (observers: readonly RunObserver[]) => {
    const { findBreach, findRefusal, isDecided } = combineObservers(observers);
    return [findBreach(now), findRefusal(), isDecided(now, progress)];
  };
  expect(ask([])).toEqual([null, null, false]);
  expect(ask([{}, says(null)])).toEqual([null, null, false]);
  expect(ask([says(null), {}, says('one'), says('two')])).toEqual([breach('one'), 'one', true]);
});

it('a transport is wrapped by each observer that wraps it, the last one outside', () => {
  const layer =
    (name: string) =>
    (inner: Transport): Transport => ({ ...inner, notes: () => [name, ...inner.notes()] });
  const bare = { notes: () => ['bare'] } as unknown as Transport;
  const wrap = (...observers: readonly RunObserver[]) =>
    combineObservers(observers).wrapTransport(bare);
  expect(wrap({}, { wrapTransport: layer('a') }, { wrapTransport: layer('b') }).notes()).toEqual([
    'b',
    'a',
    'bare',
  ]);
  expect(wrap({})).toBe(bare);
});
