import type { CheckProfile, CheckReport } from '../../model/check/check-report.ts';
import type { CheckOptions } from '../../run/examine/check-settings.ts';
import { performCheck } from '../../run/examine/perform-check.ts';

const everything: CheckOptions = {
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
};

/** Checks the interface at an address in this process, and prints nothing. */
export const checkQuietly = async (
  target: string,
  options: Partial<Omit<CheckOptions, 'profile'>> & { readonly profile?: CheckProfile } = {},
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
