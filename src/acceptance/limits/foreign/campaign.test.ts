// @gate 1 s
import { describe, expect, it } from 'vitest';
import { campaignReport } from './campaign-tables.fixture.ts';
import { compliantCells, faultyCells, runCell, simulationOf } from './campaign.fixture.ts';
import { foreignLimiters } from './foreign-limiters.fixture.ts';
import { plantedFaults } from './planted-faults.fixture.ts';

const cellOf = (name: string, fault: string | null, seed = 1) => ({
  limiter: foreignLimiters.findIndex((limiter) => limiter.name === name),
  fault: fault === null ? null : plantedFaults.findIndex((each) => each.name === fault),
  limit: 20,
  window: 10_000,
  seed,
});

describe('a campaign of examinations', () => {
  it('gives the same result for the same cell', async () => {
    const cell = cellOf('limits 5.8.0, moving window in memory', null);
    expect(await runCell(cell)).toStrictEqual(await runCell(cell));
  });

  it('draws the network, the machine and the headers by the seed', () => {
    const cell = cellOf('limits 5.8.0, moving window in memory', null);
    const simulations = Array.from({ length: 40 }, (_, seed) => {
      const { simulation } = simulationOf({ ...cell, seed });
      return simulation;
    });
    expect(new Set(simulations.map(({ roundTrip }) => roundTrip)).size).toBe(3);
    expect(new Set(simulations.map(({ date }) => date)).size).toBe(3);
    expect(new Set(simulations.map(({ hasHeaders }) => hasHeaders)).size).toBe(2);
  });

  it('has every limiter that can be configured so, and every fault, under every limit and window', () => {
    const compliant = compliantCells(2);
    expect(compliant.length).toBeGreaterThan(7 * 50 * 2);
    expect(new Set(compliant.map(({ limiter }) => limiter)).size).toBe(foreignLimiters.length);
    // Three of 60, two of 20 and of 30, one of 500, in each window.
    expect(faultyCells(3)).toHaveLength(plantedFaults.length * 2 * (3 + 2 + 2 + 1));
    expect(faultyCells(6).every(({ limiter }) => limiter >= 0)).toBe(true);
  });

  it('sees no violation in a limiter that keeps its limit, and one where there is no limit', async () => {
    const name = 'express-rate-limit 8.7.4, MemoryStore';
    const [kept, violated] = [
      await runCell(cellOf(name, null)),
      await runCell(cellOf(name, 'no limit at all')),
    ];
    expect([kept.verdict, violated.verdict]).toStrictEqual(['kept', 'violated']);
    const report = campaignReport([kept], [violated]);
    expect(report).toContain(
      '1 examinations of limiters that keep their limit: 0 false violations',
    );
    expect(report).toMatch(/no limit at all \| yes \| 1\/1 \|/);
  });
});
