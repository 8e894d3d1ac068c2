import { expect, it } from 'vitest';
import { blankChatColumns } from '../../../model/observation/sample-ledger-entry.fixture.ts';
import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import { instant } from '../../../model/quantity.ts';
import { ownCountFactorOf } from './own-count.ts';
import type { LimitUse } from './token-uses.ts';

const limit = 10_000;

interface Chat {
  readonly sent: number;
  readonly ended: number;
  readonly most: number;
  readonly reserved: number;
  /** What the gateway says is left, after this chat. */
  readonly left: number | null;
  readonly status: number;
}

/** The factor of eight chats of 1,000 tokens in eight seconds, which the gateway counts as 1,200; some of them changed. */
const factorWith = (changes: Readonly<Record<number, Partial<Chat>>>): number => {
  const chats = Array.from({ length: 8 }, (_, i): Chat => {
    const sent = i * 1000;
    const left = limit - 1200 * (i + 1);
    return {
      sent,
      ended: sent + 500,
      most: 1000,
      reserved: 1000,
      left,
      status: 200,
      ...changes[i],
    };
  });
  const entries = chats.map(({ sent, ended, left, status }): LedgerEntry => {
    const times = { sent: instant(sent), answered: instant(ended), ended: instant(ended) };
    return { ...blankChatColumns, ...times, status, remainingTokens: left };
  });
  const uses = chats.map(({ sent, ended, most, reserved, status }): LimitUse => {
    const fate = status === 429 ? 'refused' : 'admitted';
    const times = { sent, answered: ended, settled: ended };
    return { ...times, fate, names: null, least: 0, most, reserved };
  });
  return ownCountFactorOf(entries, uses, limit);
};
const allChats = (change: (place: number) => Partial<Chat>) =>
  Object.fromEntries(Array.from({ length: 8 }, (_, i) => [i, change(i)]));

it('a gateway that takes a fifth more from what remains counts 1.2 times the usage', () => {
  expect(factorWith({})).toBeCloseTo(1.2);
});

it('a lower limit, seen before the first chat, is no count', () => {
  expect(factorWith(allChats((i) => ({ left: 7000 - 1200 * (i + 1) })))).toBe(1);
});

it('more than any tokenizer counts is no count', () => {
  expect(factorWith(allChats((i) => ({ left: limit - 1600 * (i + 1) })))).toBe(1);
});

it('a refusal that says that nothing remains shows nothing', () => {
  const exact = allChats((i) => ({ left: limit - 1000 * (i + 1) }));
  const refused = { left: 0, status: 429, most: 0, reserved: 0 };
  expect(factorWith({ ...exact, 7: refused })).toBe(1);
});

it('a chat of unknown usage counts as what it reserved, and one of which neither is known hides the rest', () => {
  expect(factorWith({ 1: { most: Infinity } })).toBeCloseTo(1.2);
  expect(factorWith({ 1: { most: Infinity, reserved: Infinity } })).toBe(1);
});

it('before half of the limit is used, one odd chat shows nothing', () => {
  const left = allChats((i) => ({ left: i === 3 ? limit - 5600 : limit - 1000 * (i + 1) }));
  expect(factorWith(left)).toBe(1);
});

it('what remains after the first minute shows nothing, since windows forget', () => {
  expect(
    factorWith(
      allChats((i) => (i < 5 ? {} : { sent: 60_000 + i * 1000, ended: 60_500 + i * 1000 })),
    ),
  ).toBe(1);
});

it('while a quarter of all charges is in flight, reservations that are corrected later show nothing', () => {
  const held = allChats((i) => (i < 4 ? { left: limit - 1000 * (i + 1) } : { ended: 9000 }));
  expect(factorWith(held)).toBe(1);
});
