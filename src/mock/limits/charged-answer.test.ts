import { describe, expect, it } from 'vitest';
import { helloChat, startManualMock, testKeyHeaders } from '../gateway/manual-mock.fixture.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { RequestTraceLine } from '../http/request-trace.ts';
import type { SettingsInput } from '../settings/settings.ts';

const opened = async (limits: NonNullable<SettingsInput['limits']>) => {
  const bench = await startManualMock({ limits, truth: {} });
  const ask = async (path: string) => (await fetch(bench.mock.controlUrl + path)).json();
  return {
    ...bench,
    entries: async () => {
      const { tokens } = (await ask('/ledger')) as ReturnType<Gateway['ledger']>;
      return tokens.entries.map(({ at, tokens: all, parts, left }) => ({
        at,
        tokens: all,
        parts,
        left,
      }));
    },
    traced: async () => {
      const { lines } = (await ask('/truth')) as { lines: RequestTraceLine[] };
      return lines.map(({ charges }) => charges);
    },
  };
};

const asked = { ...helloChat, max_tokens: 3 };
const longPrompt = 'hello there '.repeat(100);
const longChat = { ...asked, messages: [{ role: 'user', content: longPrompt }] };

describe('the tokens of a chat are charged', () => {
  it('at admission, at the first token and at the end, as the trace log and the ledger show', async () => {
    const { chatAfterMinute, entries, traced } = await opened({
      tokensPerMinute: 100,
      charging: { promptAt: 'first-token', reserves: true },
    });
    await (await chatAfterMinute({ ...asked, n: 2 })).text();
    const expected = [
      { at: 0, tokens: 6, parts: { reservation: 6 }, left: { before: 100, after: 94 } },
      { at: 100, tokens: 2, parts: { prompt: 2 }, left: { before: 94, after: 92 } },
      {
        at: 140,
        tokens: 0,
        parts: { completion: 6, reservation: -6 },
        left: { before: 92, after: 92 },
      },
    ];
    expect(await entries()).toEqual(expected);
    expect(await traced()).toEqual([expected]);
  });

  it.each([
    [[], 2 + 2],
    [['hangUpWhole' as const], 2 + 3],
    [['hangUpFree' as const], 0],
  ])('with %j as %i, if the client hangs up after two of three tokens', async (bugs, charged) => {
    const { hangUpAfter, entries, waitForCounters } = await opened({ bugs });
    await hangUpAfter(120, asked);
    await waitForCounters({ aborted: 1 });
    expect((await entries()).map(({ tokens }) => tokens)).toEqual(charged === 0 ? [] : [charged]);
  });

  it('less for a cached prompt, whose tokens the usage reports if it should', async () => {
    const { chatAfterMinute, entries } = await opened({
      charging: { cachedShare: 0.5, reportsCached: true },
    });
    const reported: unknown[] = [];
    for (const _ of 'ab') {
      const { usage } = (await (await chatAfterMinute(longChat)).json()) as { usage: object };
      reported.push(usage);
    }
    const usage = { prompt_tokens: 200, completion_tokens: 3, total_tokens: 203 };
    // Four whole blocks of 256 characters of the 1,200 are cached.
    const cachedTokens = 171;
    expect(reported).toEqual([
      { ...usage, prompt_tokens_details: { cached_tokens: 0 } },
      { ...usage, prompt_tokens_details: { cached_tokens: cachedTokens } },
    ]);
    expect((await entries()).map(({ tokens }) => tokens)).toEqual([
      203,
      203 - Math.floor(cachedTokens / 2),
    ]);
  });

  it('late, which the trace log cannot know yet', async () => {
    const { chatAfterMinute, clock, entries, traced, get } = await opened({
      tokensPerMinute: 100,
      charging: { delay: 90_000 },
    });
    const rest = async () =>
      (await get('/models')).headers.get('x-ratelimit-api_key-remaining-tokens');
    await (await chatAfterMinute(asked)).text();
    const charge = { at: 90_140, tokens: 5, parts: { prompt: 2, completion: 3 }, left: null };
    expect(await traced()).toEqual([[charge]]);
    expect([await entries(), await rest()]).toEqual([[charge], '100']);
    clock.advance(30_140);
    const left = { before: 100, after: 95 };
    expect([await entries(), await rest()]).toEqual([[{ ...charge, left }], '95']);
  });
});

it('a 429 names another limit with the fault wrongLimitName, though the counters know better', async () => {
  const { chat, chatAfterMinute, counters } = await opened({
    tokensPerMinute: 5,
    window: 100_000,
    body: 'key',
    bugs: ['wrongLimitName'],
  });
  await (await chatAfterMinute(asked)).text();
  const refusal = await chat(asked, { headers: testKeyHeaders });
  expect(refusal.status).toBe(429);
  expect(await refusal.text()).toContain('Limit type: requests. Current limit: 60, Remaining: 0.');
  expect(await counters()).toMatchObject({ 'limited.tokens': 1, 'limited.requests': 0 });
});
