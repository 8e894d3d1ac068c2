import { expect, it } from 'vitest';
import { realClock } from '../../mock/clock/real-clock.ts';
import { startMock } from '../../mock/gateway/start.ts';
import { testKey } from '../../mock/settings/settings.ts';
import { faultNames } from '../../model/gateway/mock-faults.ts';
import { milliseconds } from '../../model/quantity.ts';
import { checkQuietly } from './check-quietly.fixture.ts';
import { openDefectiveGateway } from './defective-gateway.fixture.ts';
import { usageOfRun } from './usage-seeds.fixture.ts';

const usual = ['pass', 'open', 'unchecked'];

/** What `weir check` reports of the reference gateway over so many seeds, and should not. */
const reportedOver = async (seeds: number, only?: string): Promise<readonly unknown[]> => {
  const found: unknown[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const gateway = await openDefectiveGateway({ seed });
    const { rows } = await checkQuietly(gateway.url, { only });
    await gateway.close();
    found.push(
      ...rows
        .filter(({ outcome }) => !usual.includes(outcome))
        .map(({ id, observed }) => ({ seed, id, observed })),
    );
  }
  return found;
};

/** The unusual but legal forms of streams. */
const legalForms = faultNames.slice(
  faultNames.indexOf('role-first'),
  faultNames.indexOf('gzip-stream') + 1,
);

/** What runs against the reference gateway report of its usage over so many seeds, and should not. */
const usageOfRunsOver = async (seeds: number): Promise<readonly unknown[]> => {
  const found: unknown[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const fault = legalForms[seed % legalForms.length]!;
    const keeps = seed % 2 === 0 ? milliseconds(30_000) : null;
    const mock = await startMock(
      {
        seed,
        ttft: milliseconds(1),
        gap: milliseconds(1),
        limits: { requestsPerMinute: null, tokensPerMinute: null },
        faults: [{ fault, routes: ['chat'], every: 3 }],
        promptCache: { keeps, tokens: 20_000 },
      },
      realClock(),
    );
    const { compared, differs } = await usageOfRun(
      { url: mock.url, model: 'weir/small', key: testKey(0), profile: 'spec' },
      seed,
    );
    await mock.close();
    if (differs !== null || compared < 50) found.push({ seed, fault, compared, differs });
  }
  return found;
};

/** Defines the tests that nothing is reported of the reference gateway over so many seeds. */
export const itReportsNothingOver = (seeds: number): void => {
  it(
    `weir check reports nothing of the reference gateway over ${seeds} seeds`,
    async () => expect(await reportedOver(seeds)).toEqual([]),
    seeds * 10_000,
  );

  it(
    `weir check --only usage reports nothing of the reference gateway over ${seeds} seeds`,
    async () => expect(await reportedOver(seeds, 'usage')).toEqual([]),
    seeds * 10_000,
  );

  it(
    `runs report nothing of the usage of the reference gateway over ${seeds} seeds`,
    async () => expect(await usageOfRunsOver(seeds)).toEqual([]),
    seeds * 10_000,
  );
};
