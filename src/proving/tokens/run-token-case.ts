import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isViolation } from '../../model/limits/limit-log.ts';
import type { Result } from '../../model/result/result.ts';
import { limitsVerdict } from '../../report/run/verdict.ts';
import { runScenario } from '../harness/run-scenario.ts';
import { freePort } from '../harness/server-process.ts';
import type { TokenCase } from './token-cases.ts';
import { readTokenTruth, type TokenTruth } from './token-oracle.ts';

export interface TokenRunTerms {
  /** The declared limits, in a minute. */
  readonly tokens: number;
  readonly requests: number;
  /** How many times the limit of tokens the load asks for. */
  readonly load: number;
  readonly seconds: number;
  /** `any`, or a class that the operator names. */
  readonly permitted?: string;
}

/** What `weir run` said of a gateway, and what is true. */
export interface TokenRow {
  readonly limiter: string;
  readonly version: string;
  readonly fault: string | null;
  readonly code: number | null;
  /** The claims that were refuted and violate a limit. */
  readonly violated: readonly string[];
  /** The other claims that were refuted. */
  readonly refuted: readonly string[];
  readonly truth: TokenTruth;
  readonly explained: number | null;
  /** What its report says of the limits. */
  readonly verdict: string;
  readonly limits: NonNullable<Result['limits']>['keys'][number];
  readonly units: string;
}

/** A chat uses about this many tokens. */
const perChat = 540;

const scenarioFor = (target: string, terms: TokenRunTerms): Readonly<Record<string, unknown>> => {
  const { tokens, requests, load, seconds, permitted = 'any' } = terms;
  const rate = Math.round((tokens * load) / perChat);
  const chat = { model: 'proving/small', maxTokens: 200 };
  const words = (count: number): string => 'Tell me of it. '.repeat(count);
  return {
    target,
    traffic: [
      { kind: 'chat', weight: 2, prompt: words(80), ...chat },
      { kind: 'chat-stream', weight: 2, prompt: words(80), ...chat },
      { kind: 'chat', weight: 1, prompt: words(180), ...chat, maxTokens: 100 },
    ],
    load: { kind: 'constant', rate: `${rate}/min`, duration: `${seconds}s` },
    limits: { requestsPerMinute: requests, tokensPerMinute: tokens, class: permitted },
    grace: '20s',
  };
};

/** Runs a load above the limit of tokens against a gateway of others, and reads what its own log says. */
export const runTokenCase = async (
  { name, fault, start }: TokenCase,
  terms: TokenRunTerms,
): Promise<TokenRow> => {
  await using own = await mkdtempDisposable(join(tmpdir(), 'weir-proving-'));
  const log = join(own.path, 'tokens.log');
  const { tokens, requests } = terms;
  const gateway = await start({ port: await freePort(), folder: own.path, log, tokens, requests });
  try {
    const { code, result } = await runScenario(scenarioFor(gateway.url, terms), own.path);
    const limits = result.limits!.keys[0]!;
    const refuted = limits.checks.filter(({ finding }) => finding === 'refuted');
    return {
      limiter: name,
      version: gateway.version,
      fault: fault ?? null,
      code,
      violated: refuted.filter(isViolation).map(({ id, observed }) => `${id}: ${observed}`),
      refuted: refuted.filter((check) => !isViolation(check)).map(({ id }) => id),
      truth: await readTokenTruth(log, tokens),
      explained: result.limits?.explained ?? null,
      verdict: limitsVerdict(result)?.text ?? '',
      limits,
      units: JSON.stringify(limits.refusals?.units ?? {}),
    };
  } finally {
    await gateway.stop();
  }
};
