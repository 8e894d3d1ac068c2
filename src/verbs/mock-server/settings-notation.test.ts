import { expect, it } from 'vitest';
import { mockSettingsSchema } from '../../model/gateway/mock-settings.ts';
import { parseSettings, formatSettings, nonDefaultSettings } from './settings-notation.ts';
import { settingsSchema } from '../../mock/settings/settings.ts';

const plain = {
  ttft: 5,
  models: ['none'],
  latency: {
    batch: 8,
    overhead: 1500,
    perPromptToken: 0.5,
    step: 6,
    stepPerRequest: 0,
    stepPerThousandTokens: 0,
  },
  limits: { requestsPerMinute: null, window: 60_000, profile: 'litellm' },
  faults: [{ fault: 'no-done', nth: 1, delay: 20, for: null }],
};
const written = {
  ttft: '5ms',
  models: ['none'],
  latency: {
    batch: 8,
    overhead: '1s500ms',
    perPromptToken: '0.5ms',
    step: '6ms',
    stepPerRequest: '0s',
    stepPerThousandTokens: '0s',
  },
  limits: { requestsPerMinute: 'none', window: '1m', profile: 'litellm' },
  faults: [{ fault: 'no-done', nth: 1, delay: '20ms', for: 'none' }],
};

it('writes durations with their unit and null as none, and reads them back', () => {
  expect(formatSettings(mockSettingsSchema, plain)).toEqual(written);
  expect(parseSettings(mockSettingsSchema, written)).toEqual(plain);
});

it('does not change what is already plain, invalid or unknown', () => {
  expect(parseSettings(mockSettingsSchema, plain)).toEqual(plain);
  const wrong = { ttft: '5 parsecs', gap: true, limits: 'none', faults: '1s', toString: '5ms' };
  expect(parseSettings(mockSettingsSchema, wrong)).toEqual(wrong);
  expect(parseSettings(mockSettingsSchema, '5ms')).toBe('5ms');
});

it('lists the settings that differ from the defaults by path, without addresses and keys', () => {
  expect(nonDefaultSettings(settingsSchema.parse({ port: 9, keys: ['k'] }))).toEqual([]);
  const settings = settingsSchema.parse({
    ttft: 5,
    limits: { requestsPerMinute: null, profile: 'litellm' },
    faults: [{ fault: 'no-done', nth: 1 }],
  });
  expect(nonDefaultSettings(settings)).toEqual([
    'ttft=5ms',
    'limits.requestsPerMinute=none',
    'limits.profile=litellm',
    'faults=[{"fault":"no-done","nth":1,"for":1}]',
  ]);
});
