import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LimiterClass } from '../../model/limits/limit-log.ts';
import { examineGateway, type Examination, type ExaminationTerms } from '../harness/examine.ts';
import { compareWithLog, type ComparedCounts, readServerLog } from '../harness/server-log.ts';
import { Unavailable } from '../harness/program-output.ts';
import { freePort } from '../harness/server-process.ts';
import { restartsEarly } from './early-restarts.ts';
import type { LimiterCase, StartedGateway } from './limiter-case.ts';

type Assessment = 'true' | 'undecided' | 'WRONG';

/** What `weir limits` said of a limiter, and whether it is true. */
export interface LimiterRow {
  readonly limiter: string;
  readonly version: string;
  readonly fault: string | null;
  readonly limit: number;
  readonly window: number;
  /** The most tokens in a window; `null` if none are declared. */
  readonly tokens: number | null;
  readonly code: number | null;
  /** Whether the exit code is the right one. */
  readonly verdict: Assessment;
  readonly named: string | null;
  /** `undecided` if it named none. */
  readonly name: Assessment;
  /** How it says that tokens are charged. */
  readonly charged: string;
  readonly requests: number;
  readonly minutes: number;
  readonly counts: ComparedCounts;
}

/** Exit codes of `weir limits`. */
const exits = { kept: 0, violated: 14 } as const;

/** By how much a window of whole seconds ends early, with a margin for the way, in ms. */
const wholeSeconds = 1500;

const assessVerdict = (
  { fault, restarts }: LimiterCase,
  { window }: ExaminationTerms,
  { code, report }: Examination,
): Assessment => {
  const { kept, violated } = exits;
  if (restarts && code === violated && restartsEarly(report.log, { window, early: wholeSeconds }))
    return 'true';
  const [right, wrong] = fault === undefined ? [kept, violated] : [violated, kept];
  if (code === right) return 'true';
  return code === wrong ? 'WRONG' : 'undecided';
};

/** The classes that an examination names, more than one if they are tied. */
const namesIn = ({ report }: Examination): readonly LimiterClass[] => {
  const { best, ties } = report.judgement.identification;
  return best === null ? [] : [best, ...ties].map(({ limiter }) => limiter);
};

/** What the check of token accounting observed; empty if it could not be examined. */
const chargedIn = ({ report }: Examination): string => {
  const check = report.judgement.checks.find(({ id }) => id === 'token-accounting');
  return check === undefined || check.finding === 'undecided' ? '' : check.observed;
};

const assessName = ({ classes }: LimiterCase, named: readonly LimiterClass[]): Assessment => {
  if (named.length === 0) return 'undecided';
  return named.some((name) => classes.includes(name)) ? 'true' : 'WRONG';
};

export const rowOf = (
  examined: LimiterCase,
  terms: ExaminationTerms,
  { version, examination, counts }: Examined,
): LimiterRow => {
  const named = namesIn(examination);
  return {
    limiter: examined.name,
    version,
    fault: examined.fault?.what ?? null,
    limit: terms.limit,
    window: terms.window,
    tokens: examined.tokens ?? null,
    code: examination.code,
    verdict: assessVerdict(examined, terms, examination),
    named: named.length === 0 ? null : named.join(' or '),
    name: assessName(examined, named),
    charged: chargedIn(examination),
    requests: examination.report.log.replies.length,
    minutes: examination.took / 60_000,
    counts,
  };
};

interface Examined {
  readonly version: string;
  readonly examination: Examination;
  readonly counts: ComparedCounts;
}

const startLimiter = async (
  { fault, start, tokens }: LimiterCase,
  { limit, window }: ExaminationTerms,
  folder: string,
  log: string,
): Promise<StartedGateway> => {
  // A faulty limiter's headers would give it away.
  const words = fault === undefined ? [] : ['headers=none', ...(fault.words ?? [])];
  return start(
    {
      limit: Math.round(limit * (fault?.limit ?? 1)),
      window: window * (fault?.window ?? 1),
      tokens,
      port: await freePort(),
      folder,
      log,
    },
    words,
  );
};

/** Starts and stops a limiter's gateway, so that it is installed; does nothing if it cannot be had here. */
export const startOnce = async (limiter: LimiterCase, terms: ExaminationTerms): Promise<void> => {
  await using own = await mkdtempDisposable(join(tmpdir(), 'weir-proving-'));
  try {
    const gateway = await startLimiter(limiter, terms, own.path, join(own.path, 'requests.log'));
    await gateway.stop();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
  }
};

/**
 * Starts a limiter's gateway, examines it with the real program and compares the counts of both. Throws
 * `Unavailable` if it cannot be had here.
 */
export const examineLimiter = async (
  examined: LimiterCase,
  terms: ExaminationTerms,
): Promise<Examined> => {
  await using own = await mkdtempDisposable(join(tmpdir(), 'weir-proving-'));
  const log = join(own.path, 'requests.log');
  const gateway = await startLimiter(examined, terms, own.path, log);
  try {
    const { tokens } = examined;
    const declared = tokens === undefined ? [] : ['--set', `limits.tokensPerMinute=${tokens}`];
    const examination = await examineGateway(gateway.url, {
      ...terms,
      args: [...terms.args, ...declared],
    });
    const counts = compareWithLog(examination.report.log, await readServerLog(log));
    return { version: gateway.version, examination, counts };
  } finally {
    await gateway.stop();
  }
};
