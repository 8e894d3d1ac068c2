import type { LimitReport } from './limit-report.ts';
import type { TokenReport } from './token-report.ts';

export interface KeyFindings {
  readonly requests: LimitReport | null;
  readonly tokens: TokenReport | null;
}
