import { describe, expect, it } from 'vitest';
import { type FaultName, faultNames } from '../../model/gateway/mock-faults.ts';
import type { SettingsInput } from '../../mock/settings/settings.ts';
import type { CheckOptions } from '../../library/library.ts';
import { checkMock, findingsIn, quickSettings } from './check-mock.fixture.ts';

/** The rows that each fault of the reference gateway changes on its chats; all others stay as they are. */
const broken = ['violation chat', 'violation stream', 'violation stream-usage'];
const brokenStream = ['violation stream', 'violation stream-usage'];
const refused = 'deviation stream-refused: cut-refusal';
const everything = [...broken, 'violation stream-refused'];

const rowsOfFaults: Readonly<Record<FaultName, readonly string[]>> = {
  'key-revoked': everything,
  'empty-balance': [],
  'status-500': everything,
  'status-503': everything,
  'html-502': everything,
  'json-error-200': everything,
  'html-200': everything,
  'stream-status-500': everything,
  'reset-before-head': everything,
  'fin-before-head': everything,
  'no-answer': everything,
  'slow-head': [],
  dribble: everything,
  'reset-mid-body': [...broken, refused],
  'fin-mid-body': [...broken, refused],
  'stall-mid-body': [...broken, refused],
  'wrong-content-type': ['violation chat.content-type', 'violation stream.content-type'],
  'length-too-long': ['violation chat', refused],
  'length-too-short': ['violation chat'],
  'gzip-body': ['deviation chat.compressed: compressed'],
  'role-first': ['violation stream.object', 'violation stream.id'],
  'usage-null-choices': ['deviation stream-usage.choices: usage-without-choices'],
  'usage-no-choices': ['deviation stream-usage.choices: usage-without-choices'],
  'usage-every-chunk': [],
  comments: ['deviation stream.framing: comments'],
  'no-space': ['deviation stream.framing: no-space', 'deviation stream.done: no-space'],
  crlf: ['deviation stream.framing: carriage-returns'],
  cr: ['deviation stream.framing: carriage-returns'],
  bom: ['deviation stream.framing: byte-order-mark'],
  'odd-chunks': [],
  'multi-line': ['deviation stream.framing: multi-line'],
  reasoning: [],
  'null-fields': [],
  'several-tokens': [],
  'gzip-stream': ['deviation stream.compressed: compressed'],
  'broken-event': ['violation stream.json'],
  'error-object': brokenStream,
  'error-event': brokenStream,
  'finish-error': brokenStream,
  'no-done': ['violation stream.done'],
  truncated: ['violation stream.done'],
  'fin-without-done': brokenStream,
  'data-after-done': ['violation stream.done'],
  'open-after-done': ['deviation stream.done: open-after-done'],
  'reset-mid-stream': brokenStream,
  'fin-mid-stream': brokenStream,
  'reset-mid-event': brokenStream,
  'stall-mid-stream': brokenStream,
  'pause-mid-stream': [],
  'endless-stream': brokenStream,
  'endless-line': brokenStream,
  'huge-event': brokenStream,
};

const only = ['models', 'chat-answers', 'streams'];
/** Longer than the longest fault that ends, `slow-head`, waits, also on a busy machine. */
const timeout = '4s';

describe('each fault of the reference gateway changes exactly its rows', () => {
  it.concurrent.each(faultNames.map((fault) => [fault, rowsOfFaults[fault]] as const))(
    '%s',
    async (fault, expected) => {
      const delay = fault === 'dribble' ? 60 : undefined;
      const faults = [{ fault, routes: ['chat' as const], every: 1, ...(delay && { delay }) }];
      const report = await checkMock({ faults }, { only, timeout });
      expect(findingsIn(report)).toEqual(expected);
    },
  );
});

const limits = (settings: SettingsInput['limits']): SettingsInput => ({
  limits: { ...quickSettings.limits, ...settings },
});
const soon = { requestsPerMinute: 12, window: 700 } as const;
const withoutHeaders = (...where: readonly string[]): readonly string[] =>
  where.map((each) => `deviation headers.${each}: no-limit-headers-on-${each}`);

interface Variant {
  readonly settings: SettingsInput;
  readonly options?: CheckOptions;
  readonly expected: readonly string[];
}

/** Settings that are no faults. */
const variants: Readonly<Record<string, Variant>> = {
  'nothing changed': { settings: {}, expected: [] },
  'the profile litellm': {
    settings: limits({ profile: 'litellm' }),
    expected: [
      'deviation headers.models: no-limit-headers-on-models',
      'deviation headers.speech: no-limit-headers-on-speech',
      'deviation headers.transcription: no-limit-headers-on-transcriptions',
    ],
  },
  'the profile litellm, as expected of LiteLLM': {
    settings: limits({ profile: 'litellm' }),
    options: { profile: 'litellm' },
    expected: [],
  },
  'headers on no stream': {
    settings: limits({
      headersOn: ['chat', 'speech', 'transcription', 'models', 'refused', 'limited'],
    }),
    expected: ['deviation headers.stream: no-limit-headers-on-streams'],
  },
  'headers nowhere': {
    settings: limits({ headersOn: [] }),
    expected: [
      'violation headers.chat',
      ...withoutHeaders('stream').map((row) => `${row}s`),
      ...withoutHeaders('models', 'speech'),
      'deviation headers.transcription: no-limit-headers-on-transcriptions',
      ...withoutHeaders('refusals'),
    ],
  },
  'too large is 400': { settings: { uploadTooLarge: 400 }, expected: [] },
  'ids without publisher': {
    settings: { models: ['small'] },
    expected: ['violation models.form'],
  },
  'the documented body of a 429': { settings: limits(soon), expected: [] },
  'the second body of a 429': { settings: limits({ ...soon, body: 'key' }), expected: [] },
  'the third body of a 429': {
    settings: limits({ ...soon, body: 'detail' }),
    expected: ['deviation error-body.429: detail-error'],
  },
  'no credits': {
    settings: { credits: { balance: 0 } },
    expected: [],
  },
};

describe('each variant of the reference gateway changes exactly its rows', () => {
  it.concurrent.each(Object.entries(variants))('%s', async (_, { settings, options, expected }) => {
    expect(findingsIn(await checkMock(settings, options))).toEqual(expected);
  });

  it('waits for a limited key, and says how often', async () => {
    const report = await checkMock(limits(soon), { only: ['models', 'chat-parameters'] });
    expect(report.spent.waits).toBeGreaterThan(0);
    expect(report.stopped).toBeNull();
  });

  it('is undecided where the credits are used up', async () => {
    const { stopped, rows } = await checkMock({ credits: { balance: 0 } }, { only: ['errors'] });
    expect(stopped).toBe('the credits of the key are used up (402)');
    expect(rows.find(({ id }) => id === 'error-body.402')?.outcome).toBe('pass');
  });
});
