import type { LimitReport } from './limit-report.ts';
import type { TokenReport } from './token-report.ts';

/** The findings about one key: about its limit of requests, and about its limit of tokens. */
export interface KeyFindings {
  readonly requests: LimitReport | null;
  readonly tokens: TokenReport | null;
}
