import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { weirCommand } from '../../bench/harness/run-weir.ts';
import { spanCounts } from '../../judge/limits/facts/interval-counts.ts';
import { isViolation } from '../../model/limits/limit-log.ts';
import { runProgram } from '../../platform/process/run-program.ts';
import { chargesOf } from '../../verbs/limits/judge/tokens/token-charges.ts';
import { tokenGuards } from '../../verbs/limits/judge/tokens/token-guards.ts';
import { isAdmitted, usedTokens } from '../../verbs/limits/model/token-log.ts';
import type { TokenReport } from '../../verbs/limits/model/token-report.ts';
import { freePort, provingKeys } from '../harness/server-process.ts';
import type { TokenCase } from './token-cases.ts';
import { readTokenTruth, type TokenTruth } from './token-oracle.ts';

export interface TokenExaminationTerms {
  /** The declared limits, in a minute. */
  readonly tokens: number;
  readonly requests: number;
  /** Whether the operator says that the key is idle and that usage is what is charged. */
  readonly isPromised: boolean;
  /** The length of the window in ms, if it is no minute. */
  readonly window?: number;
  /** Further options of the command; `SECOND_KEY` has the second key of the gateway. */
  readonly args?: readonly string[];
  /** The folder that keeps the report of Weir and the log of each gateway. */
  readonly folder: string;
}

/** The least and the most that a figure can be, and what the gateway’s own log says. */
export interface HeldFigure {
  readonly least: number;
  readonly most: number;
  readonly truth: number;
}

/** What was printed before an examination, and what it used. */
export interface KeptBudget {
  readonly printed: readonly number[];
  /** Requests, tokens and minutes. */
  readonly used: readonly number[];
}

/** What `weir limits --tokens` said of a gateway, and what is true. */
export interface TokenExaminationRow {
  readonly limiter: string;
  readonly version: string;
  readonly fault: string | null;
  readonly leak: string | null;
  readonly isPromised: boolean;
  readonly code: number | null;
  readonly verdict: string;
  readonly reasons: readonly string[];
  readonly violated: readonly string[];
  readonly refuted: readonly string[];
  readonly truth: TokenTruth;
  /** The admitted requests, and the tokens used, in the fullest minute. */
  readonly held: { readonly requests: HeldFigure; readonly tokens: HeldFigure };
  readonly budget: KeptBudget;
}

const minute = 60_000;

/** Returns what Weir’s log says of the fullest minute, beside what the gateway’s own log says. */
const heldIn = ({ log }: TokenReport, truth: TokenTruth): TokenExaminationRow['held'] => {
  const { terms } = tokenGuards(log);
  const uses = chargesOf(log.replies, terms).filter((_, i) => log.replies[i]!.status !== 429);
  const charges = uses.map(({ sent: from, settled: until, least, most }) => ({
    from,
    until,
    least,
    most: Number.isFinite(most) ? most : 0,
  }));
  const admitted = log.replies
    .filter((reply) => isAdmitted(reply) || reply.status === 0)
    .map((reply) => {
      const least = isAdmitted(reply) ? 1 : 0;
      return { from: reply.sent, until: reply.answered, least, most: 1 };
    });
  return {
    requests: { ...spanCounts(admitted)(minute), truth: truth.mostRequests },
    tokens: { ...spanCounts(charges)(minute), truth: truth.mostTokens },
  };
};

const timeIn = (text: string): number => {
  const found = /about (?:(\d+) h )?(?:(\d+) min)?(?: ?([\d.]+) s)?\.?$/m.exec(text);
  return Number(found?.[1] ?? 0) * 60 + Number(found?.[2] ?? 0) + Number(found?.[3] ?? 0) / 60;
};

/** Reads the budget that was printed, and sums what was used. */
const budgetIn = (said: string, { log, took }: TokenReport): KeptBudget => {
  const line = /Budget: (.*)/.exec(said)?.[1] ?? '';
  const amounts = [...line.matchAll(/about ([\d,]+) \(at most [\d,]+\)/g)].map(([, amount]) =>
    Number(amount!.replaceAll(',', '')),
  );
  const tokens = log.replies
    .filter(isAdmitted)
    .reduce((sum, reply) => sum + (usedTokens(reply) ?? reply.prompt), 0);
  return {
    printed: [...amounts.slice(0, 2), timeIn(line)],
    used: [log.replies.length, tokens, took / minute],
  };
};

/** Examines the limit of tokens of a gateway of others, and reads what its own log says. */
export const examineTokenCase = async (
  { name, fault, leak, start }: TokenCase,
  { tokens, requests, isPromised, folder, window = minute, args = [] }: TokenExaminationTerms,
): Promise<TokenExaminationRow> => {
  const words = `${name}, ${fault ?? 'compliant'}${isPromised ? ', promised' : ''}`;
  const own = join(folder, words.replaceAll(/[^a-z0-9.]+/gi, '-'));
  await rm(own, { recursive: true, force: true });
  await mkdir(own, { recursive: true });
  const log = join(own, 'tokens.log');
  const port = await freePort();
  const gateway = await start({ port, folder: own, log, tokens, requests, window });
  try {
    const declared = [
      `limits.requestsPerMinute=${requests}`,
      `limits.tokensPerMinute=${tokens}`,
    ].flatMap((word) => ['--set', word]);
    const options = ['--tokens', '--yes', '--model', 'proving/small', '--out', join(own, 'out')];
    options.push('--window', `${window}ms`, ...args);
    if (isPromised) options.push('--yes-tokens');
    const { code, stderrTail } = await runProgram(
      [...weirCommand, 'limits', '--target', gateway.url, ...declared, ...options],
      {
        ...process.env,
        WEIR_API_KEY: provingKeys[0],
        SECOND_KEY: provingKeys[1],
        WEIR_HISTORY: 'off',
        GITHUB_STEP_SUMMARY: '',
      },
    );
    await writeFile(join(own, 'said.txt'), stderrTail);
    const text = await readFile(join(own, 'out', 'token-limits.json'), 'utf8').catch(() => {
      throw new Error(`weir limits ended with ${code} and left no report: ${stderrTail}`);
    });
    const report = JSON.parse(text) as TokenReport;
    const { verdict, reasons, checks } = report.findings;
    const truth = await readTokenTruth(log, tokens);
    return {
      limiter: name,
      version: gateway.version,
      fault: fault ?? null,
      leak: leak ?? null,
      isPromised,
      code,
      verdict,
      reasons,
      violated: checks.filter(isViolation).map(({ id, observed }) => `${id}: ${observed}`),
      refuted: checks.filter(({ finding }) => finding === 'refuted').map(({ id }) => id),
      truth,
      held: heldIn(report, truth),
      budget: budgetIn(stderrTail, report),
    };
  } finally {
    await gateway.stop();
  }
};
