import type { CheckOutcome, CheckReport, CheckRow } from '../model/check-report.ts';

/** A row of a report. */
export const sampleRow = (changes: Partial<CheckRow> = {}): CheckRow => ({
  id: 'chat',
  topic: 'chat-answers',
  section: '4.1',
  sentence: 'Response 200: a chat completion object, Content-Type JSON.',
  outcome: 'pass',
  expected: '200 for a chat with system, user and assistant messages',
  observed: 'status 200',
  name: null,
  evidence: [],
  ...changes,
});

/** Rows with the same result and different texts. */
export const sampleRows = (outcome: CheckOutcome, count: number): readonly CheckRow[] =>
  Array.from({ length: count }, (_, index) =>
    sampleRow({
      id: `${outcome}-${index + 1}`,
      outcome,
      observed: `status 50${index}: ${'the server had an error and says so at great length; '.repeat(3)}`,
      name: outcome === 'deviation' ? 'status-422' : null,
      evidence: outcome === 'violation' ? ['chat: text-error: the server had an error'] : [],
    }),
  );

/** A report of these rows. */
export const sampleCheck = (
  rows: readonly CheckRow[],
  changes: Partial<CheckReport> = {},
): CheckReport => ({
  format: 'check/1',
  weir: '0.1.0',
  target: 'https://gateway.example/v1',
  startedAt: '2026-03-01T12:00:00.000Z',
  took: 12_345,
  profile: 'spec',
  models: { chat: 'a/b', speech: 'tts', transcription: 'c/whisper', voice: 'Emily.wav' },
  spent: {
    requests: 67,
    inputTokens: 72,
    outputTokens: 277,
    characters: 280,
    audioSeconds: 80,
    waits: 0,
  },
  stopped: null,
  rows: [...rows],
  unseen: [{ section: '2.9', sentence: 'A key has a prefix.', reason: 'its prefix is omitted' }],
  ...changes,
});

/** A report with rows of every result. */
export const fullCheck = (): CheckReport =>
  sampleCheck([
    ...sampleRows('violation', 30),
    ...sampleRows('deviation', 20),
    ...sampleRows('exempt', 2),
    ...sampleRows('unchecked', 40),
    ...sampleRows('open', 3),
    ...sampleRows('pass', 90),
  ]);
