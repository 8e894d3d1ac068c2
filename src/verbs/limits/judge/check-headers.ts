import {
  advisoryCheck,
  type LimitCheck,
  type LimitLog,
  type ProbeReply,
  reportedLimitOf,
} from '../../../model/limits/limit-log.ts';
import { maxEvidence, reportedLimitClaim } from '../../../judge/limits/facts/check-claim.ts';
import { checkReplies } from './check-replies.ts';

const units = ['requests', 'tokens'] as const;

/** Checks whether responses of every class have the limit and the remaining of both units (interface section 8). */
const checkPresence = ({ replies }: LimitLog): LimitCheck => {
  const isWhole = (reply: ProbeReply): boolean =>
    units.every((unit) => {
      const { limit = null, remaining = null } = reportedLimitOf(reply, unit) ?? {};
      return limit !== null && remaining !== null;
    });
  // Responses before the key is checked cannot have them.
  const expected = replies.filter(
    ({ status, request }) => status !== 401 && status !== 0 && request !== 'unknown-path',
  );
  const wrong = expected.filter((reply) => !isWhole(reply));
  const classes = wrong.map(({ status, request }) => (status === 200 ? request : String(status)));
  const allText = `all ${expected.length} responses had them`;
  return checkReplies({
    id: 'headers-present',
    claim: 'Every response has the four limit headers.',
    section: '8',
    unseen: expected.length === 0 ? allText : null,
    wrong,
    observed:
      wrong.length === 0
        ? allText
        : `${wrong.length} of ${expected.length} responses did not have all: ${[...new Set(classes)].join(', ')}`,
  });
};

const checkReadable = ({ replies }: LimitLog): LimitCheck => {
  const wrong = replies.filter(({ unreadable }) => unreadable.length > 0);
  return advisoryCheck({
    id: 'headers-readable',
    claim: 'All limit headers have readable values.',
    section: '8',
    finding: wrong.length > 0 ? 'refuted' : 'proved',
    observed:
      wrong.length === 0
        ? 'all values were readable'
        : `${wrong.length} responses had unreadable values`,
    evidence: wrong
      .slice(0, maxEvidence)
      .flatMap(({ requestId, unreadable }) =>
        unreadable.map((header) => `${requestId}: ${header}`),
      ),
  });
};

const checkLimits = ({ replies, declared }: LimitLog): readonly LimitCheck[] =>
  units.flatMap((unit) => {
    const limitOf = (reply: ProbeReply): number | null =>
      reportedLimitOf(reply, unit)?.limit ?? null;
    const rule = declared[unit];
    return rule === null
      ? []
      : [checkReplies(reportedLimitClaim(unit, rule.limit, replies, limitOf))];
  });

export const checkHeaders = (log: LimitLog): readonly LimitCheck[] => [
  checkPresence(log),
  checkReadable(log),
  ...checkLimits(log),
];
