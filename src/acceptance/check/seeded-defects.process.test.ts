import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckRow } from '../../verbs/check/model/check-report.ts';
import { type DefectiveGateway, openDefectiveGateway } from './defective-gateway.fixture.ts';
import { checkQuietly } from './check-quietly.fixture.ts';
import type { SeededDefect } from './seeded-defect.fixture.ts';
import { seededDefects } from './seeded-defects.fixture.ts';

let gateway: DefectiveGateway;
beforeAll(async () => {
  gateway = await openDefectiveGateway();
});
afterAll(() => gateway.close());

const findingsWith = async (defect: SeededDefect | null): Promise<readonly CheckRow[]> => {
  await gateway.show(defect);
  const { rows } = await checkQuietly(gateway.url);
  return rows.filter(({ outcome }) => outcome === 'violation' || outcome === 'deviation');
};

describe('weir check, against the reference gateway behind a layer that seeds a defect', () => {
  it('reports nothing without a defect', async () => {
    expect(await findingsWith(null)).toEqual([]);
    expect(gateway.changed()).toBe(0);
  });

  it.for(seededDefects)('§ $section: reports that $wrong, by $row', async (defect) => {
    const findings = await findingsWith(defect);
    expect(gateway.changed()).toBeGreaterThan(0);
    expect(findings.map(({ id }) => id)).toContain(defect.row);
  });
});
