import { formatCount } from '../../../judge/limits/facts/check-claim.ts';
import {
  advisoryCheck,
  type LimitCheck,
  type LimitLog,
  type ProbeReply,
  type ReportedLimit,
  reportedLimitOf,
} from '../../../model/limits/limit-log.ts';

/** What a request uses of a reported limit, by the limit's unit. A unit that is missing here is not compared. */
const usedOf: Readonly<Record<string, (reply: ProbeReply) => number | null>> = {
  requests: ({ admitted }) => Number(admitted),
  tokens: ({ usage }) => (usage === null ? null : usage.input + usage.output),
  'input-tokens': ({ usage }) => usage?.input ?? null,
  'tokens-prompt': ({ usage }) => usage?.input ?? null,
  'output-tokens': ({ usage }) => usage?.output ?? null,
  'tokens-generated': ({ usage }) => usage?.output ?? null,
};

/** A limit as one reply reports it. */
interface Sighting {
  readonly reply: ProbeReply;
  readonly told: ReportedLimit;
}

const examined = ['requests', 'tokens'] as const;

/** Groups the reported limits. The limits that the examination is about are left out. */
const otherLimits = ({ replies }: LimitLog): readonly (readonly Sighting[])[] => {
  const sightings = replies.flatMap((reply) => {
    if (reply.key === 'second') return [];
    const own = examined.map((unit) => reportedLimitOf(reply, unit));
    return reply.told.filter((told) => !own.includes(told)).map((told) => ({ reply, told }));
  });
  return [
    ...Map.groupBy(sightings, ({ told: { profile, descriptor, unit, window } }) =>
      JSON.stringify([profile, descriptor, unit, window]),
    ).values(),
  ];
};

/**
 * Compares drops in remaining with use, from one request to the next. Returns how many drops there were, and how many
 * matched the use exactly.
 */
const fallsOf = (sightings: readonly Sighting[]) => {
  let [falls, exact] = [0, 0];
  for (const [i, { reply, told }] of sightings.entries()) {
    const before = sightings[i - 1];
    if (before === undefined || reply.sent < before.reply.ended) continue;
    if (before.told.remaining === null || told.remaining === null) continue;
    const fall = before.told.remaining - told.remaining;
    // The reported remaining may include the request's own charge or not.
    const used = [reply, before.reply].map((each) => usedOf[told.unit]?.(each));
    if (fall <= 0 || used.every((each) => typeof each !== 'number')) continue;
    falls += 1;
    exact += Number(used.includes(fall));
  }
  return { falls, exact };
};

const windowText = (window: number | undefined): string =>
  window === undefined
    ? ''
    : window === 60_000
      ? ' a minute'
      : ` in ${formatCount(window / 1000)} s`;

/** Says of one limit how much remained at least, and whether the limit counts what its name says. */
const textOf = (sightings: readonly Sighting[]): string => {
  const { descriptor, unit, limit, window } = sightings[0]!.told;
  const amounts = sightings.flatMap(({ told }) => told.remaining ?? []);
  const { falls, exact } = fallsOf(sightings);
  const owner = descriptor === null ? '' : ` of ${descriptor}`;
  return [
    `${limit === null ? '' : `${formatCount(limit)} `}${unit.replaceAll('-', ' ')}${windowText(window)}${owner}`,
    ...(amounts.length === 0 ? [] : [`${formatCount(Math.min(...amounts))} remained at least`]),
    ...(falls === 0 ? [] : [`it fell by exactly what was used ${exact} of ${falls} times`]),
  ].join(', ');
};

/**
 * Checks whether the headers report more limits than one of requests and one of tokens. A team's replies lack the
 * limits of single keys, so for a team the check stays undecided.
 */
export const checkOtherLimits = (log: LimitLog): LimitCheck => {
  const others = otherLimits(log);
  const isTold = log.replies.some(({ told }) => told.length > 0);
  const none = !isTold
    ? 'the answers report no limits'
    : log.isTeam === true
      ? 'none of the team; those of single keys were left out'
      : 'none';
  return advisoryCheck({
    id: 'other-limits',
    claim: 'The headers report no limit beside one of requests and one of tokens.',
    finding: others.length === 0 && isTold && log.isTeam !== true ? 'proved' : 'undecided',
    observed: others.length === 0 ? none : `beside them: ${others.map(textOf).join('; ')}`,
  });
};
