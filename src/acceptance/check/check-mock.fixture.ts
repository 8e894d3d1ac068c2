import type { CheckReport } from '../../verbs/check/model/check-report.ts';
import { realClock } from '../../mock/clock/real-clock.ts';
import { startMock } from '../../mock/gateway/start.ts';
import type { SettingsInput } from '../../mock/settings/settings.ts';
import { testKey } from '../../mock/settings/settings.ts';
import { check, type CheckOptions } from '../../library/library.ts';

/** A gateway without delays, whose limits no suite meets. */
export const quickSettings = {
  ttft: 0,
  gap: 0,
  speech: { base: 0, perCharacter: 0 },
  transcription: { base: 0, perSecond: 0 },
  limits: { requestsPerMinute: 6000 },
} as const satisfies SettingsInput;

/** Checks an address with the mock's test key. */
export const checkAddress = (url: string, options: CheckOptions = {}): Promise<CheckReport> =>
  check(url, { environment: { WEIR_API_KEY: testKey(0) }, ...options });

/** Checks a quick gateway in this process with these settings, and closes it: the end of a test that runs beside others may close theirs. */
export const checkMock = async (
  settings: SettingsInput = {},
  options: CheckOptions = {},
): Promise<CheckReport> => {
  const mock = await startMock({ ...quickSettings, ...settings }, realClock());
  try {
    return await checkAddress(mock.url, options);
  } finally {
    await mock.close();
  }
};

/** What is not as specified, as `outcome id` and the name of a deviation. */
export const findingsIn = ({ rows }: CheckReport): readonly string[] =>
  rows
    .filter(({ outcome }) => outcome === 'violation' || outcome === 'deviation')
    .map(({ outcome, id, name }) => `${outcome} ${id}${name === null ? '' : `: ${name}`}`);
