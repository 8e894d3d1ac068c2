import { expect, it } from 'vitest';
import type { LimiterDecision } from '../../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../../model/quantity.ts';
import { idleRefusals } from './idle-refusals.ts';

const rule = { limit: 2, window: milliseconds(10_000) };
const decision = (sent: number, admitted: boolean): LimiterDecision => ({
  sent: instant(sent),
  answered: instant(sent + 50),
  ended: instant(sent + 50),
  admitted,
});
const spansOf = (decisions: readonly LimiterDecision[]) =>
  decisions.map(({ sent, answered }) => ({ from: sent, until: answered }));

it('a refusal after two idle windows is against every limiter, one after an admission is not', () => {
  const locked = [decision(0, true), decision(22_200, false), decision(22_300, true)];
  expect(idleRefusals(locked, spansOf(locked), rule)).toStrictEqual([1]);
  const early = [decision(0, true), decision(21_900, false)];
  expect(idleRefusals(early, spansOf(early), rule)).toStrictEqual([]);
  const used = [decision(0, true), decision(22_200, true), decision(22_300, false)];
  expect(idleRefusals(used, spansOf(used), rule)).toStrictEqual([]);
});

it('refusals beside an admitted request at the same instant prove nothing, those without one do', () => {
  const burst = [decision(0, true), decision(30_000, false), decision(30_000, true)];
  expect(idleRefusals(burst, spansOf(burst), rule)).toStrictEqual([]);
  const refused = [decision(0, true), decision(30_000, false), decision(30_000, false)];
  expect(idleRefusals(refused, spansOf(refused), rule)).toStrictEqual([1, 2]);
});

it('a request without a decision may have used the key', () => {
  const refused = [decision(0, true), decision(30_000, false)];
  const spans = [...spansOf(refused), { from: 29_990, until: 30_020 }];
  expect(idleRefusals(refused, spans, rule)).toStrictEqual([]);
});
