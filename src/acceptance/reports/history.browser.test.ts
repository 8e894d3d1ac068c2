import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readReportAssets } from '../../platform/files/report-assets.ts';
import { historyHtml } from '../../report/history/history-html.ts';
import { sampleTrend } from '../../report/history/sample-history.fixture.ts';
import { openBrowser } from '../harness/open-browser.fixture.ts';

/** Looks at a page of trends in Debian’s Chromium; `SCREENSHOTS` names a folder for pictures. */

const folder = mkdtempSync(join(tmpdir(), 'weir-history-page-'));
const file = join(folder, 'history.html');
const address = pathToFileURL(file).href;
let browser: Browser;

const visit = async (
  width: number,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<{ page: Page; troubles: readonly string[] }> => {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const troubles: string[] = [];
  page.on('console', (message) => troubles.push(`${message.type()}: ${message.text()}`));
  page.on('request', (request) => {
    if (request.url() !== address) troubles.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  const shots = process.env['SCREENSHOTS'];
  if (shots !== undefined) {
    const path = join(shots, `history-${width}-${colorScheme}.png`);
    await page.screenshot({ fullPage: true, path });
  }
  return { page, troubles };
};

beforeAll(async () => {
  const { pageStyle } = await readReportAssets();
  writeFileSync(file, historyHtml({ weir: '0.1.0', trends: [sampleTrend()] }, pageStyle));
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a page of trends in a browser', { timeout: 60_000 }, () => {
  it.each(['light', 'dark'] as const)(
    'is styled, says nothing on the console and asks nothing of the network, %s',
    async (scheme) => {
      const { page, troubles } = await visit(1240, scheme);
      const [dot, change] = await page.evaluate<string[]>(
        "[getComputedStyle(document.querySelector('.trend circle')).fill, getComputedStyle(document.querySelector('.trend .change')).stroke]",
      );
      expect(dot).not.toBe('rgb(0, 0, 0)');
      expect(change).not.toBe('none');
      expect(troubles).toEqual([]);
    },
  );

  it('shows hostile names as text', async () => {
    const { page } = await visit(1240);
    expect(await page.locator('main h2').first().innerText()).toContain(
      '<img src=x onerror=alert(1)>',
    );
    expect(await page.locator('img').count()).toBe(0);
  });

  it('fits a telephone: only tables and charts scroll sideways', async () => {
    const { page } = await visit(400);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(400);
  });
});
