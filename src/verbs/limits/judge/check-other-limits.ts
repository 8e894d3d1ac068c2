import { formatCount } from '../../../judge/limits/facts/check-claim.ts';
import {
  advisoryCheck,
  type LimitCheck,
  type LimitLog,
  type ProbeReply,
  type ReportedLimit,
  reportedLimitOf,
} from '../../../model/limits/limit-log.ts';

/**
 * For each unit of a limit, returns the amount of the limit that a request used. Limits in other units are not compared
 * with the use.
 */
const usedOf: Readonly<Record<string, (reply: ProbeReply) => number | null>> = {
  requests: ({ admitted }) => Number(admitted),
  tokens: ({ usage }) => (usage === null ? null : usage.input + usage.output),
  'input-tokens': ({ usage }) => usage?.input ?? null,
  'tokens-prompt': ({ usage }) => usage?.input ?? null,
  'output-tokens': ({ usage }) => usage?.output ?? null,
  'tokens-generated': ({ usage }) => usage?.output ?? null,
};

interface Sighting {
  readonly reply: ProbeReply;
  readonly limit: ReportedLimit;
}

const examined = ['requests', 'tokens'] as const;

/** Returns the reports of each limit in the headers, except for the two examined limits. */
const otherLimits = ({ replies }: LimitLog): readonly (readonly Sighting[])[] => {
  const sightings = replies.flatMap((reply) => {
    if (reply.key === 'second') return [];
    const own = examined.map((unit) => reportedLimitOf(reply, unit));
    return reply.told.filter((limit) => !own.includes(limit)).map((limit) => ({ reply, limit }));
  });
  return [
    ...Map.groupBy(sightings, ({ limit: { profile, descriptor, unit, window } }) =>
      JSON.stringify([profile, descriptor, unit, window]),
    ).values(),
  ];
};

/**
 * Compares the drops in a remaining amount with the use of the requests. Returns the number of drops, and the number of
 * drops that matched the use exactly.
 */
const fallsOf = (sightings: readonly Sighting[]) => {
  let [falls, exact] = [0, 0];
  for (const [i, { reply, limit }] of sightings.entries()) {
    const before = sightings[i - 1];
    if (before === undefined || reply.sent < before.reply.ended) continue;
    if (before.limit.remaining === null || limit.remaining === null) continue;
    const fall = before.limit.remaining - limit.remaining;
    // A request may report the remaining amount before or after it is charged, so either request may explain the drop.
    const used = [reply, before.reply].map((each) => usedOf[limit.unit]?.(each));
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

/** Describes one limit: the lowest remaining amount, and how often the amount fell by exactly the use. */
const textOf = (sightings: readonly Sighting[]): string => {
  const { descriptor, unit, limit, window } = sightings[0]!.limit;
  const amounts = sightings.flatMap((each) => each.limit.remaining ?? []);
  const { falls, exact } = fallsOf(sightings);
  const owner = descriptor === null ? '' : ` of ${descriptor}`;
  return [
    `${limit === null ? '' : `${formatCount(limit)} `}${unit.replaceAll('-', ' ')}${windowText(window)}${owner}`,
    ...(amounts.length === 0 ? [] : [`${formatCount(Math.min(...amounts))} remained at least`]),
    ...(falls === 0 ? [] : [`it fell by exactly what was used ${exact} of ${falls} times`]),
  ].join(', ');
};

/**
 * Checks whether the headers report other limits besides the examined limits of requests and of tokens. A team's
 * replies lack the limits of single keys, so for a team the check stays undecided.
 */
export const checkOtherLimits = (log: LimitLog): LimitCheck => {
  const others = otherLimits(log);
  const hasAny = log.replies.some(({ told }) => told.length > 0);
  const none = !hasAny
    ? 'the answers report no limits'
    : log.isTeam === true
      ? 'none of the team; those of single keys were left out'
      : 'none';
  return advisoryCheck({
    id: 'other-limits',
    claim: 'The headers report no limit beside one of requests and one of tokens.',
    finding: others.length === 0 && hasAny && log.isTeam !== true ? 'proved' : 'undecided',
    observed: others.length === 0 ? none : `beside them: ${others.map(textOf).join('; ')}`,
  });
};
