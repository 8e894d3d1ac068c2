import { isIPv6 } from 'node:net';
import type { MetricsAddress } from '../platform/metrics.ts';
import { UsageProblem } from './options.ts';

export const metricsOption = {
  type: 'string',
  group: 'Output:',
  describe: 'Offer live OpenMetrics at PORT of 127.0.0.1, or at HOST:PORT',
} as const;

/** `9464`, `0.0.0.0:9464`, `[::1]:9464`. Only whoever names a host is heard beyond this machine. */
export const metricsAddress = (text: string | undefined): MetricsAddress | null => {
  if (text === undefined) return null;
  const [, bracketed, plain, port = ''] =
    /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text) ?? [];
  const isBad =
    port === '' || Number(port) > 65_535 || (bracketed !== undefined && !isIPv6(bracketed));
  if (isBad) throw new UsageProblem(`--metrics: expected PORT or HOST:PORT, got "${text}"`);
  return { host: bracketed ?? plain ?? '127.0.0.1', port: Number(port) };
};
