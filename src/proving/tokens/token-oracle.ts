import { readFile } from 'node:fs/promises';

/** A line of a token gateway's own log: a decision, or a charge. Instants are in ms. */
interface LogLine {
  readonly at: number;
  readonly id: string;
  readonly admitted?: boolean;
  readonly unit?: string | null;
  /** The amount for which the limiter was asked. */
  readonly asked?: number;
  readonly charge?: number;
  /** The tokens of prompt and answer, on the line of their last charge. */
  readonly used?: number;
}

/** What a gateway's own log says of a run. */
export interface TokenTruth {
  readonly admitted: number;
  readonly refused: number;
  /** The refusals before which the log has less than the declared limit in the minute before, with what was asked for. */
  readonly early: number;
  /** The most requests admitted, and the most tokens of prompts and answers, in one minute. */
  readonly mostRequests: number;
  readonly mostTokens: number;
}

const minute = 60_000;

/** Returns the largest sum of amounts within a minute. */
const mostInMinute = (events: readonly { readonly at: number; readonly amount: number }[]) => {
  const ordered = events.toSorted((a, b) => a.at - b.at);
  let [first, sum, most] = [0, 0, 0];
  for (const { at, amount } of ordered) {
    sum += amount;
    while (ordered[first]!.at <= at - minute) {
      sum -= ordered[first]!.amount;
      first += 1;
    }
    most = Math.max(most, sum);
  }
  return most;
};

export const readTokenTruth = async (file: string, limit: number): Promise<TokenTruth> => {
  const text = await readFile(file, 'utf8');
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine);
  const decisions = lines.filter(({ admitted }) => admitted !== undefined);
  // Where the limiter charges what it was asked for, the decision is the charge.
  const charges = lines.flatMap((line): readonly LogLine[] => {
    if (line.charge !== undefined) return [line];
    const isBoth = line.admitted === true && line.used !== undefined;
    return isBoth ? [{ ...line, charge: line.asked ?? 0 }] : [];
  });
  const refused = decisions.filter(({ admitted }) => admitted === false);
  const early = refused.filter(({ at, asked = 1 }) => {
    const before = charges.filter((each) => each.at <= at && each.at > at - minute);
    return before.reduce((sum, { charge = 0 }) => sum + charge, 0) + asked <= limit;
  });
  const admitted = decisions.filter((each) => each.admitted === true);
  return {
    admitted: admitted.length,
    refused: refused.length,
    early: early.length,
    mostRequests: mostInMinute(admitted.map(({ at }) => ({ at, amount: 1 }))),
    mostTokens: mostInMinute(
      charges.flatMap(({ at, used }) => (used === undefined ? [] : [{ at, amount: used }])),
    ),
  };
};
