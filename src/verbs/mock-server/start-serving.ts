import { realClock } from '../../mock/clock/real-clock.ts';
import { MockStartError } from '../../mock/errors/mock-errors.ts';
import { startMock } from '../../mock/gateway/start.ts';
import { type SettingsInput, settingsSchema } from '../../mock/settings/settings.ts';
import { warmUpAudio } from '../../mock/audio/audio-probe.ts';
import type { Milliseconds } from '../../model/quantity.ts';
import { Problem } from '../../platform/problem.ts';

/**
 * This file starts the reference gateway in this process. Each run against the reference gateway starts such a process.
 * The code that reads scenarios takes 80 ms of CPU to load. This code is therefore loaded only for a problem or for
 * later settings.
 */

const readSettings = async (settings: SettingsInput) => {
  const read = settingsSchema.safeParse(settings);
  if (read.success) return read.data;
  const { schemaIssueMessage } = await import('../../scenario/text/schema-findings.ts');
  const { error } = settingsSchema.safeParse(settings, { error: schemaIssueMessage });
  const [issue] = (error ?? read.error).issues;
  throw new Problem(`the mock’s settings: ${issue?.path.join('.')}: ${issue?.message}`);
};

/** Reads settings that arrive at the control port, in the notation of scenarios. */
const readLater = async (written: unknown): Promise<unknown> => {
  const { parseSettings } = await import('./settings-notation.ts');
  const { mockSettingsSchema } = await import('../../model/gateway/mock-settings.ts');
  return parseSettings(mockSettingsSchema, written);
};

/** Starts the gateway. If `hasUploads` is set, the code that measures recordings is loaded at once. */
export const startServing = async (given: SettingsInput, hasUploads = true) => {
  const settings = await readSettings(given);
  if (hasUploads) await warmUpAudio();
  const mock = await startMock(settings, realClock(), readLater).catch((error: unknown) => {
    throw error instanceof MockStartError ? new Problem(error.message) : error;
  });
  return { settings, mock };
};

/** Calls `end` after `lifetime`, or never if `lifetime` is `null`. The returned function cancels the call. */
export const endAfter = (lifetime: Milliseconds | null, end: () => void): (() => void) => {
  if (lifetime === null) return () => undefined;
  const clock = realClock();
  return clock.at(clock.now() + lifetime, end);
};
