// @gate 4 s
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isViolation } from '../../../../model/limits/limit-log.ts';
import {
  compliantLimiters,
  examineVirtually,
  faultyLimiters,
  threats,
} from './virtual-limiters.fixture.ts';

const violationsOf = ({ findings }: Awaited<ReturnType<typeof examineVirtually>>) =>
  findings.checks.filter(isViolation).map(({ id, observed }) => `${id}: ${observed}`);

const seeds = fc.nat(1e9);

interface EndedChat {
  readonly prompt: number;
  readonly answer: number;
  readonly isStream: boolean;
}

describe('an examination of tokens', () => {
  it('never accuses a limiter that keeps its limit, and calls many of them kept', async () => {
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(
        seeds,
        fc.constantFrom(...Object.keys(compliantLimiters)),
        fc.boolean(),
        async (seed, name, hasHeaders) => {
          const options = { hasHeaders, isPromised: !hasHeaders };
          const found = await examineVirtually(compliantLimiters[name]!, seed, options);
          if (found.findings.verdict === 'kept') kept += 1;
          expect({ name, violations: violationsOf(found) }).toStrictEqual({ name, violations: [] });
        },
      ),
      { numRuns: 20 },
    );
    expect(kept).toBeGreaterThan(2);
  }, 60_000);

  it('never accuses a gateway outside its tolerances where headers show that, nor without headers', async () => {
    await fc.assert(
      fc.asyncProperty(
        seeds,
        fc.constantFrom(...Object.keys(threats)),
        fc.boolean(),
        async (seed, name, hasHeaders) => {
          const found = await examineVirtually(threats[name]!, seed, { hasHeaders });
          expect({ name, violations: violationsOf(found) }).toStrictEqual({ name, violations: [] });
        },
      ),
      { numRuns: 20 },
    );
  }, 60_000);

  it.each([
    ['', {}],
    [' with quick', { isQuick: true }],
    [' with --sustain 12', { sustain: 12 }],
  ])(
    'sends what its budget says, within a tenth in the mean of compliant limiters%s',
    async (_, parts) => {
      const names = Object.keys(compliantLimiters).filter((name) => name.endsWith('at the end'));
      const shares = { requests: 0, tokens: 0, time: 0 };
      for (const [i, name] of names.entries()) {
        const { log, budget, time } = await examineVirtually(compliantLimiters[name]!, 77 + i, {
          hasSmallBucket: false,
          ...parts,
        });
        const tokens = log.replies.reduce(
          (sum, { usage }) => sum + (usage === null ? 0 : usage.input + usage.output),
          0,
        );
        expect(log.cut).toBeNull();
        expect(log.replies.length).toBeLessThanOrEqual(budget.requests.most);
        shares.requests += log.replies.length / budget.requests.usual / names.length;
        shares.tokens += tokens / budget.tokens.usual / names.length;
        shares.time += time / budget.time / names.length;
      }
      for (const [of, share] of Object.entries(shares)) {
        expect(Math.abs(share - 1), of).toBeLessThan(0.1);
      }
    },
  );

  it('calls no prompt charged at the end that is charged at admission, though a small chat overtakes a stream', async () => {
    const names = Object.keys(compliantLimiters).filter((name) =>
      /never corrected$|, prompt at the start/.test(name),
    );
    const said = new Set<unknown>();
    for (const [i, name] of names.entries()) {
      const limiter = { ...compliantLimiters[name]!, streamsLater: 500 };
      const { findings } = await examineVirtually(limiter, 400 + i, { hasSmallBucket: false });
      said.add(findings.chargedAt);
    }
    expect(said).not.toContain('end');
  });

  it.each([
    ['charged at the end', { charged: 'ended', times: 1 }],
    ['prompt at the start, answer at the end', { charged: 'prompt-sent', times: 1 }],
    [
      'reserved at the start, then corrected',
      { charged: expect.stringContaining('sent') as string, times: 1 },
    ],
  ])('finds what a pace needs to know: %s', async (rule, expected) => {
    const limiter = compliantLimiters[`fixed window on a grid, ${rule}`]!;
    const { findings } = await examineVirtually(limiter, 77, { hasSmallBucket: false });
    expect(findings.charging).toMatchObject(expected);
    expect(findings.charging!.settle).toBeGreaterThanOrEqual(1000);
  });

  it('finds how late charges come, and by how much they exceed the usage', async () => {
    const { findings: late } = await examineVirtually(faultyLimiters['charged 10 s late']!, 11, {
      hasSmallBucket: false,
    });
    expect(late.charging!.settle).toBeGreaterThanOrEqual(10_000);
    expect(late.charging!.settle).toBeLessThan(17_000);
    const { findings } = await examineVirtually(faultyLimiters['prompts counted twice']!, 11, {
      hasSmallBucket: false,
    });
    expect(findings.charging!.times).toBeCloseTo(2, 2);
  });

  it.each(['fixed window on a grid', 'fixed window from the first request', 'sliding counter'])(
    'shows that prompts are refused by a wrong name where small chats still have room: %s',
    async (store) => {
      const limiter = compliantLimiters[`${store}, reserved at the start, then corrected`]!;
      let shown = 0;
      for (let seed = 1; seed <= 8; seed += 1) {
        const terms = { hasSmallBucket: false, tokens: 20_000 };
        const found = await examineVirtually(
          { ...limiter, unit: 'requests' },
          40 + seed * 7919,
          terms,
        );
        if (violationsOf(found).some((each) => each.startsWith('token-names'))) shown += 1;
      }
      expect(shown).toBeGreaterThanOrEqual(7);
    },
  );

  it.each([
    ['as one token', ({ prompt }: EndedChat) => prompt + 1],
    ['by a hundredth of its prompt', ({ prompt }: EndedChat) => 1.01 * prompt],
    [
      'of a stream as nothing',
      ({ prompt, answer, isStream }: EndedChat) => prompt + (isStream ? 0 : answer),
    ],
    [
      'of a stream as an eighth',
      ({ prompt, answer, isStream }: EndedChat) => prompt + (isStream ? answer / 8 : answer),
    ],
  ])('calls no limit kept that counts an answer %s', async (_, atEnd) => {
    for (const store of ['fixed window on a grid', 'sliding log'] as const) {
      const honest = compliantLimiters[`${store}, charged at the end`]!;
      const limiter = { ...honest, charging: { ...honest.charging, atEnd } };
      const options = { tokens: 20_000, hasSmallBucket: false };
      for (const seed of [31, 62]) {
        const { findings } = await examineVirtually(limiter, seed, options);
        expect(findings.verdict).toBe('undecided');
        expect((await examineVirtually(honest, seed, options)).findings.verdict).toBe('kept');
        const word = { ...options, isPromised: true };
        const isKept = (await examineVirtually(limiter, seed, word)).findings.verdict === 'kept';
        // The remaining tokens show that an answer is free, whatever the operator says.
        expect(isKept && atEnd({ prompt: 100, answer: 40, isStream: true }) <= 101).toBe(false);
      }
    }
  });

  it('asks again for a longer answer whose charge the end of a window hid', async () => {
    const limiter = compliantLimiters['fixed window on a grid, charged at the end']!;
    const verdicts: string[] = [];
    let most = 0;
    for (let seed = 1; seed <= 16; seed += 1) {
      const options = { tokens: 20_000, hasSmallBucket: false };
      const { findings, log } = await examineVirtually(limiter, seed * 977, options);
      verdicts.push(findings.verdict);
      const asked = log.replies.filter(({ kind }) => kind === 'answer' || kind === 'stream-answer');
      most = Math.max(most, asked.length);
    }
    expect(verdicts).toEqual(verdicts.map(() => 'kept'));
    // At least one of them had to ask again, and none more than twice.
    expect(most).toBeGreaterThan(2);
    expect(most).toBeLessThanOrEqual(6);
  });

  it('calls no limit kept of which an idle key never has more than a part', async () => {
    for (const store of ['token bucket', 'GCRA', 'bucket of a quarter']) {
      for (const rule of ['charged at the end', 'reserved at the start, then corrected']) {
        const limiter = { ...compliantLimiters[`${store}, ${rule}`]!, times: 0.7 };
        for (let seed = 1; seed <= 4; seed += 1) {
          const terms = { hasSmallBucket: false, tokens: 20_000 };
          const { findings } = await examineVirtually(limiter, 7e6 + seed * 7919, terms);
          expect(findings.verdict, `${store}, ${rule}`).not.toBe('kept');
        }
      }
    }
  });

  it('shows a bucket that holds and refills 0.7 of the limit', async () => {
    let shown = 0;
    for (const store of ['token bucket', 'GCRA']) {
      for (const rule of ['reserved at the start, never corrected', 'charged at the end']) {
        const limiter = { ...compliantLimiters[`${store}, ${rule}`]!, times: 0.7 };
        for (let seed = 1; seed <= 5; seed += 1) {
          const terms = { hasSmallBucket: false, tokens: 20_000, isPromised: true };
          const found = await examineVirtually(limiter, 9e6 + seed * 7919, terms);
          shown += Number(violationsOf(found).some((each) => each.startsWith('token-early')));
        }
      }
    }
    expect(shown).toBeGreaterThanOrEqual(18);
  });

  it('rarely calls two small buckets kept that share a key and charge at the end', async () => {
    const limiter = {
      ...compliantLimiters['bucket of a quarter, charged at the end']!,
      replicas: { count: 2, by: 'connection' },
    } as const;
    let kept = 0;
    for (let seed = 1; seed <= 10; seed += 1) {
      const terms = {
        hasSmallBucket: false,
        tokens: 20_000,
        hasHeaders: false,
        isPromised: true,
      };
      const { findings } = await examineVirtually(limiter, 3e6 + seed * 7919, terms);
      if (findings.verdict === 'kept') kept += 1;
    }
    // With many requests in flight in the second burst all ten are.
    expect(kept).toBeLessThanOrEqual(3);
  });

  it('measures a charge beside chats that are charged themselves', async () => {
    for (const seed of [77, 78, 79, 80]) {
      const limiter = compliantLimiters['fixed window on a grid, charged at the end']!;
      const { findings } = await examineVirtually(limiter, seed, { tokens: 20_000 });
      const row = findings.charges.find(({ kind }) => kind === 'stream-unreported')!;
      expect(row.charge ?? 101).toBe(101);
    }
  });

  it('asks a key once more, after two windows, whose second chat was refused', async () => {
    for (const seed of [2, 35]) {
      const { log, findings } = await examineVirtually(
        faultyLimiters['5 % refused at random']!,
        seed,
        { hasSmallBucket: false },
      );
      const [first, second, third] = log.replies;
      expect([first!.status, second!.status, third!.status]).toEqual([200, 429, 200]);
      expect(third!.sent - second!.answered).toBeGreaterThan(2 * log.rule.window);
      expect({ seed, verdict: findings.verdict }).toEqual({ seed, verdict: 'violated' });
    }
  });

  it('shows prompts counted twice also where a small prompt is a quarter of a large one', async () => {
    for (const seed of [1, 2, 3]) {
      const { findings } = await examineVirtually(faultyLimiters['prompts counted twice']!, seed, {
        tokens: 20_000,
        hasSmallBucket: false,
      });
      expect({ seed, verdict: findings.verdict }).toEqual({ seed, verdict: 'violated' });
    }
  });

  // A real one was called kept: its bucket lasted longer than the even pace.
  it.each([
    ['refills half as fast', 'charged at the end', { stretch: 2 }],
    ['refills half as fast', 'reserved at the start, never corrected', { stretch: 2 }],
    ['holds 0.7 of the limit', 'reserved at the start, never corrected', { times: 0.7 }],
  ] as const)('never calls a bucket kept that %s, %s', async (_, rule, fault) => {
    const bucket = compliantLimiters[`token bucket, ${rule}`]!;
    for (const seed of [21, 22, 23]) {
      const limiter = { ...bucket, times: 1, ...fault };
      const options = {
        tokens: 20_000,
        hasHeaders: false,
        isPromised: true,
        hasSmallBucket: false,
      };
      const { findings } = await examineVirtually(limiter, seed, options);
      expect({ seed, verdict: findings.verdict }).not.toEqual({ seed, verdict: 'kept' });
      if ('stretch' in fault) expect(findings.reasons[0]).toMatch(/^token-early: refused although/);
    }
  });

  // A bucket is refilled as fast as single chats are charged, so that its headers do not show their charges.
  it.each([
    ['has twice the limit', { times: 2 }, 'token-burst'],
    ['locks a key for 3 windows', { lockedFor: 3 }, 'token-recovery'],
  ] as const)('shows by headers that a bucket %s', async (_, fault, id) => {
    const bucket = compliantLimiters['token bucket, reserved at the start, then corrected']!;
    for (const seed of [31, 32, 33]) {
      const found = await examineVirtually({ ...bucket, flush: 500, ...fault }, seed, {
        hasSmallBucket: false,
      });
      expect(violationsOf(found).join()).toContain(`${id}: `);
    }
  });

  it.each([
    ['1.5 times the limit', { times: 1.5 }],
    ['all', { isNeverEnforced: true }],
  ] as const)('shows by what the headers say is left that a bucket admits %s', async (_, fault) => {
    for (const store of ['token bucket', 'GCRA']) {
      const limiter = compliantLimiters[`${store}, charged at the end`]!;
      for (const seed of [5_000_000, 5_007_919]) {
        const terms = { hasSmallBucket: false, tokens: 20_000 };
        const found = await examineVirtually({ flush: 500, ...limiter, ...fault }, seed, terms);
        expect(violationsOf(found).join(), `${store}, ${seed}`).toContain('token-burst: ');
      }
    }
  });

  it.each([1.5, 2])(
    'shows by a sustained load that a bucket of a quarter is refilled with %s of the limit, if usage is charged',
    async (times) => {
      for (const rule of ['charged at the end', 'reserved at the start, never corrected']) {
        const limiter = {
          ...compliantLimiters[`bucket of a quarter, ${rule}`]!,
          flush: 500,
          times,
        };
        const terms = { hasSmallBucket: false, tokens: 20_000, isPromised: true, sustain: 6 };
        const found = await examineVirtually(limiter, 5_000_000, terms);
        expect(found.log.cut).toBeNull();
        expect(violationsOf(found).join(), rule).toContain('token-envelope: ');
      }
    },
  );

  it.each([1.5, 2])(
    'shows %s of the limit though one burst is at the end of a window, which explains none at another phase',
    async (times) => {
      for (const rule of [
        'reserved at the start, never corrected',
        'prompt at the start, answer at the end',
      ]) {
        const limiter = { ...compliantLimiters[`fixed window on a grid, ${rule}`]!, flush: 500 };
        const terms = { hasSmallBucket: false, tokens: 20_000 };
        const found = await examineVirtually({ ...limiter, times }, 5_000_000, terms);
        expect(violationsOf(found).join(), rule).toContain('token-burst: ');
      }
    },
  );

  it('shows doubled prompts and a lower limit of any bucket if the operator says that nobody else uses the key', async () => {
    const { asks, atStart, atEnd } = compliantLimiters['GCRA, charged at the end']!.charging;
    const doubled = (chat: Parameters<typeof asks>[0]) => ({ ...chat, prompt: 2 * chat.prompt });
    for (const store of ['token bucket', 'GCRA', 'bucket of a quarter']) {
      const limiter = compliantLimiters[`${store}, charged at the end`]!;
      const faults = [
        {
          charging: {
            asks,
            atStart,
            atEnd: (chat: Parameters<typeof asks>[0]) => atEnd(doubled(chat)),
          },
        },
        { times: 0.7 },
      ];
      for (const fault of faults) {
        const terms = { hasSmallBucket: false, tokens: 20_000, isPromised: true };
        const found = await examineVirtually(
          { ...limiter, flush: 500, ...fault },
          5_007_919,
          terms,
        );
        expect(violationsOf(found).join(), store).toContain('token-early: ');
      }
    }
  });

  it('uses a cache where it is cheaper and charged in full, but not in the second burst', async () => {
    const cachedIn = async (rule: string, isCachedCheaper: boolean) => {
      const limiter = compliantLimiters[`fixed window on a grid, ${rule}`]!;
      const terms = { hasSmallBucket: false, tokens: 20_000, isCachedCheaper };
      const { log, findings } = await examineVirtually(limiter, 77, terms);
      const cached = log.replies.filter(({ usage }) => (usage?.cached ?? 0) > 0);
      const kinds = cached.map(({ phase, burst, kind }) =>
        phase === 'burst' ? `burst ${burst}` : kind === 'again' ? kind : phase,
      );
      return { verdict: findings.verdict, kinds: [...new Set(kinds)] };
    };
    const full = 'charged at the end';
    expect(await cachedIn(full, true)).toEqual({
      verdict: 'kept',
      kinds: ['again', 'burst 1', 'even'],
    });
    expect(await cachedIn(full, false)).toEqual({ verdict: 'kept', kinds: ['again'] });
    expect(await cachedIn('what a cache held is free', true)).toMatchObject({ kinds: ['again'] });
  });

  it('decides nothing without headers if the operator promises nothing', async () => {
    const { findings } = await examineVirtually(faultyLimiters['limit x 2']!, 5, {
      hasHeaders: false,
      hasSmallBucket: false,
    });
    expect(findings.verdict).toBe('undecided');
    expect(findings.reasons.join(' ')).toContain('--yes-tokens');
  });
});
