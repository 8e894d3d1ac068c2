import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { openBrowser } from '../../acceptance/harness/open-browser.fixture.ts';
import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { Problem } from '../../platform/problem.ts';
import { readReportAssets } from '../../platform/files/report-assets.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { sampleObservation, sampleStream } from '../../record/sample-observations.fixture.ts';
import { emptyTally, recordObservation, toResult } from '../../record/tally.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { runPage } from '../../report/run/run-page.ts';
import { atMost, type BenchPart, benchRow } from '../harness/bench.ts';
import { alternate, median } from '../harness/statistics.ts';

const rounds = 7;
const perSecond = 200;
const seconds = 600;

/** Ten minutes at 200 streamed chats per second, with latencies that spread like real ones. */
const longRun = (): Result => {
  const tally = emptyTally(samplePlan());
  const head = sampleObservation().head!;
  for (let index = 0; index < seconds * perSecond; index += 1) {
    const draw = drawFrom(1, 0, index);
    const due = (index * 1000) / perSecond;
    const ttft = 150 * Math.exp(draw.uniform());
    const gap = 10 * Math.exp(draw.uniform());
    const begun = due + draw.uniform();
    const moments = Array.from({ length: 20 }, (_, token) => begun + ttft + token * gap);
    const ended = moments.at(-1)! + 1;
    recordObservation(
      tally,
      sampleObservation({
        requestId: `run-0-${index}`,
        index,
        traffic: 'chat-stream',
        due: instant(due),
        released: instant(due),
        begun: instant(begun),
        connected: instant(begun),
        sent: instant(begun + 0.1),
        ended: instant(ended),
        head: { ...head, at: instant(moments[0]!) },
        outcome: { kind: 'completed', answer: sampleStream(moments) },
      }),
    );
  }
  const scheduled = milliseconds(seconds * 1000);
  return toResult(tally, sampleFacts([{ index: 0, count: 1 }], { scheduled }));
};

/** How long a page takes until its load event has ended, in ms. */
const openingTime = async (page: Page, path: string): Promise<number> => {
  await page.goto(pathToFileURL(path).href, { waitUntil: 'load' });
  return page.evaluate<number>('performance.getEntriesByType("navigation")[0].loadEventEnd');
};

/** How large the report of a long run is, and how fast a browser opens it. */
export const measureReport: BenchPart = async () => {
  const result = longRun();
  const html = runPage(result, judgeTrust(result), await readReportAssets());
  const browser = await openBrowser().catch((error: unknown) => {
    throw new Problem(
      `no browser starts: ${String(error).split('\n')[0]}; install Debian's package chromium`,
    );
  });
  const folder = await mkdtemp(join(tmpdir(), 'weir-bench-'));
  try {
    const [report, bare] = [join(folder, 'report.html'), join(folder, 'bare.html')];
    await writeFile(report, html);
    await writeFile(bare, '<!doctype html><title>bare</title><p>bare');
    const page = await browser.newPage();
    const times = await alternate(rounds, [bare, report], (path) => openingTime(page, path));
    const size = Buffer.byteLength(html) / 1000;
    const opening = 'time to open it, until its load event has ended';
    return [
      benchRow(`report of ${seconds / 60} minutes at ${perSecond}/s`, size, 'kB', atMost(1000)),
      {
        ...benchRow(opening, median(times.get(report)!), 'ms', atMost(1000)),
        reference: median(times.get(bare)!),
      },
    ];
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
};
