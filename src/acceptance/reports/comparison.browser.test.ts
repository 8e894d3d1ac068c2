import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readReportAssets } from '../../platform/files/report-assets.ts';
import { comparisonHtml } from '../../report/compare/comparison-html.ts';
import { sampleComparison } from '../../report/compare/sample-comparison.fixture.ts';
import { openBrowser } from '../harness/open-browser.fixture.ts';

/** Looks at a comparison in Debian’s Chromium. */

const folder = mkdtempSync(join(tmpdir(), 'weir-comparison-'));
const file = join(folder, 'comparison.html');
const address = pathToFileURL(file).href;
let browser: Browser;

/** The page, and everything on its console and every request of it other than for the file. */
const visit = async (width: number): Promise<{ page: Page; troubles: readonly string[] }> => {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  const troubles: string[] = [];
  page.on('console', (message) => troubles.push(`${message.type()}: ${message.text()}`));
  page.on('request', (request) => {
    if (request.url() !== address) troubles.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  return { page, troubles };
};

beforeAll(async () => {
  const { pageStyle } = await readReportAssets();
  writeFileSync(file, comparisonHtml(sampleComparison(), pageStyle));
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a comparison in a browser', { timeout: 60_000 }, () => {
  it('is styled, says nothing on the console and asks nothing of the network', async () => {
    const { page, troubles } = await visit(1240);
    const colours = await page.evaluate<string[]>(
      "['regression', 'same'].map((each) => getComputedStyle(document.querySelector(`.forest .${each} .change`)).fill)",
    );
    expect(new Set(colours).size).toBe(2);
    expect(await page.locator('.forest circle').count()).toBe(30);
    expect(troubles).toEqual([]);
  });

  it('shows hostile names as text', async () => {
    const { page } = await visit(1240);
    expect(await page.locator('header').innerText()).toContain('<img src=x onerror=alert(1)>');
    expect(await page.locator('img').count()).toBe(0);
  });

  it('fits a telephone: only tables and the plot scroll sideways', async () => {
    const { page } = await visit(400);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBe(400);
  });

  it('draws every row of the plot apart from the next', async () => {
    const { page } = await visit(1240);
    const tops = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.forest .change')].map((each) => each.getBoundingClientRect().top)",
    );
    expect(tops.every((top, i) => i === 0 || top - tops[i - 1]! > 20)).toBe(true);
  });
});
