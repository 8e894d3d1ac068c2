import { traceText } from './workload-text.ts';
import { plural, timeText } from '../text/number-text.ts';
import type { Load, OpenLoad } from '../../model/plan/plan.ts';

const short = (value: number): string => String(Number(value.toFixed(2)));

const rate = (value: number): string => `${short(value)}/s`;

const spacingText = (spacing: OpenLoad['spacing']): string => {
  if (spacing === 'even') return '';
  return spacing === 'poisson' ? ', Poisson' : `, gamma of shape ${spacing.gamma}`;
};

/** A load in a few words, such as `20/s → 40/s in 30 s, Poisson`. */
export const loadText = (load: Load): string => {
  const users = 'users' in load ? plural(load.users, 'user') : '';
  const think =
    'thinkTime' in load && load.thinkTime > 0 ? `, thinking ${timeText(load.thinkTime)}` : '';
  switch (load.kind) {
    case 'open': {
      const pieces = load.curve.map(({ from, to, duration }) =>
        from === to
          ? `${rate(to)} for ${timeText(duration)}`
          : `${rate(from)} → ${rate(to)} in ${timeText(duration)}`,
      );
      return `${pieces.join(', then ')}${spacingText(load.spacing)}`;
    }
    case 'closed':
      return `${users} for ${timeText(load.duration)}${think}, ramped up in ${timeText(load.rampUp)}`;
    case 'saturate':
      return `${plural(load.connections, 'connection')} flat out for ${timeText(load.duration)}`;
    case 'trace':
      return traceText(load);
    case 'iterations':
      return `${users} sharing ${plural(load.iterations, 'request')}${think}, at most ${timeText(load.maxDuration)}`;
  }
};
