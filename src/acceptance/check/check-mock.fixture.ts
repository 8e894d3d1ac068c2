import type { CheckReport } from '../../model/check/check-report.ts';
import type { SettingsInput } from '../../mock/settings/settings.ts';
import type { CheckOptions } from '../../run/library.ts';
import { openMock } from '../harness/open-mock.fixture.ts';
import { checkQuietly } from './check-quietly.fixture.ts';

/** A gateway without delays, whose limits no suite meets. */
export const quickSettings = {
  ttft: 0,
  gap: 0,
  speech: { base: 0, perCharacter: 0 },
  transcription: { base: 0, perSecond: 0 },
  limits: { requestsPerMinute: 6000 },
} as const satisfies SettingsInput;

/** Checks a quick gateway in this process with these settings. */
export const checkMock = async (
  settings: SettingsInput = {},
  options: CheckOptions = {},
): Promise<CheckReport> => {
  const mock = await openMock({ ...quickSettings, ...settings });
  return checkQuietly(mock.url, options);
};

/** What is not as specified, as `outcome id` and the name of a deviation. */
export const findingsIn = ({ rows }: CheckReport): readonly string[] =>
  rows
    .filter(({ outcome }) => outcome === 'violation' || outcome === 'deviation')
    .map(({ outcome, id, name }) => `${outcome} ${id}${name === null ? '' : `: ${name}`}`);
