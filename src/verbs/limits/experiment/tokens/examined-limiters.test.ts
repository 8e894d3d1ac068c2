// @gate 1 s
import { expect, it } from 'vitest';
import type { TokenLog, TokenReply } from '../../model/token-log.ts';
import { compliantLimiters, examineVirtually, faultyLimiters } from './virtual-limiters.fixture.ts';

/** What was sent in a part of an examination, and what came of it. Instants are in whole ms after its first request. */
const courseOf = ({ replies }: TokenLog): readonly string[] => {
  const begun = replies[0]!.sent;
  const at = (moment: number): number => Math.round(moment - begun);
  const textOf = (part: readonly TokenReply[]): string => {
    const [first, last] = [part[0]!, part.at(-1)!];
    const kinds = [...new Set(part.map(({ kind, prompt }) => `${kind} of ${prompt}`))].toSorted();
    const statuses = [...new Set(part.map(({ status }) => status))].toSorted((a, b) => a - b);
    return `${first.phase} ${first.burst}${first.isTap ? ', taps' : ''}: ${part.length} from ${at(first.sent)} to ${at(last.sent)}; ${kinds.join(', ')}; ${statuses.join(', ')}`;
  };
  const parts = Map.groupBy(replies, ({ phase, burst, isTap }) => `${phase} ${burst} ${isTap}`);
  return [...parts.values()].map(textOf);
};

const grid = compliantLimiters['fixed window on a grid, charged at the end']!;

/** Seeds are chosen so that a part of the judge has something to say in each. */
it.each([
  ['keeps its limit, in a whole examination', grid, 77, { sustain: 3 }],
  ['keeps its limit, in a quick examination', grid, 78, { isQuick: true }],
  [
    'keeps its limit without headers, by a promise',
    compliantLimiters['sliding log, charged at the end']!,
    31,
    { hasHeaders: false, isPromised: true },
  ],
  ['has twice the limit', faultyLimiters['limit x 2']!, 11, {}],
  ['counts prompts twice', faultyLimiters['prompts counted twice']!, 11, {}],
  ['is never reset', faultyLimiters['never reset while requests pass']!, 11, {}],
  ['names requests', faultyLimiters['names requests']!, 11, {}],
  ['has 1.2 times the limit', faultyLimiters['limit x 1.2']!, 11, { isQuick: true }],
  ['answers slowly', grid, 79, { isQuick: true, speed: [9000, 9001] }],
  [
    'admits 1.5 times the limit and hides what single chats are charged',
    { ...compliantLimiters['token bucket, charged at the end']!, flush: 500, times: 1.5 },
    5_000_000,
    { isQuick: true },
  ],
] as const)('says of a limiter that it %s', async (_, limiter, seed, terms) => {
  const { log, findings } = await examineVirtually(limiter, seed, {
    hasSmallBucket: false,
    tokens: 20_000,
    ...terms,
  });
  const { checks, charges, bursts, ...others } = findings;
  expect({
    ...others,
    cut: log.cut,
    checks: checks.map(
      ({ id, violates, finding, observed, evidence }) =>
        `${id}: ${finding}${violates ? '' : ', advice'}; ${observed}; ${evidence.join(' | ')}`,
    ),
    charges: charges.map(
      ({ kind, status, prompt, used, charge, words }) =>
        `${kind} ${status}: ${prompt}, ${used}, ${charge}, ${words}`,
    ),
    bursts: bursts.map((row) => Object.values(row).join(', ')),
    course: courseOf(log),
  }).toMatchSnapshot();
});
