import { expect, it } from 'vitest';
import { settingsSchema } from '../../mock/settings/settings.ts';
import { nonDefaultSettings } from './non-default-settings.ts';

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
