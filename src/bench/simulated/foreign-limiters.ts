import { mkdir, writeFile } from 'node:fs/promises';
import {
  compliantFigures,
  faultFigures,
} from '../../acceptance/limits/foreign/campaign-figures.fixture.ts';
import { campaignReport } from '../../acceptance/limits/foreign/campaign-tables.fixture.ts';
import {
  campaignWindows,
  type CampaignCell,
  compliantCells,
  faultyCells,
} from '../../acceptance/limits/foreign/campaign.fixture.ts';
import { runCampaign } from '../../acceptance/limits/foreign/run-campaign.fixture.ts';
import { atLeast, atMost, type BenchPart, benchRow, type Say } from '../harness/bench.ts';

/** Examinations of each compliant limiter under each limit and window: more than 5,000 in all. */
const seeds = Number(process.env['WEIR_LIMITS_SEEDS'] ?? 13);
/** Examinations of each fault under the usual limit and each window; fewer under other limits. */
const runs = Number(process.env['WEIR_LIMITS_RUNS'] ?? 20);

/** Examinations between two lines of progress. */
const step = 500;

const runAll = async (say: Say, what: string, cells: readonly CampaignCell[]) => {
  say(`${cells.length} examinations of ${what}`);
  return runCampaign(cells, (done) => {
    if (done % step === 0) say(`${done} of ${cells.length}`);
  });
};

/**
 * Examines limiters of others in simulated time, as they are and with planted faults: how often it accuses or names them wrongly,
 * and how often it catches the faults. Writes `reports/limits-power.md` and `reports/limits-power.json`.
 */
export const measureSimulatedLimiters: BenchPart = async (say) => {
  const compliant = await runAll(say, 'limiters of others', compliantCells(seeds));
  const faulty = await runAll(say, 'planted faults', faultyCells(runs));
  await mkdir('reports', { recursive: true });
  await writeFile('reports/limits-power.md', campaignReport(compliant, faulty));
  await writeFile('reports/limits-power.json', `${JSON.stringify({ compliant, faulty })}\n`);
  const { examinations, falseViolations, named } = compliantFigures(compliant);
  const honest = ((named.right + named.none) / examinations) * 100;
  const rows = campaignWindows.flatMap((window) =>
    faultFigures(faulty)
      .filter(({ fault }) => fault.power === 'must')
      .map(({ fault, power }) => {
        const { caught, runs: all } = power((each) => each.window === window && each.limit === 60);
        const what = `60 in ${window / 1000} s, caught: ${fault.name}`;
        return benchRow(what, '%', (caught / all) * 100, atLeast(95));
      }),
  );
  return [
    benchRow(`false violations of ${examinations}`, '', falseViolations.length, atMost(1)),
    benchRow('named right, or "none of ours"', '%', honest, atLeast(98)),
    benchRow('named wrong with a margin', '', named.wrong, atMost(0)),
    ...rows,
  ];
};
