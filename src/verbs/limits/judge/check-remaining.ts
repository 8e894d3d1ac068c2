import {
  type LimitCheck,
  type LimitLog,
  type LimitRule,
  type ProbePhase,
  type ProbeReply,
  reportedLimitOf,
} from '../../../model/limits/limit-log.ts';
import { shortestWindow } from '../../../judge/limits/facts/rule-bounds.ts';
import { checkReplies } from './check-answers.ts';
import { firstKeyHistory } from './limiter-decisions.ts';

const remainingOf = (reply: ProbeReply): number | null =>
  reportedLimitOf(reply, 'requests')?.remaining ?? null;

/** Returns the remaining requests in the answers to admitted requests of the first key, in the order of sending. */
const remainingIn = ({ replies }: LimitLog, phase: ProbePhase | null = null) =>
  replies.flatMap((reply) => {
    const remaining = remainingOf(reply);
    const isWanted = phase === null || reply.phase === phase;
    return isWanted && remaining !== null && reply.admitted && reply.key === 'first'
      ? [{ reply, remaining }]
      : [];
  });

type Reported = ReturnType<typeof remainingIn>[number];

/** The phases in which every request is a small chat. */
const chatPhases: readonly ProbePhase[] = ['even', 'provocation'];

/** A claim about all reports needs at least this many reports. */
const fewestReports = 5;

const fewText = (count: number, what: string): string =>
  count === 0 ? `no ${what}` : `only ${count} ${what}`;

/**
 * Returns the drops in the remaining requests between consecutive requests that were sent one by one within one window.
 */
const serialDrops = (
  log: LimitLog,
): readonly { reply: ProbeReply; step: number; time: number }[] => {
  const own = log.replies.filter(({ key }) => key === 'first');
  return chatPhases.flatMap((phase) => {
    const serial = remainingIn(log, phase);
    return serial.slice(1).flatMap(({ reply, remaining }, i) => {
      const before = serial[i]!;
      // The order of overlapping requests is unknown, so only requests without an overlap are used. If the remaining
      // requests did not drop, a refill or a new window came, so only drops are used.
      const isAlone = own.every(
        (other) =>
          other === reply ||
          other === before.reply ||
          other.ended <= before.reply.sent ||
          other.sent >= reply.ended,
      );
      const isNext = isAlone && reply.sent >= before.reply.ended && remaining < before.remaining;
      const time = reply.answered - before.reply.answered;
      return isNext ? [{ reply, step: before.remaining - remaining, time }] : [];
    });
  });
};

/**
 * Returns the first group of overlapping requests: all requests before the first request that was sent after all
 * earlier requests were answered.
 */
const firstOverlapping = (reported: readonly Reported[]): readonly Reported[] => {
  const ordered = reported.toSorted((a, b) => a.reply.sent - b.reply.sent);
  let until = ordered[0]?.reply.answered ?? 0;
  const end = ordered.findIndex(({ reply }) => {
    const isApart = reply.sent > until;
    until = Math.max(until, reply.answered);
    return isApart;
  });
  return end < 0 ? ordered : ordered.slice(0, end);
};

/** Returns the concurrent requests that reported the remaining requests, the most remaining first. */
const releasedRemaining = (log: LimitLog) =>
  firstOverlapping(remainingIn(log, 'concurrency')).toSorted((a, b) => b.remaining - a.remaining);

const checkSerialRemaining = (log: LimitLog): LimitCheck => {
  const steps = serialDrops(log);
  const wrong = steps.filter(({ step }) => step !== 1);
  const negative = remainingIn(log).filter(({ remaining }) => remaining < 0);
  return checkReplies({
    id: 'remaining-serial',
    claim: 'Sent one by one, each request lowers remaining by exactly one, never below zero.',
    section: '8',
    unseen:
      wrong.length + negative.length === 0 && steps.length < fewestReports
        ? fewText(steps.length, 'consecutive requests reported a drop in remaining')
        : null,
    wrong: [...wrong, ...negative].map(({ reply }) => reply),
    observed: `${steps.length - wrong.length} of ${steps.length} drops were one; remaining was negative ${negative.length} times`,
  });
};

const countDuplicates = (reported: readonly Reported[]): number =>
  reported.length - new Set(reported.map(({ remaining }) => remaining)).size;

/**
 * Returns how many requests a refill can add at most while the given requests are sent and answered. Each added request
 * may repeat a reported value once.
 */
const refilledDuring = (reported: readonly Reported[], { limit, window }: LimitRule): number => {
  const begin = Math.min(...reported.map(({ reply }) => reply.sent));
  const end = Math.max(...reported.map(({ reply }) => reply.answered));
  return Math.floor((limit * (end - begin)) / shortestWindow(window)) + 1;
};

const areOfOneStep = (reported: readonly Reported[], { limit }: LimitRule): boolean => {
  const counts = Map.groupBy(reported, ({ remaining }) => remaining);
  const repeated = [...counts].filter(([, { length }]) => length > 1);
  const values = repeated.map(([value]) => value);
  return (
    repeated.every(([, { length }]) => length === 2) &&
    Math.max(...values) - Math.min(...values) === values.length - 1 &&
    values.length <= limit / 2
  );
};

const checkConcurrentRemaining = (log: LimitLog): LimitCheck => {
  const released = releasedRemaining(log);
  const duplicates = countDuplicates(released);
  const isTooFew = released.length < (duplicates === 0 ? fewestReports : 2);
  const refill = isTooFew ? 0 : refilledDuring(released, log.declared.requests);
  const wrong = released.filter(({ remaining }, i) => remaining === released[i - 1]?.remaining);
  const isByRefill =
    duplicates > 0 && (duplicates <= refill || areOfOneStep(released, log.declared.requests));
  const unseen = isTooFew
    ? fewText(released.length, 'concurrent requests reported remaining')
    : isByRefill
      ? `${duplicates} of ${released.length} values had been reported before, which a refill meanwhile explains`
      : null;
  return checkReplies({
    id: 'remaining-no-lost-updates',
    claim: 'Concurrent requests all report a different remaining.',
    section: '8',
    unseen,
    wrong: wrong.map(({ reply }) => reply),
    observed: `${duplicates} of ${released.length} values had been reported before`,
  });
};

/** In these phases, a burst follows an idle window, so no limiter forgets earlier requests during the burst. */
const burstPhases: readonly ProbePhase[] = ['provocation', 'concurrency'];

/**
 * Checks whether all reported numbers of remaining requests come from one counter. Workers without a common store would
 * repeat each other's numbers.
 */
const checkOneCounter = (log: LimitLog): LimitCheck => {
  const rule = log.declared.requests;
  const bursts = burstPhases.map((phase) => {
    const all = remainingIn(log, phase);
    const end = (all[0]?.reply.sent ?? 0) + rule.window / 10;
    return all.filter(({ reply }) => reply.answered <= end);
  });
  const seen = bursts.filter((burst) => burst.length > 1);
  const repeated = seen.filter(
    (burst) => countDuplicates(burst) > refilledDuring(burst, rule) + rule.limit / 2,
  );
  return checkReplies({
    id: 'remaining-one-counter',
    claim: 'Reported remaining comes from one counter.',
    section: '8',
    unseen:
      repeated.length === 0 && !seen.some(({ length }) => length >= fewestReports)
        ? `no burst reported remaining ${fewestReports} times`
        : null,
    wrong: repeated.flatMap((burst) => burst.map(({ reply }) => reply)),
    observed: `values reported before within a burst: ${seen.map((burst) => `${countDuplicates(burst)} of ${burst.length}`).join(', ')}`,
  });
};

/**
 * Counts the gaps: the values between the lowest and the highest reported value that no reply reported. Returns 0 if
 * two replies reported the same value, since the counter then lost an update, and gaps show nothing.
 */
const gapsIn = (reported: readonly Reported[]): number => {
  const values = reported.map(({ remaining }) => remaining);
  const distinct = new Set(values).size;
  if (distinct !== values.length || distinct < 2) return 0;
  return Math.max(...values) - Math.min(...values) + 1 - distinct;
};

/**
 * Returns whether the end of a window within a burst explains the only gap in the values. It does if all replies that
 * reported values below the gap were answered before all replies that reported values above the gap.
 */
const isWindowEnd = (reported: readonly Reported[]): boolean => {
  const place = reported.findIndex(
    ({ remaining }, i) => i > 0 && reported[i - 1]!.remaining - remaining > 1,
  );
  if (place < 0) return false;
  const [above, below] = [reported.slice(0, place), reported.slice(place)];
  const isOnly = gapsIn(above) === 0 && gapsIn(below) === 0;
  const answeredOf = (group: readonly Reported[]): readonly number[] =>
    group.map(({ reply }) => reply.answered);
  return isOnly && Math.max(...answeredOf(below)) < Math.min(...answeredOf(above));
};

const cappedIn = ({ replies }: LimitLog): readonly ProbeReply[] =>
  replies.filter(({ phase, refusal }) => phase === 'concurrency' && refusal?.unit === 'in-flight');

/**
 * Checks whether the remaining requests drop by more than the requests of the examination. Such a drop shows that
 * somebody else uses the key.
 */
export const checkHiddenSpender = (log: LimitLog): LimitCheck => {
  const steps = serialDrops(log);
  const skippedDrops = steps.filter(({ step }) => step > 1);
  const released = releasedRemaining(log);
  // Gaps do not count if a cap on requests in flight, or the end of a window, may explain them.
  const gaps = cappedIn(log).length > 0 || isWindowEnd(released) ? 0 : gapsIn(released);
  const lost = skippedDrops.reduce((sum, { step }) => sum + step - 1, 0) + gaps;
  // If the remaining requests were watched for less than a whole window, other clients of the key may remain unseen.
  const watched = steps.reduce((sum, { time }) => sum + time, 0);
  const isSeen = lost > 0 || watched >= log.declared.requests.window;
  const isContradictory = checkOneCounter(log).finding === 'refuted';
  const unseen = isContradictory
    ? 'the reported values contradict each other'
    : `remaining showed every request for only ${Math.round(watched / 1000)} s`;
  return checkReplies({
    id: 'no-hidden-spender',
    claim: 'No one else uses the key.',
    unseen: isSeen && !isContradictory ? null : unseen,
    wrong: skippedDrops.map(({ reply }) => reply),
    isRefuted: lost > 0,
    observed: `remaining dropped by ${lost} requests that this examination did not send`,
  });
};

const checkFreeRefusals = (log: LimitLog): LimitCheck => {
  const capped = cappedIn(log);
  const reported = remainingIn(log, 'concurrency');
  const lost = gapsIn(reported);
  const isSeen = capped.length > 0 && reported.length > 1;
  return checkReplies({
    id: 'cap-refusals-free',
    claim: 'A request refused by a cap on requests in flight does not count against the minute.',
    unseen: isSeen ? null : 'no cap on requests in flight refused anything',
    wrong: lost > 0 ? capped : [],
    observed: `remaining dropped by ${lost} unsent requests while the cap refused ${capped.length}`,
  });
};

export const checkRemaining = (log: LimitLog): readonly LimitCheck[] => [
  checkHiddenSpender(log),
  checkFreeRefusals(log),
  checkSerialRemaining(log),
  checkConcurrentRemaining(log),
  checkOneCounter(log),
];

/**
 * If at least this many requests are reported as remaining, a whole request certainly remains. A reported 1 may be a
 * rounded fraction.
 */
const minWholeRemaining = 2;

/**
 * Returns refusals that came although requests remained. Before such a refusal, a report gave the remaining requests,
 * and the examination then sent too few requests to use them up.
 */
const refusedWithRemaining = (
  decisions: readonly ProbeReply[],
  { requests }: ReturnType<typeof firstKeyHistory>,
): readonly ProbeReply[] => {
  const reporting = decisions.filter((reply) => reply.admitted && (remainingOf(reply) ?? 0) > 0);
  return decisions.filter((refusal) => {
    if (refusal.admitted) return false;
    const last = reporting.findLast(({ answered }) => answered <= refusal.sent);
    if (last === undefined) return false;
    const since = requests.filter(
      ({ from, until }) => until >= last.sent && from <= refusal.answered,
    ).length;
    // The report already includes the charge of its own request, and the refused request used nothing, so `since`
    // counts two requests too many.
    return remainingOf(last)! - (since - 2) >= minWholeRemaining;
  });
};

/**
 * Returns the false reports of 0 remaining requests. A report is false if more consecutive requests that reported 0
 * were admitted up to this report than a refill can explain.
 */
const admittedAtZero = (
  decisions: readonly ProbeReply[],
  { declared: { requests: rule } }: LimitLog,
): readonly ProbeReply[] => {
  const wrong: ProbeReply[] = [];
  let run: ProbeReply[] = [];
  for (const reply of decisions.filter(({ admitted }) => admitted)) {
    const remaining = remainingOf(reply);
    run = remaining !== null && remaining <= 0 ? [...run, reply] : [];
    const gained = run.length - 1;
    const time = reply.answered - (run[0]?.sent ?? reply.answered);
    // A fraction of a request may have remained at first. With such a fraction, a refill of less than one request is
    // enough.
    if (gained > 1 && gained - 1 > (rule.limit * time) / rule.window) wrong.push(reply);
  }
  return wrong;
};

/**
 * Checks whether the reported remaining requests agree with the decisions that follow. If they disagree, further limits
 * may explain the decisions.
 */
export const checkReported = (log: LimitLog, decisions: readonly ProbeReply[]): LimitCheck => {
  const early = refusedWithRemaining(decisions, firstKeyHistory(log));
  const late = admittedAtZero(decisions, log);
  const seen = decisions.filter((reply) => reply.admitted && remainingOf(reply) !== null).length;
  const isRefused = decisions.some(({ admitted }) => !admitted);
  const isSeen = early.length + late.length > 0 || (isRefused && seen >= fewestReports);
  return checkReplies({
    id: 'remaining-accurate',
    claim: 'A key is refused only with nothing remaining, and admitted only with something.',
    section: '8',
    unseen: isSeen
      ? null
      : isRefused
        ? fewText(seen, 'admitted requests reported remaining')
        : 'nothing was refused',
    wrong: [...early, ...late],
    observed: `${early.length} were refused with requests certainly remaining, ${late.length} admitted with certainly none`,
  });
};
