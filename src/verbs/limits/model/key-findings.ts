import type { LimitReport } from './limit-report.ts';
import type { TokenReport } from './token-report.ts';

/** The examinations of one key: of its limit of requests, and of its limit of tokens. */
export interface KeyFindings {
  readonly requests: LimitReport | null;
  readonly tokens: TokenReport | null;
}
