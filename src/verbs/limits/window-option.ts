import type { Milliseconds } from '../../model/quantity.ts';
import { Problem } from '../../platform/problem.ts';
import { countText, timeText } from '../../report/text/number-text.ts';
import { bounded, readOption } from '../../run/input/read-option.ts';
import { durationNotation } from '../../scenario/schema/notation.ts';

/**
 * The longest window, in ms, that Weir examines itself; for a longer one, it only prints a plan. An examination lasts
 * up to 13 windows, in which nothing else may use the key.
 */
const longest = 3_600_000;

/**
 * To examine a limit by hand, the user sends `above` times the limit, of which some must be refused, and `below` times
 * the limit, of which all must be admitted.
 */
const shares = { above: 1.1, below: 0.9 } as const;

/** Says how to examine the limit of a long window by hand, in parts over days. */
const planText = (given: string, window: number, amount: string, limit: number | null): string => {
  const span = (windows: number): string => timeText(windows * window);
  const sized = (share: number): string =>
    limit === null
      ? `${share} times the limit`
      : `${countText(Math.ceil(share * limit))} ${amount} (${share} times the limit)`;
  return `--window: expected at most 1h, since an examination lasts up to 13 windows without a pause; got ${given}. Spread it over ${span(9)}, in which nobody else uses the key: (1) after ${span(2)} of idleness send ${sized(shares.above)} at once: some must be refused; (2) after ${span(2)} more a small chat must be admitted, and ${span(0.5)} later send the same at once: some must be refused; (3) after ${span(2)} more send ${sized(shares.below)} evenly in ${span(1)}, twice: none may be refused. Each part is a \`weir run\` with \`limits: none\``;
};

/**
 * Reads the window of the limits. If the window is too long for one examination, throws a `Problem` with a plan for an
 * examination by hand.
 */
export const readWindow = (
  text: string | undefined,
  amount: 'requests' | 'tokens',
  limit: number | null,
): Milliseconds => {
  const given = text ?? '60s';
  const [, days] = /^([1-9]\d{0,3})d$/.exec(given) ?? [];
  const notation = bounded(durationNotation, (length) => length > 0);
  const window = readOption(
    'window',
    days === undefined ? given : `${24 * Number(days)}h`,
    notation,
  );
  if (window <= longest) return window;
  throw new Problem(planText(given, window, amount, limit));
};
