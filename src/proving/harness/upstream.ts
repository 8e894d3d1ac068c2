import { realClock } from '../../mock/clock/real-clock.ts';
import { startMock } from '../../mock/gateway/start.ts';
import type { SettingsInput } from '../../mock/settings/settings.ts';
import { milliseconds } from '../../model/quantity.ts';
import { provingKeys, type RunningServer } from './server-process.ts';

/** Times that other programs can measure well. */
export const measurableTimes: SettingsInput = { ttft: milliseconds(80), gap: milliseconds(12) };

/**
 * Starts our own gateway without limits in this process, and a proxy of others before it; `start` takes the gateway's host and
 * port. Both end together.
 */
export const startBeforeGateway = async <Server extends RunningServer>(
  start: (gateway: string) => Promise<Server>,
  times: SettingsInput = { ttft: milliseconds(2), gap: milliseconds(1) },
): Promise<Server> => {
  const gateway = await startMock(
    {
      keys: [...provingKeys],
      models: ['proving/small'],
      limits: { requestsPerMinute: null, tokensPerMinute: null },
      ...times,
    },
    realClock(),
  );
  try {
    const server = await start(new URL(gateway.url).host);
    const stop = async (): Promise<void> => {
      await server.stop();
      await gateway.close();
    };
    return { ...server, stop };
  } catch (error) {
    await gateway.close();
    throw error;
  }
};
