import { plotFigure } from '../../../report/document/plot.ts';
import { countText, plural, timeText } from '../../../report/text/number-text.ts';
import { markup, type Markup } from '../../../report/text/markup.ts';
import {
  isAdmitted,
  isRefused,
  type TokenReply,
  tokenPhases,
  usedTokens,
} from '../model/token-log.ts';
import type { TokenReport } from '../model/token-report.ts';

const parts: readonly (readonly [title: string, belongs: (reply: TokenReply) => boolean])[] = [
  ['even pace', ({ phase }) => phase === 'even'],
  ['first burst', ({ burst }) => burst === 1],
  ['second burst', ({ burst }) => burst === 2],
  ['third burst', ({ burst }) => burst === 3],
  ['sustained load', ({ phase }) => phase === 'sustained'],
];

type Steps = readonly (readonly [at: number, tokens: number])[];

/**
 * Returns the corners of a step curve between `ends`. The curve shows the tokens used in the last window. The use of
 * each reply begins at `beginOf(reply)`.
 */
const useSteps = (
  replies: readonly TokenReply[],
  window: number,
  beginOf: (reply: TokenReply) => number,
  ends: readonly [number, number],
): Steps => {
  const changes = replies.flatMap((reply) => {
    const tokens = usedTokens(reply) ?? 0;
    const at = beginOf(reply);
    return [
      { at, tokens },
      { at: at + window, tokens: -tokens },
    ];
  });
  let sum = 0;
  const steps: (readonly [number, number])[] = [[ends[0], 0]];
  for (const { at, tokens } of changes.toSorted((a, b) => a.at - b.at)) {
    if (at > ends[1]) break;
    steps.push([at, sum]);
    sum += tokens;
    steps.push([at, sum]);
  }
  return [...steps, [ends[1], sum]];
};

const drawing = ([title, belongs]: (typeof parts)[number], { log }: TokenReport): Markup | null => {
  const replies = log.replies.filter(belongs);
  if (replies.length === 0) return null;
  const { tokens, window } = log.rule;
  const from = Math.min(...replies.map(({ sent }) => sent));
  const to = Math.max(...replies.map(({ ended }) => ended), from + 1);
  const admitted = replies.filter(isAdmitted);
  const possible = useSteps(admitted, window, ({ sent }) => sent, [from, to]);
  const certain = useSteps(admitted, window, ({ ended }) => ended, [from, to]);
  const most = Math.max(tokens, ...possible.map(([, sum]) => sum));
  const refused = replies.filter(isRefused);
  const label = `${plural(replies.length, 'request')}, ${countText(refused.length)} refused`;
  const phase = tokenPhases[replies[0]!.phase];
  const times = Array.from({ length: 7 }, (_, i) => from + ((to - from) * i) / 6);
  return plotFigure(
    {
      title,
      unit: 'tokens in a window',
      aside: `${phase}: ${label}. The upper line is what can be charged, the lower one what was used by answers that ended; the thin line is the limit, and the ticks below are admitted and refused requests.`,
      label,
      size: [1040, 250],
      x: { ends: [from, to], ticks: times.map((time) => [time, timeText(time - from)]) },
      y: {
        ends: [-0.25 * most, most],
        ticks: [0, tokens / 2, tokens].map((count) => [count, countText(count)]),
      },
    },
    ({ x, y, path }) => [
      path('rest', [
        [from, tokens],
        [to, tokens],
      ]),
      path('rest firm', possible),
      path('rest firm', certain),
      ...replies.map(({ sent, status, kind }) => {
        const lane = status === 429 ? 'limited' : 'admitted';
        const height = (lane === 'limited' ? -0.19 : -0.1) * most;
        return markup`<path class="${lane}" d="M${x(sent)} ${y(height)}v10"><title>${kind}: ${status}, ${timeText(sent)}</title></path>`;
      }),
    ],
  );
};

/** Draws the even pace and each burst: the certain and the possible use of a window, compared with the limit. */
export const tokensTimeline = (report: TokenReport): readonly Markup[] =>
  parts.flatMap((part) => drawing(part, report) ?? []);
