import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { realClock } from '../../mock/clock/real-clock.ts';
import { type Mock, startMock } from '../../mock/gateway/start.ts';
import type { SettingsInput } from '../../mock/settings/settings.ts';

/** Starts a reference gateway in this process, and closes it after the test. */
export const openMock = async (settings: SettingsInput = {}): Promise<Mock> => {
  const mock = await startMock(settings, realClock());
  onTestFinished(() => mock.close());
  return mock;
};

/** The counters of a reference gateway, by name. */
export const countersOf = async ({ controlUrl }: Mock): Promise<Record<string, number>> => {
  const counters: unknown = await (await fetch(`${controlUrl}/counters`)).json();
  return z.record(z.string(), z.number()).parse(counters);
};
