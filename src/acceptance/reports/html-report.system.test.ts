import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { readReportAssets } from '../../platform/files/report-assets.ts';
import { runPage } from '../../report/run/run-page.ts';
import { sampleRunResult } from '../../report/fixtures/sample-result.fixture.ts';
import { degradedTrust } from '../../report/fixtures/sample-trust.fixture.ts';
import { openInBrowser } from '../harness/open-browser.fixture.ts';

const { visit } = openInBrowser(async () =>
  runPage(sampleRunResult(), degradedTrust, await readReportAssets()),
);

// Code for the page is text here: this project’s types have no `document`.

/** The number of colours on the canvas of each chart; an empty canvas has one. */
const coloursDrawn = (page: Page): Promise<readonly number[]> =>
  page.evaluate<number[]>(`[...document.querySelectorAll('.chart canvas')].map((canvas) => {
    const { width, height } = canvas;
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
    return new Set(new Uint32Array(data.buffer)).size;
  })`);

const background = (page: Page): Promise<string> =>
  page.evaluate<string>('getComputedStyle(document.body).backgroundColor');

describe('the HTML report in a browser', { timeout: 60_000 }, () => {
  it('draws every chart, prints nothing to the console and sends no request', async () => {
    const { page, troubles } = await visit();
    await page.locator('html.drawn').waitFor();
    const charts = await page.locator('[data-chart]').count();
    // Those in folds are drawn when these are opened.
    for (const fold of await page.locator('details:has([data-chart])').all())
      await fold.evaluate('(details) => { details.open = true; }');
    await page
      .locator('canvas')
      .nth(charts - 1)
      .waitFor();
    const drawn = await coloursDrawn(page);
    expect(charts).toBe(15);
    expect(drawn).toHaveLength(charts);
    expect(Math.min(...drawn)).toBeGreaterThan(8);
    expect(troubles).toEqual([]);
  });

  it('shows a hostile server’s text and runs none of it', async () => {
    const { page, troubles } = await visit();
    await page.locator('html.drawn').waitFor();
    await page.evaluate(
      "document.querySelectorAll('details').forEach((each) => { each.open = true; })",
    );
    expect(await page.locator('.failures').innerText()).toContain(
      '</script><img src=x onerror=alert(#)>',
    );
    expect(await page.locator('img').count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  it('plots percentiles as visible paths', async () => {
    const { page } = await visit();
    const lengths = await page.evaluate<number[]>(
      "[...document.querySelectorAll('svg .firm')].map((path) => path.getTotalLength())",
    );
    expect(lengths.filter((length) => length > 50).length).toBeGreaterThanOrEqual(3);
  });

  it('is dark if the system or the reader asks for it, and so are the charts', async () => {
    const { page } = await visit({ colorScheme: 'light' });
    await page.locator('html.drawn').waitFor();
    const picture = (): Promise<string> =>
      page.evaluate<string>(`document.querySelector('[data-chart="ttft"] canvas').toDataURL()`);
    const [light, lightPicture] = [await background(page), await picture()];
    await page.locator('#theme').click();
    expect(await background(page)).toBe(light);
    await page.locator('#theme').click();
    expect(await page.locator('#theme').innerText()).toBe('Theme: dark');
    const dark = await background(page);
    expect(dark).not.toBe(light);
    expect(await picture()).not.toBe(lightPicture);
    const { page: other } = await visit({ colorScheme: 'dark' });
    expect(await background(other)).toBe(dark);
  });

  it('moves one cursor over all charts and shows the values under it', async () => {
    const { page } = await visit();
    await page.locator('html.drawn').waitFor();
    await page.locator('[data-chart="ttft"] .u-over').hover({ position: { x: 400, y: 60 } });
    const legend = page.locator('[data-chart="flow"] .u-legend');
    await expect
      .poll(() => legend.innerText(), { timeout: 20_000 })
      .toMatch(/^at \d+ s\noffered[\d,.]+ \/s\n/);
  });

  it('draws the charts of a fold when a reader opens it', async () => {
    const { page } = await visit();
    await page.locator('html.drawn').waitFor();
    const canvas = page.locator('[data-chart="endToEnd-chat-stream"] canvas');
    await page.getByText('Other latencies over time').click();
    await canvas.waitFor({ state: 'visible' });
    expect((await canvas.boundingBox())?.width).toBeGreaterThan(500);
  });

  it('shows verdict, tiles and two charts on the first screen, and the questions after one table', async () => {
    const { page } = await visit({ viewport: { width: 1280, height: 900 } });
    await page.locator('html.drawn').waitFor();
    expect(await page.locator('.tile').count()).toBeLessThanOrEqual(6);
    for (const place of ['#verdict', '.tiles', '[data-chart="ttft"]', '[data-chart="flow"]']) {
      const box = await page.locator(place).boundingBox();
      expect(box!.y + box!.height, place).toBeLessThanOrEqual(900);
    }
    const visible: string = await page.locator('body').innerText();
    expect(visible.split(/\s+/).length).toBeLessThan(1850);
  });

  it('has the titles, the legends and the plots of its two first charts at one height', async () => {
    const { page } = await visit({ viewport: { width: 1280, height: 900 } });
    await page.locator('html.drawn').waitFor();
    const topsOf = (part: string): Promise<readonly number[]> =>
      page.evaluate<number[]>(
        `[...document.querySelectorAll('.pair ${part}')].map((each) => Math.round(each.getBoundingClientRect().top))`,
      );
    for (const part of ['figcaption', '.u-legend', '.u-over']) {
      const [first, ...others] = await topsOf(part);
      expect(others, part).toEqual([first]);
    }
  });

  it('offers the values of each chart as a table', async () => {
    const { page } = await visit();
    await page.locator('[data-rows="flow"] summary').click();
    const rows = page.locator('[data-rows="flow"] tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBeGreaterThanOrEqual(60);
  });

  it.each([360, 400])('fits a screen of %d pixels', async (width) => {
    const { page } = await visit({ viewport: { width, height: 740 } });
    await page.locator('html.drawn').waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
  });

  it('shows every cell of a table with sentences on a screen of 400 pixels, with its title', async () => {
    const { page } = await visit({ viewport: { width: 400, height: 740 } });
    await page.evaluate(
      "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })",
    );
    const edges = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.stacked :is(th, td)')].map((cell) => cell.getBoundingClientRect().right)",
    );
    expect(edges.length).toBeGreaterThan(30);
    expect(Math.max(...edges)).toBeLessThanOrEqual(400);
    const label = await page.evaluate<string>(
      "getComputedStyle(document.querySelector('.failures td.words'), '::before').content",
    );
    expect(label).toBe('"Message: "');
  });

  it('can be read without scripts: tables, plots and what the charts would show', async () => {
    const { page } = await visit({ javaScriptEnabled: false });
    const words = await page.locator('main').innerText();
    for (const part of [
      'figure approximate',
      'The charts over time need JavaScript',
      'highest at',
    ]) {
      expect(words).toContain(part);
    }
    // Percentiles, and latency as density.
    expect(await page.locator('#speed > .plots svg').count()).toBe(4);
    expect(await page.locator('#speed details svg').count()).toBeGreaterThan(4);
  });
});
