import type { ProbeReply } from '../../../model/limits/limit-log.ts';
import type {
  DistinguishingDecision,
  LimiterAction,
  LimiterExplanation,
  LimiterFit,
  LimiterIdentification,
  Fitted,
} from '../../../model/limits/limiter-fit.ts';
import {
  type Cell,
  column,
  type Column,
  only,
  type Section,
  section,
  table,
  text,
} from '../../../report/document/document.ts';
import { countText, plural, timeText } from '../../../report/text/number-text.ts';

const isDisjoint = (a: Fitted, b: Fitted): boolean => a.least > b.most || a.most < b.least;

/**
 * Returns whether two limiters have different limits. A cap on requests in flight is another kind of limit and is never
 * compared.
 */
const isOfOtherLimit = (a: LimiterFit, b: LimiterFit): boolean =>
  [a, b].every(({ limiter }) => limiter !== 'in-flight') &&
  (isDisjoint(a.limit, b.limit) || isDisjoint(a.window, b.window));

const withLimit = ({ limiter, limit, window }: LimiterFit): string =>
  `${limiter} of ${countText(limit.value)} in ${timeText(window.value)}`;

export const limiterNames = (
  named: LimiterFit,
  rival: LimiterFit,
): { readonly named: string; readonly rival: string } =>
  isOfOtherLimit(named, rival)
    ? { named: withLimit(named), rival: withLimit(rival) }
    : { named: named.limiter, rival: rival.limiter };

const maxRows = 15;

type Group = readonly DistinguishingDecision[];

const isAlike = (a: DistinguishingDecision, b: DistinguishingDecision): boolean =>
  (['phase', 'observed', 'named', 'rival'] as const).every((name) => a[name] === b[name]);

const groupsOf = (
  decisions: readonly DistinguishingDecision[],
  replies: readonly ProbeReply[],
): readonly Group[] => {
  const places = new Map(replies.map(({ requestId }, place) => [requestId, place]));
  const placeOf = ({ requestId }: DistinguishingDecision): number => places.get(requestId)!;
  const groups: DistinguishingDecision[][] = [];
  for (const decision of decisions) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const isNext =
      last !== undefined && placeOf(decision) === placeOf(last) + 1 && isAlike(last, decision);
    if (isNext) group!.push(decision);
    else groups.push([decision]);
  }
  return groups;
};

const whenText = (group: Group): string => {
  const [from, to] = [group[0]!.sent, Math.max(...group.map(({ answered }) => answered))];
  return timeText(from) === timeText(to) ? timeText(from) : `${timeText(from)} to ${timeText(to)}`;
};

const prediction = (predicted: LimiterAction, observed: LimiterAction): Cell => ({
  text: predicted,
  tone: predicted === observed ? 'good' : 'bad',
});

const columnsFor = (names: ReturnType<typeof limiterNames>): readonly Column<Group>[] => [
  column.name('When', (group) => ({
    text: whenText(group),
    details: { title: 'Request ids', lines: group.map(({ requestId }) => requestId) },
  })),
  column.number('Requests', (group) => countText(group.length)),
  column.text('Observed', ([first]) => first!.observed),
  column.verdict(names.named, ([first]) => prediction(first!.named, first!.observed)),
  column.verdict(names.rival, ([first]) => prediction(first!.rival, first!.observed)),
  column.text({ title: 'Phase', spare: true }, ([first]) => first!.phase),
];

/**
 * Says how many decisions each of two limiters contradicts, and how many decisions both limiters contradict. If the
 * named limiter has another limit than declared, the list below leaves out the decisions that it contradicts.
 */
const contrastText = (
  named: LimiterFit,
  rival: LimiterFit,
  distinguishing: readonly DistinguishingDecision[],
  { ranking, decisions }: LimiterIdentification,
): string => {
  const isListed = ranking.some(
    ({ limiter, limit, window }) =>
      limiter === named.limiter &&
      limit.value === named.limit.value &&
      window.value === named.window.value,
  );
  const listed = isListed ? named.wrong : 0;
  const both = (listed + rival.wrong - distinguishing.length) / 2;
  const names = limiterNames(named, rival);
  const together = both === 0 ? '' : `, ${countText(both)} of them the same`;
  return `${names.named} contradicts ${countText(named.wrong)} of ${plural(decisions, 'decision')}, ${names.rival} ${countText(rival.wrong)}${together}. These distinguish the two:`;
};

/** Names the limiters that are tied with the best one, and says how many more decisions they contradict at most. */
const apartText = (best: LimiterFit, ties: readonly LimiterFit[]): string => {
  const most = Math.max(...ties.map(({ wrong }) => wrong - best.wrong));
  const names = ties.map(({ limiter }) => limiter).join(', ');
  return `${names}, against which ${most === 0 ? 'no decision' : `at most ${plural(most, 'decision')} more`} ${most < 2 ? 'speaks' : 'speak'}`;
};

const whyNothing = ({ best, ties, runnerUp, decisions }: LimiterIdentification): string => {
  if (best === null) {
    return runnerUp === null
      ? 'No class is named: none can be replayed over this log.'
      : `No class is named, so there is nothing to compare with the next best: the closest, ${runnerUp.limiter}, contradicts ${countText(runnerUp.wrong)} of ${plural(decisions, 'decision')}.`;
  }
  return ties.length === 0
    ? `There is no other class to compare ${best.limiter} with.`
    : `Nothing distinguishes ${best.limiter} from any other class: ${apartText(best, ties)}.`;
};

/**
 * Explains why a limiter is identified instead of the next best one, with the decisions that distinguish the two as
 * evidence.
 */
export const explanationSection = (
  identification: LimiterIdentification,
  { rival, distinguishing }: LimiterExplanation,
  replies: readonly ProbeReply[],
): Section => {
  const { best, ties } = identification;
  if (best === null || rival === null)
    return section('Why this limiter', [text(whyNothing(identification))]);
  const names = limiterNames(best, rival);
  const groups = groupsOf(distinguishing, replies);
  const rows = (count: number) =>
    table(
      `What each predicts, and what the limiter did, at the instants at which ${names.named} and ${names.rival} differ`,
      columnsFor(names),
      groups.slice(0, count),
    );
  const left = groups.length - maxRows;
  return section(`Why ${names.named} and not ${names.rival}`, [
    text(contrastText(best, rival, distinguishing, identification)),
    only(['terminal', 'markdown'], rows(maxRows)),
    only(['html'], rows(groups.length)),
    left > 0 &&
      only(
        ['terminal', 'markdown'],
        text(`… and ${plural(left, 'row')} more, in limits.html and limits.json.`, 'quiet'),
      ),
    ties.length > 0 && text(`Not distinguished from ${best.limiter}: ${apartText(best, ties)}.`),
  ]);
};
