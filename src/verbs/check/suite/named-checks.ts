import type { Check, CheckRequest } from '../reading/check-case.ts';
import { disconnectChecks } from '../topics/disconnect-checks.ts';
import { usageChecks } from '../topics/usage-checks.ts';
import { usageRequests } from '../topics/usage-requests.ts';

/** These checks run only if `--only` names them, since they need more requests than usual. */
export const namedChecks: readonly Check[] = [...usageChecks, ...disconnectChecks];
export const namedRequests: readonly CheckRequest[] = [...usageRequests];
