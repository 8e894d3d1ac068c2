import { expect, it } from 'vitest';
import type { LimitLog, ProbeReply } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { checkRefusals } from './check-refusals.ts';

/** A request of the provocation that was refused, sent at a moment and answered 50 ms later. */
const refusedAt = (sent: number, phase: ProbeReply['phase'] = 'provocation'): ProbeReply => ({
  sent: instant(sent),
  answered: instant(sent + 50),
  ended: instant(sent + 50),
  admitted: false,
  requestId: `r-${sent}`,
  phase,
  request: 'models',
  key: 'first',
  status: 429,
  told: [],
  unreadable: [],
  retryAfter: milliseconds(5000),
  refusal: { form: 'error', unit: null, resetAt: null, message: 'slow down' },
  asked: null,
  usage: null,
  date: null,
});

const observedOf = (replies: readonly ProbeReply[]): string | undefined => {
  const requests = { limit: 60, window: milliseconds(60_000) };
  const log: LimitLog = {
    declared: { requests, tokens: null, permitted: [] },
    replies,
    unanswered: [],
    cut: null,
  };
  return checkRefusals(log).find(({ id }) => id === 'retry-after')?.observed;
};

it('where no refusal came alone, Retry-After is not said to be unseen because nothing was refused', () => {
  const overlapping = [refusedAt(0), refusedAt(20), refusedAt(60)];
  expect(observedOf(overlapping)).toMatch(/^3 were refused with 429, but none while requests went/);
  expect(observedOf([refusedAt(0, 'concurrency')])).toMatch(/^1 was refused with 429, but none/);
  expect(observedOf([])).toBe('nothing was refused with 429');
  expect(observedOf([refusedAt(0)])).toMatch(/unknown/);
});
