import { describe, expect, it } from 'vitest';
import { compliantFigures, faultFigures, reproductionOf } from './campaign-figures.fixture.ts';
import { compliantCells, faultyCells } from './campaign.fixture.ts';
import { runCampaign } from './run-campaign.fixture.ts';

describe('examinations of limiters of others in simulated time', () => {
  it('accuse none that keeps its limit, and name none wrongly with a margin', async () => {
    const cells = compliantCells(1).filter(({ limit }) => limit === 20 || limit === 60);
    const figures = compliantFigures(await runCampaign(cells));
    expect(figures.examinations).toBeGreaterThan(200);
    expect(figures.falseViolations.map(reproductionOf)).toStrictEqual([]);
    expect(figures.wrongNames.map(reproductionOf)).toStrictEqual([]);
  }, 600_000);

  it('catch planted faults', async () => {
    const cells = faultyCells(6).filter(({ limit }) => limit === 60);
    const figures = faultFigures(await runCampaign(cells)).filter(
      ({ fault }) => fault.power === 'must',
    );
    const powers = figures.map(({ power }) => power());
    const caught = powers.reduce((sum, power) => sum + power.caught, 0);
    const runs = powers.reduce((sum, power) => sum + power.runs, 0);
    expect(caught / runs).toBeGreaterThan(0.95);
    // Eleven of twelve: one of twelve can be missed by chance where 95 of 100 are caught.
    const weak = figures.filter(({ power }) => power().caught < power().runs - 1);
    expect(weak.map(({ fault }) => fault.name)).toStrictEqual([]);
  }, 600_000);
});
