import { realClock } from '../../mock/clock/real-clock.ts';
import { type Mock, startMock } from '../../mock/gateway/start.ts';
import type { SettingsInput } from '../../mock/settings/settings.ts';
import { milliseconds } from '../../model/quantity.ts';
import { provingKeys } from './server-process.ts';

/** Starts our own gateway without limits, in this process, for a proxy of others in front of it. */
export const startUpstream = (settings: SettingsInput = {}): Promise<Mock> =>
  startMock(
    {
      keys: [...provingKeys],
      models: ['proving/small'],
      ttft: milliseconds(2),
      gap: milliseconds(1),
      limits: { requestsPerMinute: null, tokensPerMinute: null },
      ...settings,
    },
    realClock(),
  );
