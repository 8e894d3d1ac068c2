import {
  type ProbePhase,
  probePhases,
  type ProbeReply,
  reportedLimitOf,
} from '../../../model/limits/limit-log.ts';
import type { LimitReport } from '../model/limit-report.ts';
import type { LimiterFit } from '../../../model/limits/limiter-fit.ts';
import { multiplesBetween, plotFigure } from '../../../report/document/plot.ts';
import { countText, plural, timeText } from '../../../report/text/number-text.ts';
import { markup, type Markup } from '../../../report/text/markup.ts';

/** Returns the instants at which the limiter's windows start; an empty list if it has no windows. */
const windowStarts = (
  fit: LimiterFit | null,
  replies: readonly ProbeReply[],
  window: number,
  [from, to]: readonly [number, number],
): readonly number[] => {
  if (fit?.limiter === 'fixed-from-first') {
    const starts: number[] = [];
    for (const { sent, answered, admitted } of replies) {
      const at = (sent + answered) / 2;
      if (admitted && at >= (starts.at(-1) ?? Number.NEGATIVE_INFINITY) + window) starts.push(at);
    }
    return starts;
  }
  const phase = fit?.parameters['phase']?.value ?? null;
  if (phase === null) return [];
  return multiplesBetween(from - phase, to - phase, window).map((start) => phase + start);
};

/** Returns the reported numbers of remaining requests, as the corners of steps. */
const remainingSteps = (replies: readonly ProbeReply[]): readonly (readonly [number, number])[] => {
  const reported = replies
    .flatMap((reply) => {
      const remaining = reportedLimitOf(reply, 'requests')?.remaining ?? null;
      return remaining === null ? [] : [[reply.answered, Math.max(0, remaining)] as const];
    })
    .toSorted(([a], [b]) => a - b);
  return reported.flatMap(([at, remaining], i) => [
    [at, reported[Math.max(0, i - 1)]![1]],
    [at, remaining],
  ]);
};

/**
 * The ticks of admitted and refused requests, and the bottom of the plot, lie this far below zero, as shares of the
 * limit.
 */
const lanes = { admitted: -0.1, limited: -0.19, bottom: -0.25 } as const;

const drawing = (phase: ProbePhase, { log, judgement }: LimitReport): Markup | null => {
  const replies = log.replies.filter((reply) => reply.phase === phase && reply.key === 'first');
  if (replies.length === 0) return null;
  const { limit, window } = log.declared.requests;
  const from = Math.min(...replies.map(({ sent }) => sent));
  const to = Math.max(...replies.map(({ answered }) => answered), from + 1);
  const { best: fit } = judgement.identification;
  const starts = windowStarts(fit, replies, window, [from, to]);
  const refused = replies.filter(({ admitted }) => !admitted).length;
  const steps = remainingSteps(replies);
  const lineText =
    steps.length === 0
      ? 'No header had a number of remaining requests'
      : 'The line is the number of remaining requests in the headers';
  const windowsText = starts.length === 0 ? '' : '; dashed lines are the starts of windows';
  const times = Array.from({ length: 7 }, (_, i) => from + ((to - from) * i) / 6);
  const label = `${probePhases[phase]}: ${plural(replies.length, 'request')}, ${countText(refused)} refused`;
  return plotFigure(
    {
      title: phase,
      unit: 'remaining requests',
      aside: `${label}. ${lineText}; the ticks below are admitted and refused requests${windowsText}.`,
      label,
      size: [1040, 250],
      x: { ends: [from, to], ticks: times.map((time) => [time, timeText(time)]) },
      y: {
        ends: [lanes.bottom * limit, limit],
        ticks: [0, limit / 2, limit].map((count) => [count, countText(count)]),
      },
    },
    ({ x, y, path, upright }) => [
      ...starts.map((start) => upright('', start)),
      path('rest firm', steps),
      ...replies.map(({ sent, admitted, requestId, request, status }) => {
        const lane = admitted ? 'admitted' : 'limited';
        return markup`<path class="${lane}" d="M${x(sent)} ${y(lanes[lane] * limit)}v10"><title>${requestId}: ${request}, ${status}, ${timeText(sent)}</title></path>`;
      }),
    ],
  );
};

/** Draws each phase with requests: admitted and refused requests, reported remaining requests, and windows. */
export const limitsTimeline = (report: LimitReport): readonly Markup[] =>
  (Object.keys(probePhases) as readonly ProbePhase[]).flatMap(
    (phase) => drawing(phase, report) ?? [],
  );
