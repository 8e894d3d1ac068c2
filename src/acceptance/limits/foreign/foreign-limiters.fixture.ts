import type { ForeignLimiter } from './foreign-limiter.fixture.ts';
import { gatewayLimiters } from './gateway-limiters.fixture.ts';
import { goLimiters } from './go-limiters.fixture.ts';
import { javaLimiters } from './java-limiters.fixture.ts';
import { nodeLimiters } from './node-limiters.fixture.ts';
import { proxyLimiters } from './proxy-limiters.fixture.ts';
import { pythonLimiters } from './python-limiters.fixture.ts';

/** All limiters of others whose rules were read and written anew. */
export const foreignLimiters: readonly ForeignLimiter[] = [
  ...nodeLimiters,
  ...pythonLimiters,
  ...goLimiters,
  ...javaLimiters,
  ...proxyLimiters,
  ...gatewayLimiters,
];
