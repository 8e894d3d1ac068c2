import { expect, it } from 'vitest';
import { mockSettingsSchema } from '../../model/gateway/mock-settings.ts';
import { mockSchema } from './mock-schema.ts';
import { readScenario } from '../read-scenario.ts';

const read = (mock: string) =>
  readScenario({
    text: `traffic: [{kind: models}]\nload: {kind: constant, rate: 1/s, duration: 1s}\nmock: ${mock}`,
    name: 's.yaml',
    environment: {},
  });

const problemsOf = (mock: string): readonly string[] => {
  const reading = read(mock);
  return reading.ok ? [] : reading.problems.map(({ message }) => message);
};

it('has every setting of the reference gateway except prices, which belong to the scenario', () => {
  const { prices: _, ...defaults } = mockSettingsSchema.parse({});
  expect(mockSchema.parse({})).toEqual(defaults);
  // One schema is made of the other, so what both say by default is held against the documented values, too.
  expect(mockSchema.parse({})).toMatchObject({
    models: ['weir/small', 'weir/large'],
    contextTokens: 131_072,
    ttft: 200,
    gap: 20,
    latency: 'fixed',
    outputTokens: { min: 32, max: 96 },
    speech: { model: 'weir-tts', base: 150, perCharacter: 4 },
    transcription: { model: 'weir/whisper', base: 100, perSecond: 25 },
    limits: {
      requestsPerMinute: 60,
      tokensPerMinute: 2_000_000,
      inFlight: null,
      window: 60_000,
      profile: 'spec',
      burstShare: 1 / 6,
      steps: 6,
      workers: 1,
      hiddenRequests: 0,
    },
    credits: { balance: null, ledger: 10_000 },
    faults: [],
    faultHeader: true,
    metrics: true,
    sendStamps: false,
    uploadTooLarge: 413,
  });
});

it('accepts durations with their unit and `none` for no limit, in every field', () => {
  const reading = read(
    '{ttft: 1s, speech: {base: 30ms}, limits: {window: 10s, tokensPerMinute: none, inFlight: 3}, ' +
      'latency: {batch: 4, overhead: 5ms, perPromptToken: 0.1ms, step: 8ms, stepPerRequest: 0.5ms, stepPerThousandTokens: 0ms}, ' +
      'credits: {balance: 500}, faults: [{fault: no-done, every: 3, delay: 2s}], uploadTooLarge: 400}',
  );
  expect(reading.ok && reading.plan.mock).toMatchObject({
    ttft: 1000,
    speech: { base: 30, perCharacter: 4 },
    limits: { window: 10_000, requestsPerMinute: 60, tokensPerMinute: null, inFlight: 3 },
    latency: { batch: 4, overhead: 5, perPromptToken: 0.1, tokensPerChunk: 1 },
    credits: { balance: 500 },
    faults: [{ fault: 'no-done', every: 3, for: 1, delay: 2000 }],
    uploadTooLarge: 400,
  });
});

it.each([
  ['{ttft: 200}', ['expected a length of time']],
  ['{limits: {burstShare: 2}}', ['expected a number of at most 1, got the number 2']],
  ['{limits: {windw: 1s}}', ['unknown key']],
  ['{limits: {algorithm: fixed}}', ['expected "fixed-from-first"']],
  ['{limits: {requestsPerMinute: -1}}', ['expected a number above 0']],
  ['{faults: [{fault: no-done}]}', ['expected exactly one of probability, every and nth']],
  [
    '{latency: smal}',
    ['expected "fixed", "small", "medium" or "large", or a mapping of keys to values, got "smal"'],
  ],
  ['{credits: {balance: lots}}', ['expected "none", or a number, got "lots"']],
  ['{credits: {balance: -3}}', ['expected a number of at least 0, got the number -3']],
  ['{uploadTooLarge: 401}', ['expected 413 or 400, got the number 401']],
  ['{prices: {}}', ['unknown key']],
])('refuses %s with a clear message', (mock, expected) => {
  const problems = problemsOf(mock);
  expect(problems).toHaveLength(expected.length);
  for (const [i, text] of expected.entries()) expect(problems[i]).toContain(text);
});
