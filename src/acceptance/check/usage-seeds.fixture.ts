import type { CheckProfile } from '../../verbs/check/model/check-choices.ts';
import { run } from '../../library/library.ts';
import { groupsMatching } from '../../model/result/summary.ts';
import { usageSentence } from '../../report/run/usage-audit.ts';
import { checkQuietly } from './check-quietly.fixture.ts';
import { auditFindings } from './usage-audit.fixture.ts';

/** A target whose usage is true. */
export interface HonestTarget {
  readonly url: string;
  readonly model: string;
  readonly key: string;
  readonly profile: CheckProfile;
}

/** Chats of all kinds whose usage a run compares: with a limit, with the same prompt again, conversations, hang-ups. */
const scenarioFor = ({ url, model }: HonestTarget, seed: number) => {
  const [whole, streamed] = ['chat', 'chat-stream'] as const;
  const repeated = { model, prompt: 'Say who keeps the gate.', maxTokens: 9 };
  return {
    name: 'usage',
    target: url,
    seed,
    warmUp: '0s',
    limits: 'none' as const,
    wire: { proxy: 'none' as const },
    traffic: [
      { kind: whole, name: 'whole', ...repeated },
      { kind: streamed, name: 'streamed', ...repeated },
      {
        kind: streamed,
        name: 'drawn',
        model,
        prompt: { tokens: { kind: 'lognormal' as const, median: 40, sigma: 0.7 } },
        maxTokens: 24,
      },
      {
        kind: whole,
        name: 'talking',
        model,
        prompt: { tokens: 12, turns: { count: 3, answer: 8 } },
        maxTokens: 8,
      },
      {
        kind: streamed,
        name: 'left',
        model,
        prompt: { tokens: 12 },
        maxTokens: 40,
        cancel: { share: '50%', after: '5 tokens' },
      },
    ],
    load: { kind: 'iterations' as const, users: 2, iterations: 30 },
  };
};

/** What a run says of the usage of its answers, and how often it compared one. */
export const usageOfRun = async (target: HonestTarget, seed: number) => {
  const { result } = await run(scenarioFor(target, seed), {
    environment: { WEIR_API_KEY: target.key },
  });
  const audits = groupsMatching(result, () => true).flatMap(({ usageAudit }) =>
    Object.values(usageAudit ?? {}),
  );
  const compared = audits.reduce((sum, { answers }) => sum + answers, 0);
  return { compared, differs: usageSentence(result) };
};

/** What `weir check --only usage` and the usage section of a run report of an honest target with this seed. */
export const usageFoundWith = async (target: HonestTarget, seed: number) => {
  const { url, key, model, profile } = target;
  const checked = await checkQuietly(url, { only: 'usage', model, profile }, key);
  const { compared, differs } = await usageOfRun(target, seed);
  return {
    /** How many checks decided something, and how many comparisons of answers the run made. */
    decided: checked.rows.filter(({ outcome }) => outcome !== 'unchecked').length,
    compared,
    found: [...auditFindings(checked), ...(differs === null ? [] : [`run: ${differs}`])].map(
      (each) => `seed ${seed}: ${each}`,
    ),
  };
};
