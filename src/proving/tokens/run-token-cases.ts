import type { TokenCase } from './token-cases.ts';
import { runTokenCase, type TokenRow, type TokenRunTerms } from './run-token-case.ts';
import { Unavailable } from '../harness/program-output.ts';

const boundsText = (
  { least, most }: { readonly least: number; readonly most: number | null },
  truth: number,
): string => {
  const isWithin = least <= truth && truth <= (most ?? Infinity);
  return `${truth} in ${least} to ${most ?? 'unknown'}${isWithin ? '' : ': OUTSIDE'}`;
};

/** Whether what Weir said of a gateway is true: `WRONG` for an accusation without a fault or a leak. */
const assessmentOf = ({ violated }: TokenRow, { fault, leak }: TokenCase): string => {
  const isFaulty = fault !== undefined || leak !== undefined;
  if (violated.length > 0) return isFaulty ? 'true' : 'WRONG';
  return isFaulty ? 'not shown' : 'true';
};

export const tokenTable = (rows: readonly (readonly [TokenCase, TokenRow])[]): string => {
  const head =
    '| limiter | version | planted, or its own leak | exit | verdict | refused | early by the log | explained | admitted in a minute | tokens in a minute |';
  const rule = '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |';
  const lines = rows.map(([tried, row]) => {
    const { truth, limits, explained } = row;
    const cells = [
      row.limiter,
      row.version,
      row.fault ?? tried.leak ?? '',
      row.code,
      assessmentOf(row, tried),
      truth.refused,
      truth.early,
      explained ?? '–',
      boundsText(limits.requests, truth.mostRequests),
      boundsText(limits.tokens, truth.mostTokens),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [head, rule, ...lines, ''].join('\n');
};

/** Runs a load against gateways of others, some at a time; `say` gets a sentence for each that cannot be had here. */
export const runTokenCases = async (
  cases: readonly TokenCase[],
  terms: TokenRunTerms,
  atATime: number,
  say: (sentence: string) => void,
): Promise<readonly (readonly [TokenCase, TokenRow])[]> => {
  const rows: (readonly [TokenCase, TokenRow])[] = [];
  const queue = [...cases];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { name } = next;
      try {
        rows.push([next, await runTokenCase(next, terms)]);
        say(`${name}: done`);
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        say(`${name}: ${error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return rows;
};
