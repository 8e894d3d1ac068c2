import { describe, expect, it } from 'vitest';
import { readReportAssets } from '../../platform/files/report-assets.ts';
import { comparisonDocument } from '../../verbs/compare/report/comparison-document.ts';
import { sampleComparison } from '../../verbs/compare/report/sample-comparison.fixture.ts';
import { themedPage } from '../../report/document/html-page.ts';
import { openInBrowser } from '../harness/open-browser.fixture.ts';

const { visit } = openInBrowser(async () => {
  return themedPage(comparisonDocument(sampleComparison()), await readReportAssets());
});

describe('a comparison in a browser', { timeout: 60_000 }, () => {
  it('is styled, prints nothing to the console and sends no request', async () => {
    const { page, troubles } = await visit();
    const colours = await page.evaluate<string[]>(
      "['regression', 'same'].map((each) => getComputedStyle(document.querySelector(`svg .change.${each}`)).fill)",
    );
    expect(new Set(colours).size).toBe(2);
    expect(await page.locator('svg.wide circle').count()).toBe(30);
    expect(troubles).toEqual([]);
  });

  it('has the theme button of all pages', async () => {
    const { page, troubles } = await visit({ colorScheme: 'light' });
    const background = (): Promise<string> =>
      page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.locator('#theme').click();
    await page.locator('#theme').click();
    expect(await page.locator('#theme').innerText()).toBe('Theme: dark');
    expect(await background()).not.toBe(light);
    expect(troubles).toEqual([]);
  });

  it('shows hostile names as text', async () => {
    const { page, troubles } = await visit();
    expect(await page.locator('header').innerText()).toContain('<img src=x onerror=alert(1)>');
    expect(await page.locator('img').count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  it('fits a phone: only tables scroll sideways, and the plot is whole', async () => {
    const { page } = await visit({ viewport: { width: 400, height: 900 } });
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBe(400);
    const right = await page.evaluate<number>(
      "Math.max(...[...document.querySelectorAll('svg :is(.change, circle)')].map((each) => each.getBoundingClientRect().right))",
    );
    expect(right).toBeGreaterThan(200);
    expect(right).toBeLessThanOrEqual(400);
  });

  it('leaves room between the rows of the plot', async () => {
    const { page } = await visit();
    const tops = await page.evaluate<number[]>(
      "[...document.querySelectorAll('svg.wide .change')].map((each) => each.getBoundingClientRect().top)",
    );
    expect(tops).toHaveLength(3);
    const distances = tops.slice(1).map((top, i) => top - tops[i]!);
    expect(Math.min(...distances)).toBeGreaterThan(20);
  });
});
