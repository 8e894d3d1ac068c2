import type { Plan } from '../model/plan.ts';
import { type Milliseconds, milliseconds } from '../model/quantity.ts';
import { Problem } from '../platform/problem.ts';
import { duration } from '../scenario/notation.ts';

/** Limits are counted over a minute (interface 8): after this long a key has all of them again. */
const limitWindow = 60_000;

/** How long to wait between two runs: until declared limits have recovered. Each run has a reference gateway of its own. */
export const pauseFor = ({ target, limits }: Plan, text: string | undefined): Milliseconds => {
  const isLimited = limits.requestsPerMinute !== null || limits.tokensPerMinute !== null;
  const usual = milliseconds(target.kind === 'url' && isLimited ? limitWindow : 0);
  const length = text === undefined ? usual : duration.read(text);
  if (length !== null) return length;
  throw new Problem(`--pause: expected ${duration.expected}; got ${text ?? ''}`);
};

type SideName = 'base' | 'next';

/** One run of several: whose it is, and its folder. */
export interface Turn {
  readonly side: SideName;
  readonly folder: string;
}

/** `n` of both sides by turns, ABBA, so that a drift of the surroundings falls on both alike; or of one alone. */
export const turnsOf = (count: number, isContest: boolean): readonly Turn[] =>
  Array.from({ length: count }, (_, i): readonly Turn[] => {
    const own: Turn = { side: 'next', folder: isContest ? `new/${i + 1}` : String(i + 1) };
    if (!isContest) return [own];
    const other: Turn = { side: 'base', folder: `base/${i + 1}` };
    return i % 2 === 0 ? [other, own] : [own, other];
  }).flat();
