import { Unavailable } from '../harness/program-output.ts';
import { markdownTable } from '../harness/markdown-table.ts';
import type { TokenRow } from './run-token-case.ts';
import type { TokenCase } from './token-cases.ts';

interface FigureBounds {
  readonly least: number;
  readonly most: number | null;
}

export const isHeld = ({ least, most }: FigureBounds, truth: number): boolean =>
  least <= truth && truth <= (most ?? Infinity);

export const heldText = (bounds: FigureBounds, truth: number): string =>
  `${truth} in ${bounds.least} to ${bounds.most ?? 'unknown'}${isHeld(bounds, truth) ? '' : ': OUTSIDE'}`;

/** Whether what Weir said of a gateway is true: `WRONG` for an accusation without a fault or a leak. */
const assessmentOf = ({ violated }: TokenRow, { fault, leak }: TokenCase): string => {
  const isFaulty = fault !== undefined || leak !== undefined;
  if (violated.length > 0) return isFaulty ? 'true' : 'WRONG';
  return isFaulty ? 'not shown' : 'true';
};

export const tokenTable = (rows: readonly (readonly [TokenCase, TokenRow])[]): string => {
  const head =
    'limiter|version|planted, or its own leak|exit|verdict|refused|early by the log|explained|admitted in a minute|tokens in a minute'.split(
      '|',
    );
  const lines = rows.map(([tried, row]) => {
    const { truth, limits, explained } = row;
    return [
      row.limiter,
      row.version,
      row.fault ?? tried.leak ?? '',
      row.code,
      assessmentOf(row, tried),
      truth.refused,
      truth.early,
      explained ?? '–',
      heldText(limits.requests, truth.mostRequests),
      heldText(limits.tokens, truth.mostTokens),
    ].map(String);
  });
  return markdownTable(head, lines);
};

/**
 * Runs something against gateways of others, some at a time; `say` gets a sentence for each that is done or cannot be had
 * here. A gateway that fails does not end the others, unless nothing came of any.
 */
export const runTokenCases = async <Row>(
  cases: readonly TokenCase[],
  run: (tried: TokenCase) => Promise<Row>,
  atATime: number,
  say: (sentence: string) => void,
): Promise<readonly (readonly [TokenCase, Row])[]> => {
  const rows: (readonly [TokenCase, Row])[] = [];
  const failures: unknown[] = [];
  const queue = [...cases];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const name = `${next.name}, ${next.fault ?? 'no fault'}`;
      try {
        rows.push([next, await run(next)]);
        say(`${name}: done`);
      } catch (error) {
        if (!(error instanceof Unavailable)) failures.push(error);
        say(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  if (rows.length === 0 && failures.length > 0) throw failures[0];
  return rows;
};
