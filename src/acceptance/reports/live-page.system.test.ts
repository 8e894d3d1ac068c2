import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../harness/open-browser.fixture.ts';
import { resultIn } from '../harness/run-files.fixture.ts';
import { cleanUpAfterEach, startWeir, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** For how long a page is waited for, in ms. */
const patience = { timeout: 20_000 };

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

/** Opens a live page, and waits until it follows its run: it says nothing more then. */
const follow = async (page: Page, address: string): Promise<void> => {
  await page.goto(address);
  await page.locator('#live-said:empty').waitFor({ state: 'attached', ...patience });
};

/** Starts a run with a live page and opens that in a browser. */
const watch = async (words: readonly string[], viewport = { width: 1280, height: 900 }) => {
  const out = join(await tempFolder(), 'out');
  const started = startWeir(['run', ...words, '--out', out, '--live']);
  let printed = '';
  started.child.stderr?.on('data', (data: string) => {
    printed += data;
  });
  await started.waitForOutput('its button stops the run');
  const address = /Live page: (\S+)/.exec(printed)?.[1] ?? '';
  const page = await browser.newPage({ viewport });
  const troubles: string[] = [];
  page.on('console', (message) => troubles.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => troubles.push(`uncaught: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (![address, `${address}events`, `${address}stop`].includes(url)) troubles.push(url);
  });
  await follow(page, address);
  return { ...started, out, page, troubles, address };
};

const textOf = (page: Page, place: string): Promise<string> => page.locator(place).innerText();

/** What a reader sees of a page but for its live bar, with the number of its elements. */
const contentOf = async (page: Page) => {
  const [texts, elements] = [
    await Promise.all(
      ['h1', '.description', 'nav', 'main', 'footer'].map((at) => textOf(page, at)),
    ),
    await page.evaluate<number>(
      // What the parser made of `noscript` differs, where a script has parsed it.
      "document.querySelectorAll('main *:not(noscript *)').length",
    ),
  ];
  return { texts, elements, title: await page.title() };
};

/**
 * The titles of a page's sections and folds, each once and without numbers. The verdict depends on the machine, as does how
 * many charts have values.
 */
const outlineOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate<string[]>(
    String.raw`[...new Set([...document.querySelectorAll('main :is(h2:not(#verdict-title), h3, summary)')].map(({ textContent }) => textContent.replaceAll(/\d+/g, '#')))]`,
  );

describe('the live page in a browser', { timeout: 120_000 }, () => {
  it('follows a run to its end, and then shows exactly the finished report, whose sections the sample has', async () => {
    const live = await watch(['scenarios/quickstart.yaml']);
    const { page } = live;
    expect(await textOf(page, 'h1')).toBe('quickstart');
    expect(await textOf(page, '#verdict h2')).toBe('Running');
    await page.locator('html.drawn').waitFor();
    const figures: string[] = [];
    const sample = async (): Promise<void> => {
      figures.push(await textOf(page, '.tiles'));
    };
    await sample();
    // What a reader does stays as it is through the updates.
    await page.locator('[data-rows="flow"] summary').click();
    await page.locator('#speed details summary').first().click();
    await page.locator('#speed').scrollIntoViewIfNeeded();
    for (let i = 0; i < 3; i += 1) {
      const before = figures.at(-1);
      await expect.poll(() => textOf(page, '.tiles'), patience).not.toBe(before);
      await sample();
    }
    expect(await textOf(page, '#progress')).toMatch(/\d+ s of 25 s · \d+ requests due/);
    expect(await page.locator('[data-rows="flow"] tbody tr').count()).toBeGreaterThan(3);
    expect(await page.locator('#speed details').first().getAttribute('open')).toBe('');
    expect(await page.evaluate<number>('scrollY')).toBeGreaterThan(100);
    const { code, stderr } = await live.ended;
    expect([0, 12], stderr).toContain(code);
    await expect
      .poll(() => textOf(page, '#live'), patience)
      .toContain('this is its finished report');
    expect(await textOf(page, '#live')).toContain(join(live.out, 'report.html'));
    expect(await page.locator('#stop').count()).toBe(0);
    // The server is gone; the page works.
    await page.locator('#theme').click();
    await page.locator('[data-chart="endToEnd-chat-stream"] canvas').waitFor({ state: 'visible' });
    const file = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await file.goto(pathToFileURL(join(live.out, 'report.html')).href);
    await file.locator('html.drawn').waitFor();
    for (const each of [page, file]) {
      await each.evaluate(
        "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })",
      );
      await each.evaluate(
        "document.getElementById('theme').textContent = 'Theme'; new Promise((done) => setTimeout(done, 500))",
      );
    }
    expect(await contentOf(page)).toEqual(await contentOf(file));
    expect(live.troubles).toEqual([]);
    const drawn = await browser.newPage();
    await drawn.goto(pathToFileURL(resolve('reports/sample/report.html')).href);
    expect(await outlineOf(drawn), 'draw it again: npm run sample').toEqual(await outlineOf(file));
  });

  it('stops a run by its button, and shows the partial report, to a second reader too', async () => {
    const words = '--target mock --kind chat-stream --model a/b --rate 5/s --duration 60s';
    const live = await watch(words.split(' '), { width: 400, height: 800 });
    const second = await browser.newPage();
    await follow(second, live.address);
    await live.page.locator('.tiles').waitFor();
    await second.locator('.tiles').waitFor();
    expect(await live.page.evaluate<number>('document.documentElement.scrollWidth')).toBe(400);
    await live.page.locator('#stop').click();
    const { code, stderr } = await live.ended;
    expect(code, stderr).toBe(130);
    for (const page of [live.page, second]) {
      await expect
        .poll(() => textOf(page, '#live'), patience)
        .toContain('this is its finished report');
      expect(await textOf(page, '#verdict')).toContain('stopped by the live page');
    }
    expect((await resultIn(live.out)).partial).toContain('stopped by the live page');
    expect(live.troubles).toEqual([]);
  });

  it('lets no script of others run: its policy is that of a report, with a way to its server', async () => {
    const words = '--target mock --kind models --rate 5/s --duration 60s';
    const { page, child, troubles } = await watch(words.split(' '));
    const policy = await page
      .locator('meta[http-equiv="Content-Security-Policy"]')
      .getAttribute('content');
    expect(policy).toMatch(/^default-src 'none'; connect-src 'self'; script-src 'sha256-[^;]+;/);
    expect(policy).not.toContain('unsafe');
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = true' }))",
    );
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(troubles.join()).toContain('Content Security Policy');
    child.kill('SIGKILL');
    await expect.poll(() => textOf(page, '#live'), patience).toContain('ended without a report');
  });
});
