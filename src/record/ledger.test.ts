import type { ChatAnswer, LimitedOutcome, TokenCounts } from '../model/observation/outcome.ts';
import { describe, expect, it } from 'vitest';
import { toLedgerEntry } from '../model/observation/ledger.ts';
import type { Observation } from '../model/observation/observation.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import { ledgerRecorder } from './ledger.ts';
import { sampleObservation } from './sample-observations.fixture.ts';

const ledgerOf = (observations: readonly Observation[], kept?: number) => {
  const recorder = ledgerRecorder(kept);
  const ledgers = recorder.restore([]);
  for (const observation of observations) recorder.record(ledgers, observation);
  return recorder.store(ledgers);
};
const sentAt = (sent: number, differing: Partial<Observation> = {}): Observation =>
  sampleObservation({ sent: instant(sent), ...differing });

const limited: LimitedOutcome = {
  kind: 'limited',
  refusal: { status: 429, form: 'none-429', type: 'None', code: '429', message: '' },
  unit: 'tokens',
  retryAfter: milliseconds(60_000),
  resetIn: milliseconds(41_000),
};

describe('the ledger', () => {
  it('orders rows of one instant always alike, even if one has more cells than the other', () => {
    const bare = sentAt(5100, { outcome: limited });
    const sized = sentAt(5100, { outcome: limited, size: { characters: 40, maxTokens: 7 } });
    const [one, other] = [ledgerOf([bare, sized]), ledgerOf([sized, bare])];
    expect(one).toEqual(other);
    expect(new Set(one[0]!.rows.map(({ length }) => length)).size).toBe(2);
  });

  it('has a row for each answered request, by key, in the order of sending', () => {
    const head = sampleObservation().head!;
    expect(
      ledgerOf([
        sentAt(5100, {
          key: 'spare',
          head: { ...head, status: 429, quota: null },
          outcome: limited,
        }),
        sentAt(5050),
        sentAt(5004),
      ]),
    ).toEqual([
      {
        key: 'main',
        rows: [
          [
            5004,
            5190,
            200,
            60,
            59,
            null,
            null,
            5200,
            'chat',
            30,
            null,
            null,
            null,
            null,
            10,
            null,
            null,
            null,
          ],
          [
            5050,
            5190,
            200,
            60,
            59,
            null,
            null,
            5200,
            'chat',
            30,
            null,
            null,
            null,
            null,
            10,
            null,
            null,
            null,
          ],
        ],
        left: 0,
      },
      {
        key: 'spare',
        rows: [
          [
            5100,
            5190,
            429,
            null,
            null,
            null,
            null,
            5200,
            'chat',
            null,
            'tokens',
            'none-429',
            60_000,
            41_000,
          ],
        ],
        left: 0,
      },
    ]);
  });

  it('has a row for each attempt, under its own key', () => {
    const refused = {
      ...sentAt(4000, { key: 'spare' }),
      ended: instant(4500),
      outcome: { kind: 'broken', cause: 'reset', detail: '', partial: null },
      wait: milliseconds(100),
      waitBy: 'backoff',
    } as const;
    expect(
      ledgerOf([sentAt(5004, { earlier: [refused] })]).map(({ key, rows }) => [key, rows[0]?.[0]]),
    ).toEqual([
      ['main', 5004],
      ['spare', 4000],
    ]);
  });

  it('has a row with status 0 for a request without an answer, and none for one that was not sent', () => {
    const [ledger] = ledgerOf([sentAt(1, { head: null }), sampleObservation({ sent: null })]);
    expect(ledger?.rows.map(([sent, answered, status]) => [sent, answered, status])).toEqual([
      [1, 5200, 0],
    ]);
  });

  it('has the tokens of a chat only if the server counted input and output', () => {
    const tokensOf = (tokens: TokenCounts) => {
      const { answer } = sampleObservation().outcome as { answer: ChatAnswer };
      const [ledger] = ledgerOf([
        sentAt(1, { outcome: { kind: 'completed', answer: { ...answer, tokens } } }),
      ]);
      return toLedgerEntry(ledger!.rows[0]!).tokens;
    };
    expect(tokensOf({ input: 7, output: 5, source: 'usage' })).toBe(12);
    expect(tokensOf({ input: 7, output: 5, source: 'events' })).toBeNull();
    expect(tokensOf({ input: null, output: 5, source: 'usage' })).toBeNull();
  });

  it('has the cached tokens and the size of a chat, and no cells for them where nothing of them is known', () => {
    const { answer } = sampleObservation().outcome as { answer: ChatAnswer };
    const tokens: TokenCounts = { input: 7, output: 5, cached: 4, source: 'usage' };
    const sized = { size: { characters: 28, maxTokens: null } };
    const outcome = { kind: 'completed', answer: { ...answer, tokens } } as const;
    const [ledger] = ledgerOf([sentAt(1), sentAt(2, sized), sentAt(3, { outcome, ...sized })]);
    expect(ledger!.rows.map(({ length }) => length)).toEqual([18, 18, 18]);
    const [unanswered] = ledgerOf([sentAt(4, { outcome: limited })]);
    expect(unanswered!.rows[0]).toHaveLength(14);
    expect(ledger!.rows.map(toLedgerEntry)).toMatchObject([
      { input: 10, cached: null, characters: null, maxTokens: null },
      { cached: null, characters: 28, maxTokens: null },
      { tokens: 12, input: 7, cached: 4, characters: 28, maxTokens: null },
    ]);
  });

  it('keeps the first rows by sending and counts the others', () => {
    const [ledger] = ledgerOf(
      [9, 1, 8, 2, 7, 3, 6].map((sent) => sentAt(sent)),
      3,
    );
    expect(ledger?.rows.map(([sent]) => sent)).toEqual([1, 2, 3]);
    expect(ledger?.left).toBe(4);
  });

  it('holds at most twice as many rows as it keeps', () => {
    const recorder = ledgerRecorder(3);
    const ledgers = recorder.restore([]);
    for (let sent = 100; sent > 0; sent -= 1) {
      recorder.record(ledgers, sentAt(sent));
      expect(ledgers.get('main')!.rows.length).toBeLessThanOrEqual(6);
    }
  });
});
