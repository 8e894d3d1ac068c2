import type { CheckProfile } from '../../verbs/check/model/check-choices.ts';
import type { CheckReport } from '../../verbs/check/model/check-report.ts';
import type { CheckSettings } from '../../verbs/check/check-settings.ts';
import { performCheck } from '../../verbs/check/perform-check.ts';

const everything: CheckSettings = {
  scenario: undefined,
  target: undefined,
  set: [],
  key: undefined,
  model: undefined,
  voice: undefined,
  speechModel: undefined,
  transcriptionModel: undefined,
  profile: undefined,
  only: undefined,
  skip: undefined,
  noCost: false,
  timeout: undefined,
};

/** Checks the interface at an address in this process, and prints nothing. */
export const checkQuietly = async (
  target: string,
  options: Partial<Omit<CheckSettings, 'profile'>> & { readonly profile?: CheckProfile } = {},
  key = 'sk-weir-test',
): Promise<CheckReport> => {
  const ignore = (): void => undefined;
  const printer = {
    say: ignore,
    warn: ignore,
    print: ignore,
    close: ignore,
    listFiles: ignore,
    screen: null,
  };
  const host = {
    environment: { WEIR_API_KEY: key },
    printer,
    onStop: () => ignore,
    ask: null,
  };
  const { report } = await performCheck(
    { ...everything, target, ...options },
    host,
    async () => undefined,
  );
  return report;
};
