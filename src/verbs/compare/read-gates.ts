import { isGateName, totals } from '../../judge/series/gates.ts';
import { Problem } from '../../platform/problem.ts';

/** The metrics that `--gate` names; `null` if it is absent, and the default metrics decide. */
export const readGates = (text: string | undefined): readonly string[] | null => {
  if (text === undefined) return null;
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  const unknown = names.filter((name) => !isGateName(name));
  if (unknown.length === 0) return names;
  throw new Problem(
    `--gate: expected ${totals.join(', ')}, or a measure and its percentile such as ttft.p95 or endToEnd.p50; got ${unknown.join(', ')}`,
  );
};
