import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe, { type AxeResults } from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeObjectives } from '../../judge/objectives/judge-objectives.ts';
import { judgeRunLimits } from '../../judge/limits/run/judge-run-limits.ts';
import type { Result } from '../../model/result/result.ts';
import { readReportAssets } from '../../platform/files/report-assets.ts';
import { checkDocument } from '../../verbs/check/report/check-document.ts';
import { fullCheck } from '../../verbs/check/report/sample-check.fixture.ts';
import { comparisonDocument } from '../../verbs/compare/report/comparison-document.ts';
import { sampleComparison } from '../../verbs/compare/report/sample-comparison.fixture.ts';
import { htmlPage, themedPage } from '../../report/document/html-page.ts';
import { runPage } from '../../report/run/run-page.ts';
import { historyDocument } from '../../verbs/history/report/history-document.ts';
import { sampleTrend } from '../../verbs/history/report/sample-history.fixture.ts';
import { limitsDocument } from '../../verbs/limits/report/limits-document.ts';
import { sampleRunResult } from '../../report/fixtures/sample-result.fixture.ts';
import { degradedTrust } from '../../report/fixtures/sample-trust.fixture.ts';
import { examineSimulatedGateway } from '../limits/examine-simulated-gateway.fixture.ts';
import { openBrowser } from '../harness/open-browser.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-accessibility-'));
let browser: Browser;

/** A run whose page has every part, including verdicts on objectives and limits. */
const judgedResult = (): Result => {
  const sample = sampleRunResult();
  const limits = { ...sample.plan.limits, limiter: 'any' } as const;
  const result = { ...sample, plan: { ...sample.plan, limits } };
  return {
    ...result,
    verdicts: judgeObjectives(result, degradedTrust),
    limits: judgeRunLimits(result, degradedTrust),
  };
};

const examined = async (pageStyle: string): Promise<string> => {
  const minute = { requests: 60, window: 60_000 };
  const simulation = {
    limits: { profile: 'litellm', workers: 2 },
    seed: 3,
    roundTrip: [30, 120],
  } as const;
  const { log, judgement } = await examineSimulatedGateway(simulation, minute);
  return htmlPage(
    limitsDocument({
      format: 'limits/1',
      weir: '0.0.0',
      target: 'http://127.0.0.1/v1',
      took: 300_000,
      startedAt: '2026-07-01T10:20:30.000Z',
      model: 'weir/small',
      log,
      judgement,
    }),
    pageStyle,
  );
};

beforeAll(async () => {
  const assets = await readReportAssets();
  const pages = {
    run: runPage(judgedResult(), degradedTrust, assets),
    limits: await examined(assets.pageStyle),
    comparison: themedPage(comparisonDocument(sampleComparison()), assets),
    check: themedPage(checkDocument(fullCheck()), assets),
    history: themedPage(historyDocument('0.0.0', [sampleTrend()]), assets),
  };
  for (const [name, page] of Object.entries(pages))
    writeFileSync(join(folder, `${name}.html`), page);
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const looks = [
  { colorScheme: 'light', viewport: { width: 1240, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 1240, height: 900 } },
  { colorScheme: 'light', viewport: { width: 400, height: 800 } },
] as const;

describe('axe-core', { timeout: 120_000 }, () => {
  it.each(['run', 'limits', 'comparison', 'check', 'history'])(
    'finds no violation in the page of a %s',
    async (name) => {
      for (const look of looks) {
        const page = await browser.newPage(look);
        await page.goto(pathToFileURL(join(folder, `${name}.html`)).href);
        // The page's policy allows evaluated code, but no script element.
        await page.evaluate(axe.source);
        const { violations, passes } = await page.evaluate<AxeResults>('axe.run()');
        expect(passes.length).toBeGreaterThan(10);
        const found = violations.map(({ id, impact, nodes }) => [
          impact,
          id,
          look.colorScheme,
          look.viewport.width,
          ...nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)),
        ]);
        expect(found).toEqual([]);
        await page.close();
      }
    },
  );
});
