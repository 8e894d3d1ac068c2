import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LimitReport } from '../../verbs/limits/model/limit-report.ts';
import { milliseconds } from '../../model/quantity.ts';
import { realClock } from '../../mock/clock/real-clock.ts';
import type { SettingsInput } from '../../mock/settings/settings.ts';
import { startMock } from '../../mock/gateway/start.ts';
import { tempFolder, weirProcess } from '../harness/weir-process.fixture.ts';

/** The limit of requests that examined gateways have. */
const requestLimit = 12;

export interface WeirLimitsRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly report: LimitReport;
  /** The files that it left, by their names. */
  readonly files: Readonly<Record<string, string>>;
}

/** Examines a reference gateway on real sockets with the real program; `window` in ms. */
export const runWeirLimits = async (
  window: number,
  limits: SettingsInput['limits'],
  args: readonly string[],
): Promise<WeirLimitsRun> => {
  const mock = await startMock(
    {
      ttft: milliseconds(limits?.algorithm === 'in-flight' ? 150 : 5),
      gap: milliseconds(1),
      limits: { requestsPerMinute: requestLimit, window: milliseconds(window), ...limits },
    },
    realClock(),
  );
  const folder = await tempFolder();
  try {
    const { code, stdout, stderr } = await weirProcess(
      [
        'limits',
        '--target',
        mock.url,
        '--window',
        `${window}ms`,
        '--yes',
        '--out',
        folder,
        '--set',
        `limits.requestsPerMinute=${requestLimit}`,
        ...args,
      ],
      { WEIR_API_KEY: 'sk-weir-test', SECOND: 'sk-weir-test-2' },
    );
    const names = await readdir(folder);
    const texts = names.map(
      async (name) => [name, await readFile(join(folder, name), 'utf8')] as const,
    );
    const files = Object.fromEntries(await Promise.all(texts));
    const report = JSON.parse(files['limits.json'] ?? '{}') as LimitReport;
    return { code, stdout, stderr, files, report };
  } finally {
    await mock.close();
  }
};
