import {
  type ProbePhase,
  probePhases,
  type ProbeReply,
  reportedLimitOf,
} from '../../model/limits/limit-log.ts';
import type { LimiterFit, LimitReport } from '../../model/limits/limit-report.ts';
import { coordinate, linearScale } from '../document/plot-figure.ts';
import { countText, plural, timeText } from '../text/number-text.ts';
import { markup, type Markup } from '../text/markup.ts';

const frame = { width: 1040, height: 250, left: 48, right: 12, top: 14, bottom: 62 } as const;

const scaleOf = (replies: readonly ProbeReply[], limit: number) => {
  const from = Math.min(...replies.map(({ sent }) => sent));
  const to = Math.max(...replies.map(({ answered }) => answered), from + 1);
  const { width, height, left, right, top, bottom } = frame;
  const x = linearScale([from, to], [left, width - right]);
  const y = linearScale([0, limit], [height - bottom, top]);
  return {
    from,
    to,
    x: (at: number): string => coordinate(x(at)),
    y: (remaining: number): string => coordinate(y(Math.max(0, Math.min(limit, remaining)))),
  };
};
type Scale = ReturnType<typeof scaleOf>;

const remainingOf = (reply: ProbeReply): number | null =>
  reportedLimitOf(reply, 'requests')?.remaining ?? null;

/** When the windows of the limiter start, if it has windows. */
const windowStarts = (
  fit: LimiterFit | null,
  replies: readonly ProbeReply[],
  window: number,
  { from, to }: Scale,
): readonly number[] => {
  if (fit?.limiter === 'fixed-from-first') {
    const starts: number[] = [];
    for (const { sent, answered, admitted } of replies) {
      const at = (sent + answered) / 2;
      if (admitted && at >= (starts.at(-1) ?? Number.NEGATIVE_INFINITY) + window) starts.push(at);
    }
    return starts;
  }
  const phase = fit?.phase ?? null;
  if (phase === null) return [];
  const first = Math.ceil((from - phase) / window);
  const last = Math.floor((to - phase) / window);
  const count = Math.max(0, last - first + 1);
  return Array.from({ length: count }, (_, i) => phase + (first + i) * window);
};

const remainingPath = (replies: readonly ProbeReply[], { x, y }: Scale): Markup | null => {
  const path = replies
    .map((reply) => ({ at: reply.answered, remaining: remainingOf(reply) }))
    .filter(({ remaining }) => remaining !== null)
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, remaining }, i) =>
      i === 0 ? `M${x(at)} ${y(remaining!)}` : `H${x(at)}V${y(remaining!)}`,
    )
    .join('');
  return path === '' ? null : markup`<path class="rest" d="${path}" />`;
};

const lanes = { admitted: frame.height - 44, refused: frame.height - 32 } as const;

const tick = ({ sent, admitted, requestId, request, status }: ProbeReply, { x }: Scale): Markup => {
  const y = admitted ? lanes.admitted : lanes.refused;
  return markup`<path class="${admitted ? 'admitted' : 'limited'}" d="M${x(sent)} ${y - 5}v10"><title>${requestId}: ${request}, ${status}, ${timeText(sent)}</title></path>`;
};

const axis = (limit: number, { x, y, from, to }: Scale): Markup => {
  const pieces = 6;
  const marks = Array.from({ length: pieces + 1 }, (_, i) => from + ((to - from) * i) / pieces);
  return markup`<g class="axes">
    ${[0, limit / 2, limit].map(
      (
        remaining,
      ) => markup`<path class="grid" d="M${frame.left} ${y(remaining)}H${frame.width - frame.right}" />
      <text x="${frame.left - 8}" y="${y(remaining)}" dy="0.32em" text-anchor="end">${countText(remaining)}</text>`,
    )}
    ${marks.map(
      (at, i) =>
        markup`<text x="${x(at)}" y="${frame.height - 6}" text-anchor="${i === 0 ? 'start' : i === pieces ? 'end' : 'middle'}">${timeText(at)}</text>`,
    )}
  </g>`;
};

const drawing = (phase: ProbePhase, { log, judgement }: LimitReport): Markup | null => {
  const replies = log.replies.filter((reply) => reply.phase === phase && reply.key === 'first');
  if (replies.length === 0) return null;
  const { limit, window } = log.declared.requests;
  const fit = judgement.declared.best ?? judgement.seen?.best ?? null;
  const scale = scaleOf(replies, limit);
  const refused = replies.filter(({ admitted }) => !admitted).length;
  const starts = windowStarts(fit, replies, window, scale);
  const path = remainingPath(replies, scale);
  const label = `${probePhases[phase]}: ${plural(replies.length, 'request')}, ${countText(refused)} refused`;
  const lineText =
    path === null
      ? 'No header had a number of remaining requests'
      : 'The line is the number of remaining requests in the headers';
  const windowsText = starts.length === 0 ? '' : '; dashed lines are the starts of windows';
  return markup`<figure>
    <figcaption><h3>${phase}</h3>
      <p class="aside">${label}. ${lineText}; the ticks below are admitted and refused requests${windowsText}.</p>
    </figcaption>
    <svg class="timeline" viewBox="0 0 ${frame.width} ${frame.height}" role="img" aria-label="${label}">
      ${axis(limit, scale)}
      ${starts.map((at) => markup`<path class="window" d="M${scale.x(at)} ${frame.top}V${lanes.refused + 6}" />`)}
      ${path}
      ${replies.map((reply) => tick(reply, scale))}
    </svg>
  </figure>`;
};

/** One drawing for each phase with requests: admitted and refused requests over time, reported remaining requests and windows. */
export const limitsTimeline = (report: LimitReport): readonly Markup[] =>
  (Object.keys(probePhases) as readonly ProbePhase[]).flatMap(
    (phase) => drawing(phase, report) ?? [],
  );
