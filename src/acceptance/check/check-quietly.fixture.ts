import { testKey } from '../../mock/settings/settings.ts';
import type { CheckReport } from '../../model/check/check-report.ts';
import { check, type CheckOptions } from '../../run/library.ts';

/** Checks the interface at an address in this process with the reference gateway's test key, and prints nothing. */
export const checkQuietly = (target: string, options: CheckOptions = {}): Promise<CheckReport> =>
  check(target, { environment: { WEIR_API_KEY: testKey(0) }, ...options });
