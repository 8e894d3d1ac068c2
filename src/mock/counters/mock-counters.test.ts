import { describe, expect, it } from 'vitest';
import { helloChat, testKeyHeaders, startManualMock } from '../gateway/manual-mock.fixture.ts';
import type { Gateway } from '../gateway/gateway.ts';

const prices = { 'weir/small': { input: 1_000_000, output: 10_000_000 } };
/** `hello` has 2 prompt tokens: 2 micro-units in, 10 for each token out. */
const asked = { ...helloChat, max_tokens: 3 };
const second = { authorization: 'Bearer sk-weir-test-2' };

const opened = async (balance: number | null, ledger = 10) => {
  const bench = await startManualMock({ prices, credits: { balance, ledger } });
  const readLedger = async () =>
    (await (await fetch(`${bench.mock.controlUrl}/ledger`)).json()) as ReturnType<
      Gateway['ledger']
    >;
  return { ...bench, readLedger };
};

describe('the credits of a key', () => {
  it('are charged to the micro-unit, may fall below zero with the last answer, and then lead to 402', async () => {
    const { chatAfterMinute, chat, readLedger, counters } = await opened(33);
    expect((await chatAfterMinute(asked)).status).toBe(200);
    expect((await chatAfterMinute(asked)).status).toBe(200);
    const refused = await chat('not json');
    expect(refused.status).toBe(402);
    expect(refused.headers.get('x-ratelimit-api_key-remaining-requests')).toBe('60');
    expect(await refused.json()).toEqual({
      error: {
        message: 'The credits of this API key are used up; add credits to continue.',
        type: 'payment_error',
        code: 'insufficient_credits',
      },
    });
    const { entries, micros } = await readLedger();
    expect(entries.map(({ balance }) => balance)).toEqual([1, -31]);
    expect(await counters()).toMatchObject({ 'refused.no-credits': 1, 'cost.micros': 64 });
    expect(micros).toBe(64);
  });

  it('are checked after the key and before the limits, for each key separately', async () => {
    const { chat, get } = await opened(0);
    expect((await chat(asked, { headers: { authorization: 'Bearer sk-no' } })).status).toBe(401);
    const answers = await Promise.all(Array.from({ length: 70 }, () => chat(asked)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([402]));
    expect((await get('/models', second)).status).toBe(402);
  });

  it('are restored by a reset', async () => {
    const { mock, chatAfterMinute, readLedger } = await opened(1);
    expect((await chatAfterMinute(asked)).status).toBe(200);
    expect((await chatAfterMinute(asked)).status).toBe(402);
    await fetch(`${mock.controlUrl}/reset`, { method: 'POST' });
    expect(await readLedger()).toEqual({
      charges: 0,
      micros: 0,
      dropped: 0,
      entries: [],
      tokens: { charges: 0, dropped: 0, entries: [] },
    });
    expect((await chatAfterMinute(asked)).status).toBe(200);
  });
});

describe('the ledger', () => {
  it('has a line for each kind with a price, without the key', async () => {
    const { chatAfterMinute, speak, afterMinute, readLedger } = await opened(null);
    const named = { ...testKeyHeaders, 'x-request-id': 'one' };
    await (await chatAfterMinute(asked, named)).text();
    await (await chatAfterMinute({ ...asked, stream: true }, second)).text();
    const speech = { model: 'weir-tts', voice: 'Alice.wav', input: 'äh' };
    await (await afterMinute(speak(speech))).arrayBuffer();
    const ledger = await readLedger();
    expect(ledger).toEqual({
      charges: 3,
      micros: 32 + 32 + 30,
      dropped: 0,
      entries: [
        {
          requestId: 'one',
          key: 0,
          kind: 'chat',
          quantities: { inputTokens: 2, outputTokens: 3 },
          micros: 32,
          balance: null,
        },
        expect.objectContaining({ requestId: 'mock-2', key: 1, kind: 'chat-stream', micros: 32 }),
        expect.objectContaining({ kind: 'speech', quantities: { characters: 2 }, micros: 30 }),
      ],
      tokens: {
        charges: 2,
        dropped: 0,
        entries: [
          {
            requestId: 'one',
            key: 0,
            at: 140,
            tokens: 5,
            parts: { prompt: 2, completion: 3 },
            left: { before: 2_000_000, after: 1_999_995 },
          },
          expect.objectContaining({ requestId: 'mock-2', key: 1, at: 60_140, tokens: 5 }),
        ],
      },
    });
    expect(JSON.stringify(ledger)).not.toContain('sk-weir');
  });

  it('charges an aborted stream for the tokens that were written', async () => {
    const { hangUpAfter, readLedger, waitForCounters } = await opened(100);
    await hangUpAfter(120, asked);
    await waitForCounters({ aborted: 1, 'cost.micros': 22 });
    expect((await readLedger()).entries).toMatchObject([{ micros: 22, balance: 78 }]);
  });

  it('keeps the last lines, counts the dropped ones, and sums all of them', async () => {
    const { chatAfterMinute, readLedger, counters } = await opened(null, 2);
    for (const _ of 'abc') await (await chatAfterMinute(asked)).text();
    const { entries, tokens, ...sums } = await readLedger();
    for (const list of [entries, tokens.entries])
      expect(list.map(({ requestId }) => requestId)).toEqual(['mock-2', 'mock-3']);
    expect(tokens).toMatchObject({ charges: 3, dropped: 1 });
    expect(sums).toEqual({ charges: 3, micros: 96, dropped: 1 });
    expect((await counters())['cost.micros']).toBe(96);
  });

  it('can be resized while the mock runs', async () => {
    const { mock, chatAfterMinute, readLedger } = await opened(null, 2);
    const listed = async (ledger: number) => {
      const body = JSON.stringify({ credits: { ledger } });
      await fetch(`${mock.controlUrl}/settings`, { method: 'PATCH', body });
      await (await chatAfterMinute(asked)).text();
      const { entries, dropped } = await readLedger();
      return [entries.map(({ requestId }) => requestId), dropped];
    };
    for (const _ of 'abc') await (await chatAfterMinute(asked)).text();
    expect(await listed(3)).toEqual([['mock-2', 'mock-3', 'mock-4'], 1]);
    expect(await listed(1)).toEqual([['mock-5'], 4]);
    expect(await listed(2)).toEqual([['mock-5', 'mock-6'], 4]);
  });
});
