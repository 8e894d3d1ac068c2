import { describe, expect, it } from 'vitest';
import { readReportAssets } from '../../platform/files/report-assets.ts';
import { htmlPage } from '../../report/document/html-page.ts';
import { historyDocument } from '../../verbs/history/report/history-document.ts';
import { sampleTrend } from '../../verbs/history/report/sample-history.fixture.ts';
import { openInBrowser } from '../harness/open-browser.fixture.ts';

const { visit } = openInBrowser(async () => {
  const { pageStyle } = await readReportAssets();
  return htmlPage(historyDocument('0.1.0', [sampleTrend()]), pageStyle);
});

describe('a page of trends in a browser', { timeout: 60_000 }, () => {
  it.each(['light', 'dark'] as const)(
    'is styled in a %s theme, prints nothing to the console and sends no request',
    async (scheme) => {
      const { page, troubles } = await visit({ colorScheme: scheme });
      const [dot, change] = await page.evaluate<string[]>(
        "[getComputedStyle(document.querySelector('svg circle')).fill, getComputedStyle(document.querySelector('svg .change path')).stroke]",
      );
      expect(dot).not.toBe('rgb(0, 0, 0)');
      expect(change).not.toBe('none');
      expect(troubles).toEqual([]);
    },
  );

  it('shows hostile names as text', async () => {
    const { page, troubles } = await visit();
    expect(await page.locator('main h2').first().innerText()).toContain(
      '<img src=x onerror=alert(1)>',
    );
    expect(await page.locator('img').count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  it('fits a phone: only tables and charts scroll sideways', async () => {
    const { page } = await visit({ viewport: { width: 400, height: 900 } });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(400);
  });
});
