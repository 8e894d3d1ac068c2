import { appendFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import {
  compliantFigures,
  faultFigures,
} from '../../acceptance/limits/foreign/campaign-figures.fixture.ts';
import { campaignReport } from '../../acceptance/limits/foreign/campaign-tables.fixture.ts';
import {
  campaignWindows,
  type CampaignCell,
  type CampaignResult,
  compliantCells,
  faultyCells,
} from '../../acceptance/limits/foreign/campaign.fixture.ts';
import { runCampaign } from '../../acceptance/limits/foreign/run-campaign.fixture.ts';
import { atLeast, atMost, type BenchPart, benchRow, type Say } from '../harness/bench.ts';
import { committedSource } from '../harness/committed-source.ts';

/** Examinations of each compliant limiter under each limit and window: more than 5,000 in all. */
const seeds = Number(process.env['WEIR_LIMITS_SEEDS'] ?? 13);
/** Examinations of each fault under the usual limit and each window; fewer under other limits. */
const runs = Number(process.env['WEIR_LIMITS_RUNS'] ?? 20);

/** Examinations between two lines of progress. */
const step = 500;

/** The results of a bench that has not ended, line by line; the first line is the source that they are of. */
const unfinished = 'reports/bench/limits-power.part.jsonl';

const nameOf = ({ limiter, fault, limit, window, seed }: CampaignCell): string =>
  [limiter, fault, limit, window, seed].join();

/** What an interrupted bench of the same committed source has left; of another source, nothing is taken over. */
const resume = async (): Promise<Map<string, CampaignResult>> => {
  const source = await committedSource();
  const [of, ...lines] = await readFile(unfinished, 'utf8').then(
    (text) => text.split('\n').slice(0, -1),
    () => [],
  );
  const taken = of !== undefined && of === source ? lines : [];
  // A line that was cut off would spoil the next one.
  await writeFile(unfinished, `${[source ?? 'changed', ...taken].join('\n')}\n`);
  const results = taken.map((line) => JSON.parse(line) as CampaignResult);
  return new Map(results.map((result) => [nameOf(result), result]));
};

/** The results in the order of the cells, of which some may be known. */
const runAll = async (
  say: Say,
  what: string,
  cells: readonly CampaignCell[],
  known: Map<string, CampaignResult>,
): Promise<readonly CampaignResult[]> => {
  const left = cells.filter((cell) => !known.has(nameOf(cell)));
  const before = cells.length - left.length;
  const resumed = before > 0 ? `, of which ${before} were made before an interruption` : '';
  say(`${cells.length} examinations of ${what}${resumed}`);
  let done = before;
  await runCampaign(left, (result) => {
    known.set(nameOf(result), result);
    appendFileSync(unfinished, `${JSON.stringify(result)}\n`);
    done += 1;
    if (done % step === 0) say(`${done} of ${cells.length}`);
  });
  return cells.map((cell) => known.get(nameOf(cell))!);
};

/**
 * Examines limiters of others in simulated time, as they are and with planted faults: how often it accuses or names them wrongly,
 * and how often it catches the faults. Writes `limits-power.md` and `limits-power.json` into `reports/bench`.
 * It takes more than an hour; one that was interrupted goes on, if the source is still the same.
 */
export const measureSimulatedLimiters: BenchPart = async (say) => {
  await mkdir('reports/bench', { recursive: true });
  const known = await resume();
  const compliant = await runAll(say, 'limiters of others', compliantCells(seeds), known);
  const faulty = await runAll(say, 'planted faults', faultyCells(runs), known);
  await writeFile('reports/bench/limits-power.md', campaignReport(compliant, faulty));
  await writeFile('reports/bench/limits-power.json', `${JSON.stringify({ compliant, faulty })}\n`);
  await rm(unfinished);
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
