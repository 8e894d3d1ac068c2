import { expect, it } from 'vitest';
import type { LimitCheck, LimitLog, ProbeReply } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { checkRefusals } from './check-answers.ts';
import { sampleReply } from './sample-reply.fixture.ts';

/** Returns a request of the provocation that was sent at `sent` and refused 50 ms later. */
const refusedAt = (sent: number, phase: ProbeReply['phase'] = 'provocation'): ProbeReply =>
  sampleReply(sent, {
    phase,
    request: 'models',
    status: 429,
    admitted: false,
    answered: instant(sent + 50),
    ended: instant(sent + 50),
    retryAfter: milliseconds(5000),
    refusal: { form: 'error', unit: null, resetAt: null, message: 'slow down' },
    asked: null,
    usage: null,
  });

const checkOf = (id: string, replies: readonly ProbeReply[]): LimitCheck | undefined => {
  const requests = { limit: 60, window: milliseconds(60_000) };
  const log: LimitLog = {
    declared: { requests, tokens: null, permitted: [] },
    replies,
    unanswered: [],
    cut: null,
  };
  return checkRefusals(log).find((check) => check.id === id);
};

const observedOf = (replies: readonly ProbeReply[]): string | undefined =>
  checkOf('retry-after', replies)?.observed;

it('if all refusals overlapped other requests, Retry-After is undecided for that reason, not because nothing was refused', () => {
  const overlapping = [refusedAt(0), refusedAt(20), refusedAt(60)];
  expect(observedOf(overlapping)).toMatch(/^3 were refused with 429, but none while requests went/);
  expect(observedOf([refusedAt(0, 'concurrency')])).toMatch(/^1 was refused with 429, but none/);
  expect(observedOf([])).toBe('nothing was refused with 429');
  expect(observedOf([refusedAt(0)])).toMatch(/unknown/);
});

it('one Date header with a wrong time does not prevent reset times from being read', () => {
  const midnight = Date.UTC(2026, 10, 23);
  const resetAt = midnight + 30_000;
  const refusals = Array.from({ length: 30 }, (_, second): ProbeReply => {
    const reply = refusedAt(second * 1000 + 20 * second);
    const date = midnight + Math.floor(reply.answered / 1000) * 1000;
    return { ...reply, date, refusal: { ...reply.refusal!, resetAt } };
  });
  const admitted = { ...refusedAt(31_000), admitted: true, status: 200, refusal: null };
  const read = checkOf('reset-time', [...refusals, admitted]);
  expect(read).toMatchObject({ finding: 'proved', observed: expect.stringMatching(/^30 exact/) });
  const stale = refusals.with(7, { ...refusals[7]!, date: midnight - 3_600_000 });
  expect(checkOf('reset-time', [...stale, admitted])).toEqual(read);
  const many = stale.map((reply, i) => (i < 7 ? { ...reply, date: midnight - 3_600_000 } : reply));
  expect(checkOf('reset-time', [...many, admitted])?.observed).toBe(
    'there was no readable reset time',
  );
});
