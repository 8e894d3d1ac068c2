import { checkQuietly } from './check-quietly.fixture.ts';
import { openDefectiveGateway } from './defective-gateway.fixture.ts';

const usual = ['pass', 'open', 'unchecked'];

/** What `weir check` reports of the reference gateway over so many seeds, and should not. */
export const reportedOver = async (seeds: number, only?: string): Promise<readonly unknown[]> => {
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
