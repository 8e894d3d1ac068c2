// @gate 1 s
import { describe, expect, it } from 'vitest';
import { type MockLimits, resolveMockLimits } from '../../model/gateway/mock-limits.ts';
import type { LedgerEntry } from '../../model/observation/ledger.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { openKeyLimiter } from '../../mock/limits/key-limiter.ts';
import { noChat } from '../../mock/limits/token-rules.ts';
import { settingsSchema } from '../../mock/settings/settings.ts';
import { EventQueue } from '../harness/event-queue.fixture.ts';
import { blankLedgerEntry, judgeLedger } from './judged-ledgers.fixture.ts';

/** Runs against the token limits of the mock, which are written apart from the judge of runs. */

const tokensPerMinute = 20_000;
const length = 4 * 60_000;

interface TokenLoad {
  readonly charging?: MockLimits['charging'];
  readonly bugs?: MockLimits['bugs'];
  /** The tokens that are asked for, as a multiple of the limit. */
  readonly demand: number;
  readonly seed: number;
}

/** The ledger of a key to which chats come at random, half of them streams; a chat takes at most 3.6 s. */
const ledgerOf = ({ charging, bugs, demand, seed }: TokenLoad): readonly LedgerEntry[] => {
  const draw = drawFrom(seed, 44);
  const limits = { requestsPerMinute: null, tokensPerMinute, burstShare: 1 / 4, charging, bugs };
  const resolved = resolveMockLimits(settingsSchema.parse({ limits }).limits);
  const key = openKeyLimiter(resolved, -draw.uniform() * 60_000, seed);
  const queue = new EventQueue();
  const entries: LedgerEntry[] = [];
  const meanTokens = tokensPerMinute / 24;
  const travel = (): number => 5 + draw.uniform() * 50;
  const ask = (sent: number, isStream: boolean): void => {
    const promptTokens = Math.round(meanTokens * (0.3 + draw.uniform()));
    const maxTokens = 1 + Math.round(meanTokens * 0.4 * draw.uniform());
    const written = Math.ceil(maxTokens * draw.uniform());
    const asked = {
      ...blankLedgerEntry,
      traffic: isStream ? ('chat-stream' as const) : ('chat' as const),
      characters: promptTokens * 4,
      maxTokens,
      sent,
    };
    // The gateway's own estimate, which some never correct, is at most 5 % wrong.
    const promptBytes = Math.round(promptTokens * 4 * (0.95 + draw.uniform() * 0.1));
    const back = travel();
    queue.at(sent + travel(), () => {
      const permit = key.admit(queue.now);
      const chat = { ...noChat, promptTokens, promptBytes, maxTokens, isStream };
      if (!permit.admitted || permit.reserve(queue.now, chat) !== null) {
        const answered = queue.now + back;
        const refusal = { unit: 'tokens', form: 'error' } as const;
        entries.push({
          ...asked,
          ...refusal,
          answered,
          ended: answered,
          status: 429,
          tokens: null,
        });
        return;
      }
      const first = queue.now + 100 + draw.uniform() * 500;
      queue.at(first, () => permit.firstToken(first, 0));
      queue.at(first + draw.uniform() * 3000, () => {
        permit.charge(queue.now, { cachedTokens: 0, written, whole: written, isCut: false });
        const usage = { tokens: promptTokens + written, input: promptTokens };
        const times = { answered: first + back, ended: queue.now + back };
        entries.push({ ...asked, ...usage, ...times, status: 200 });
      });
    });
  };
  let sent = 0;
  for (let i = 0; sent < length; i += 1) {
    sent -= (Math.log1p(-draw.uniform()) * 60_000) / (24 * demand);
    ask(sent, i % 2 === 0);
  }
  while (queue.step());
  return entries.toSorted((a, b) => a.sent - b.sent);
};

const judged = (load: TokenLoad) => {
  const entries = ledgerOf(load);
  const { violated } = judgeLedger(entries, 'any', { tokensPerMinute });
  return { violated, refused: entries.filter(({ status }) => status === 429).length };
};

const stores = [
  'fixed-from-first',
  'fixed-aligned',
  'sliding-log',
  'sliding-counter',
  'token-bucket',
  'burst-bucket',
  'stepped-bucket',
] as const;

const reserved = { admits: 'reservation', promptAt: 'admission', bytesPerToken: 4 } as const;

describe('the judge of a run’s token limit', () => {
  it.each([
    ['all at the end', {}],
    ['all at the end, nearly a second late', { delay: 900 }],
    ['prompts at admission', { promptAt: 'admission' }],
    ['prompts at the first token', { promptAt: 'first-token' }],
    ['prompts at admission, if they fit', { admits: 'prompt', promptAt: 'admission' }],
    ['reservations that are corrected', { ...reserved, reserves: true }],
    ['reservations that are kept', { ...reserved, reserves: true, settles: false }],
    ['reservations and refused prompts', { ...reserved, reserves: true, chargesRefused: true }],
  ] as const)('accuses no gateway that charges %s', (_, rule) => {
    let refusals = 0;
    for (const [i, algorithm] of stores.entries()) {
      for (const demand of [1, 4]) {
        const charging = { algorithm, ...rule } as NonNullable<MockLimits['charging']>;
        const { violated, refused } = judged({ charging, demand, seed: 10 * i + demand });
        expect([algorithm, demand, violated]).toEqual([algorithm, demand, false]);
        refusals += refused;
      }
    }
    expect(refusals).toBeGreaterThan(300);
  });

  it.each([
    'tokensNeverRefused',
    'tokenLimitPlus100',
    'tokenReplicas',
    'freeStreams',
    'freePrompts',
  ] as const)('accuses a gateway with the fault %s at four times its limit', (bug) => {
    for (const [seed, algorithm] of stores.entries()) {
      const load = { bugs: [bug], charging: { algorithm }, demand: 4, seed };
      expect([algorithm, judged(load).violated]).toEqual([algorithm, true]);
    }
  });
});
