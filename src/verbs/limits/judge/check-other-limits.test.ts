import { expect, it } from 'vitest';
import type { LimitLog, ProbeReply, ReportedLimit } from '../../../model/limits/limit-log.ts';
import { milliseconds } from '../../../model/quantity.ts';
import { checkOtherLimits } from './check-other-limits.ts';
import { sampleReply } from './sample-reply.fixture.ts';

const window = milliseconds(60_000);

const reported = (
  unit: string,
  remaining: number,
  more: Partial<ReportedLimit> = {},
): ReportedLimit => ({
  profile: 'anthropic',
  descriptor: null,
  unit,
  limit: 1000,
  remaining,
  resetIn: null,
  window,
  ...more,
});

const replyOf = (place: number, usage: ProbeReply['usage'], limits: readonly ReportedLimit[]) =>
  sampleReply(place * 1000, { usage, told: limits });

const checked = (replies: readonly ProbeReply[], isTeam = false) => {
  const log: LimitLog = {
    ...(isTeam ? { isTeam } : {}),
    declared: { requests: { limit: 60, window }, tokens: null, permitted: [] },
    replies,
    unanswered: [],
    cut: null,
  };
  const { finding, observed } = checkOtherLimits(log);
  return [finding, observed];
};

const own = [reported('requests', 59), reported('tokens', 900)];

it('limits of input, of a day and of a team are named, with what remained and whether they count what was used', () => {
  const day = { window: milliseconds(86_400_000), limit: 14_400 };
  const others = (input: number, requests: number, team: number) => [
    ...own,
    reported('input-tokens', input),
    reported('requests', requests, day),
    reported('tokens', team, { descriptor: 'team' }),
  ];
  expect(
    checked([
      replyOf(0, { input: 10, output: 1 }, others(990, 14_399, 989)),
      replyOf(1, { input: 50, output: 1 }, others(940, 14_398, 880)),
      replyOf(2, { input: 20, output: 40 }, others(920, 14_397, 820)),
    ]),
  ).toEqual([
    'undecided',
    'beside them: 1,000 input tokens a minute, 920 remained at least, it fell by exactly what was used 2 of 2 times; ' +
      '14,400 requests in 86,400 s, 14,397 remained at least, it fell by exactly what was used 2 of 2 times; ' +
      '1,000 tokens a minute of team, 820 remained at least, it fell by exactly what was used 1 of 2 times',
  ]);
});

it('nothing is said of what a limit counts that no answer shows', () => {
  const images = (remaining: number) => [...own, reported('images', remaining)];
  expect(checked([replyOf(0, null, images(5)), replyOf(1, null, images(4))])).toEqual([
    'undecided',
    'beside them: 1,000 images a minute, 4 remained at least',
  ]);
});

it('the limits of an examination are no others', () => {
  expect(checked([replyOf(0, null, own), replyOf(1, null, own)])).toEqual(['proved', 'none']);
});

it('answers without limits, and those of a team, prove nothing of other limits', () => {
  expect(checked([replyOf(0, null, [])])).toEqual(['undecided', 'the answers report no limits']);
  expect(checked([replyOf(0, null, own)], true)).toEqual([
    'undecided',
    'none of the team; those of single keys were left out',
  ]);
});

it('a header that once lacks what remains is no fall', () => {
  const images = (remaining: number | null) => [
    ...own,
    { ...reported('input-tokens', 0), remaining },
  ];
  const usage = { input: 10, output: 1 };
  const replies = [images(990), images(null), images(970)].map((limits, i) =>
    replyOf(i, usage, limits),
  );
  expect(checked(replies)[1]).toBe(
    'beside them: 1,000 input tokens a minute, 970 remained at least',
  );
});
