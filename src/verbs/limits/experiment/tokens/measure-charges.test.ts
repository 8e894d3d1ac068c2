import { describe, expect, it } from 'vitest';
import type { TokenReply } from '../../model/token-log.ts';
import { account } from './measure-charges.ts';
import { openExamination } from './open-examination.ts';
import type { TokenQuery } from './token-client.ts';
import { planTokens, type TokenPlanTerms } from './token-plan.ts';

/** Measures the charges of a gateway that answers each request within 10 ms; returns what it was asked, and when. */
const accounted = async (changes: Partial<TokenPlanTerms> = {}) => {
  const plan = planTokens({
    rule: { tokens: 20_000, requests: 60, window: 60_000 },
    context: null,
    isQuick: false,
    sustain: 0,
    hasOtherModel: true,
    hasAudio: true,
    ...changes,
  });
  if (typeof plan === 'string') throw new Error(plan);
  let now = 0;
  const queries: { readonly at: number; readonly query: TokenQuery }[] = [];
  const send = ({ burst = 0, isTap = false, ...query }: TokenQuery): Promise<TokenReply> => {
    const sent = now;
    queries.push({ at: sent, query: { burst, isTap, ...query } });
    now += 10;
    const { phase, kind, prompt, maxTokens } = query;
    return Promise.resolve({
      phase,
      kind,
      burst,
      isTap,
      sent,
      answered: now,
      ended: now,
      status: 200,
      unit: null,
      prompt,
      maxTokens,
      usage: null,
      reported: null,
    });
  };
  const client = {
    now: () => now,
    sleepUntil: (moment: number) => {
      now = Math.max(now, moment);
      return Promise.resolve();
    },
    send,
    charactersPerToken: () => null,
  };
  const examination = openExamination(client, {
    plan,
    budget: { requests: 1000, tokens: 1e9 },
    stopReason: () => null,
    onPhaseStart: () => undefined,
  });
  await account(examination);
  const subjects = queries.filter(({ query }) => query.isTap !== true);
  return { plan, queries, subjects };
};

describe('the accounting of an examination of tokens', () => {
  it('sends each of the remaining kinds once, with numbers of tokens that distinguish them', async () => {
    const { plan, subjects } = await accounted();
    const sent = subjects.map(
      ({ query: { kind, prompt, maxTokens, isStream } }) =>
        `${kind}: ${prompt} in, ${maxTokens} out${isStream ? ', streamed' : ''}`,
    );
    const { visible, slice } = plan;
    expect(sent).toEqual([
      `stream-unreported: ${visible} in, 1 out, streamed`,
      `again: ${slice} in, 1 out`,
      `answer: ${Math.min(visible, 100)} in, 160 out`,
      `stream-answer: ${Math.min(visible, 100)} in, 160 out, streamed`,
      `two-answers: ${visible} in, 1 out`,
      `cut-answering: ${visible} in, 1 out, streamed`,
      `cut-sent: ${visible} in, 1 out, streamed`,
      `bad-parameter: ${visible} in, 1 out`,
      `unknown-model: ${visible} in, 1 out`,
      `other-model: ${visible} in, 1 out`,
      'speech: 0 in, 1 out',
      'transcription: 0 in, 1 out',
    ]);
  });

  it('leaves out what the target does not have', async () => {
    const { subjects } = await accounted({ hasOtherModel: false, hasAudio: false });
    expect(subjects.map(({ query }) => query.kind).slice(-2)).toEqual([
      'bad-parameter',
      'unknown-model',
    ]);
  });

  it('repeats only the long prompt', async () => {
    const { subjects } = await accounted();
    const repeated = subjects.filter(({ query }) => query.isRepeated === true);
    expect(repeated.map(({ query }) => query.kind)).toEqual(['again']);
  });

  it('looks at the limit before, between and after all, twice where a charge may come late', async () => {
    const { queries } = await accounted({ hasOtherModel: false, hasAudio: false });
    const order = queries.map(({ query }) => (query.isTap === true ? '.' : ` ${query.kind}`));
    expect(order.join('')).toBe(
      '. stream-unreported.. again.. answer. stream-answer.. two-answers. cut-answering.. cut-sent.. bad-parameter. unknown-model.',
    );
  });

  it('leaves so much time between requests that the limit of requests refuses none', async () => {
    const { subjects, plan } = await accounted();
    const gaps = subjects.slice(1).map(({ at }, i) => at - subjects[i]!.at);
    const { requests, window } = plan.rule;
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual((4 * window) / requests!);
  });
});
