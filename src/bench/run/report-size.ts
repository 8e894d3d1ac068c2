import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBrowser } from '../../acceptance/harness/open-browser.fixture.ts';
import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { Result } from '../../model/result/result.ts';
import { Problem } from '../../platform/problem.ts';
import { readReportAssets } from '../../platform/files/report-assets.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { sampleObservation, sampleStream } from '../../record/sample-observations.fixture.ts';
import { emptyTally, recordObservation, toResult } from '../../record/tally.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { runPage } from '../../report/run/run-page.ts';
import { atMost, type BenchPart, benchRow, rowsBeside, takeTurns } from '../harness/bench.ts';
import { openTempFolder } from '../harness/run-weir.ts';
import { median } from '../harness/statistics.ts';

const rounds = 7;
const perSecond = 200;
const seconds = 600;

/** A streamed chat of twenty tokens among 200 per second, with latencies that spread like real ones. */
export const longRunObservation = (index: number): Observation => {
  const draw = drawFrom(1, 0, index);
  const due = (index * 1000) / perSecond;
  const ttft = 150 * Math.exp(draw.uniform());
  const gap = 10 * Math.exp(draw.uniform());
  const begun = due + draw.uniform();
  const moments = Array.from({ length: 20 }, (_, token) => begun + ttft + token * gap);
  const ended = moments.at(-1)! + 1;
  const whole = sampleObservation();
  return {
    ...whole,
    requestId: `run-0-${index}`,
    index,
    traffic: 'chat-stream',
    due: instant(due),
    released: instant(due),
    begun: instant(begun),
    connected: instant(begun),
    sent: instant(begun + 0.1),
    ended: instant(ended),
    head: { ...whole.head!, at: instant(moments[0]!) },
    outcome: { kind: 'completed', answer: sampleStream(moments) },
  };
};

/** Ten minutes of them. */
const longRun = (): Result => {
  const tally = emptyTally(samplePlan());
  for (let index = 0; index < seconds * perSecond; index += 1)
    recordObservation(tally, longRunObservation(index));
  const scheduled = milliseconds(seconds * 1000);
  return toResult(tally, sampleFacts([{ index: 0, count: 1 }], { scheduled }));
};

/** How large the report of a long run is, and how fast a browser opens it. */
export const measureReport: BenchPart = async (say) => {
  const result = longRun();
  const report = runPage(result, judgeTrust(result), await readReportAssets());
  const pages = { bare: '<!doctype html><title>bare</title><p>bare', report };
  await using browser = await openBrowser().catch((error: unknown) => {
    throw new Problem(
      `no browser starts: ${String(error).split('\n')[0]}; install Debian's package chromium`,
    );
  });
  await using folder = await openTempFolder();
  const page = await browser.newPage();
  const { bare: bareTimes, report: times } = await takeTurns(say, {
    rounds,
    candidates: ['bare', 'report'],
    measure: async (name) => {
      const path = join(folder.path, `${name}.html`);
      await writeFile(path, pages[name]);
      await page.goto(pathToFileURL(path).href, { waitUntil: 'load' });
      return page.evaluate<number>('performance.getEntriesByType("navigation")[0].loadEventEnd');
    },
  });
  const size = Buffer.byteLength(report) / 1000;
  const row = rowsBeside(times, bareTimes);
  return [
    benchRow(`report of ${seconds / 60} minutes at ${perSecond}/s`, 'kB', size, atMost(1000)),
    row('time to open it, until its load event has ended', 'ms', median, atMost(1000)),
  ];
};
