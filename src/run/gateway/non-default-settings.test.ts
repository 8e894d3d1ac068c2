import { expect, it } from 'vitest';
import { settingsSchema } from '../../mock/settings/settings.ts';
import { nonDefaultSettings } from './non-default-settings.ts';

it('tells what is set otherwise than usual, each by its path, and nothing of addresses and keys', () => {
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
