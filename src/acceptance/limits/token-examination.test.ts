// @gate 1 s
import { describe, expect, it } from 'vitest';
import { planTokens } from '../../verbs/limits/experiment/tokens/token-plan.ts';
import { judgeTokenLog } from '../../verbs/limits/judge/tokens/judge-tokens.ts';
import { examineMockTokens, tokenRule } from './examine-mock-tokens.fixture.ts';
import { markdownText } from '../../report/document/markdown-writer.ts';
import { tokensDocument, tokensJunit } from '../../verbs/limits/report/tokens-document.ts';

const origin = {
  format: 'token-limits/1' as const,
  weir: '0.1.0',
  target: 'http://127.0.0.1/v1',
  startedAt: '2026-07-01T10:20:30.000Z',
  model: 'weir/small',
  took: 70_000,
};

describe('the reference gateway’s limit of tokens', () => {
  it.each(['fixed-from-first', 'fixed-aligned', 'sliding-log', 'sliding-counter'] as const)(
    'is kept by %s, charged after the answer',
    async (algorithm) => {
      const { log, findings } = await examineMockTokens({ algorithm });
      const report = { ...origin, log, findings };
      expect(markdownText(tokensDocument(report))).toMatchSnapshot('page');
      expect(tokensJunit(report)).toMatchSnapshot('test cases');
      expect(findings.verdict).toBe('kept');
      expect(findings.reasons.join()).toMatch(
        /^2 of 2 bursts were refused, and not certainly too late: refused after \S+ and \S+ of \S+ tokens(?: \(all that was sent before the first charge\))?; an even pace below the limit never was, and the key recovered; a rate above the limit for many windows was not tried \(--sustain 6\)$/,
      );
    },
  );

  it('is not kept if the requests at an even pace had no answer', async () => {
    const { log } = await examineMockTokens({ algorithm: 'fixed-from-first' });
    const replies = log.replies.map((reply) =>
      reply.phase === 'even' ? { ...reply, status: 503 } : reply,
    );
    const { verdict, reasons } = judgeTokenLog({ ...log, replies }, { isPromised: false });
    expect([verdict, reasons.join()]).toEqual(['undecided', expect.stringContaining('even pace')]);
  });

  it('is not violated by what another user of the key can have caused, without headers or a promise', async () => {
    const { log } = await examineMockTokens({ algorithm: 'fixed-from-first' });
    const replies = log.replies.map((reply) => {
      const seen = { ...reply, reported: null };
      return reply.phase === 'recovery' ? { ...seen, status: 429, unit: 'tokens' as const } : seen;
    });
    expect(judgeTokenLog({ ...log, replies }, { isPromised: false }).verdict).toBe('undecided');
    const promised = judgeTokenLog({ ...log, replies }, { isPromised: true });
    expect(promised.verdict).toBe('violated');
    const refuted = promised.checks.filter(({ finding }) => finding === 'refuted');
    expect(refuted.map(({ observed }) => observed).join()).toContain(
      '; this rests on --yes-tokens',
    );
  });

  it('is undecided if no answer reports its usage, whatever is promised', async () => {
    const { log } = await examineMockTokens({ algorithm: 'fixed-from-first' });
    const silent = {
      ...log,
      charactersPerToken: null,
      replies: log.replies.map((reply) => ({ ...reply, usage: null, prompt: 3 * reply.prompt })),
    };
    expect(judgeTokenLog(silent, { isPromised: true }).verdict).not.toBe('violated');
  });

  it('is violated by early refusals that say that nothing remains, if nobody else uses the key', async () => {
    const early = { algorithm: 'sliding-log', tokensPerMinute: 0.75 * tokenRule.tokens } as const;
    const { log } = await examineMockTokens(early, { isPromised: true });
    // It refuses at three quarters of the limit, and reports what remains of the whole.
    const overstated = log.replies.map((reply) => {
      if (reply.reported === null) return reply;
      const { remaining } = reply.reported;
      const left = reply.status === 429 ? 0 : remaining + 0.25 * tokenRule.tokens;
      return {
        ...reply,
        reported: { ...reply.reported, limit: tokenRule.tokens, remaining: left },
      };
    });
    const judged = (isPromised: boolean) =>
      judgeTokenLog({ ...log, replies: overstated }, { isPromised });
    expect(judged(true).verdict).toBe('violated');
    // Somebody else may have used it up.
    expect(judged(false).verdict).toBe('undecided');
  });

  it('says that the declared limit may be wrong if the headers say another one', async () => {
    const { findings } = await examineMockTokens({
      algorithm: 'fixed-from-first',
      tokensPerMinute: 2 * tokenRule.tokens,
    });
    const { verdict, reasons } = findings;
    expect([verdict, reasons.at(-1)]).toEqual([
      'violated',
      expect.stringMatching(/^the declared limit may be wrong: the headers say \S+, not \S+$/),
    ]);
  });
});

describe('a limit of input or of output alone', () => {
  it.each(['fixed-from-first', 'sliding-log', 'token-bucket'] as const)(
    'of output is kept by a %s that charges answers alone, and violated by twice the limit',
    async (algorithm) => {
      const terms = { unit: 'output-tokens', isPromised: true } as const;
      const bugs = ['freePrompts' as const];
      const kept = await examineMockTokens({ algorithm, bugs }, terms);
      expect(kept.findings.verdict).toBe('kept');
      expect(kept.findings.checks[0]!.claim).toContain('20,000 output tokens in 60 s');
      expect(kept.findings.charging).toBeUndefined();
      const twice = await examineMockTokens(
        { algorithm, bugs: [...bugs, 'tokenLimitPlus100'] },
        terms,
      );
      expect(twice.findings.verdict).toBe('violated');
    },
  );

  it('of input is not kept by a gateway that charges answers alone, nor is that of output by free answers', async () => {
    const input = { unit: 'input-tokens', isPromised: true } as const;
    const free = await examineMockTokens({ bugs: ['freePrompts'] }, input);
    expect([free.findings.verdict, free.findings.reasons.join()]).toEqual([
      'violated',
      expect.stringContaining('token-burst'),
    ]);
    const { findings, log } = await examineMockTokens({ algorithm: 'sliding-log' }, input);
    expect(findings.verdict).toBe('kept');
    expect(log.replies.every(({ usage }) => (usage?.output ?? 0) === 0)).toBe(true);
  });
});

describe('the limit of tokens of a team', () => {
  it('is kept if its keys share it', async () => {
    const { findings } = await examineMockTokens(
      { algorithm: 'sliding-log' },
      { team: 'shared', isPromised: true },
    );
    expect(findings.verdict).toBe('kept');
  });

  it('is violated if each key has it', async () => {
    const { findings } = await examineMockTokens(
      { algorithm: 'sliding-log' },
      { team: 'apart', isPromised: true },
    );
    expect([findings.verdict, findings.reasons.join()]).toEqual([
      'violated',
      expect.stringContaining('token-burst'),
    ]);
  });
});

it('a limit beside which small chats are large is not examined', () => {
  const terms = { context: null, isQuick: false, sustain: 0, hasOtherModel: true, hasAudio: false };
  const planned = (tokens: number) =>
    planTokens({ ...terms, rule: { tokens, requests: 60, window: 6000 } });
  expect(planned(2999)).toContain('2,999 tokens is too small to examine');
  expect(planned(3000)).toMatchObject({ large: 125 });
});
