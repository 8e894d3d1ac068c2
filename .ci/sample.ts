/**
 * Draws `reports/sample` again, after a change to what pages show: `npm run sample`. It runs the quickstart and
 * `failures.yaml` against the reference gateway, a minute and a quarter, and keeps the page of the first and pictures of
 * both. With the folders of two such runs it draws those: `npm run sample -- QUICKSTART FAILURES`.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../src/acceptance/harness/open-browser.fixture.ts';

const root = resolve(import.meta.dirname, '..');
const goal = join(root, 'reports', 'sample');

/** Runs a scenario of the checkout. Throws if it does not end with `code`, such as 12 on a busy machine. */
const runInto = (out: string, name: string, code: number): string => {
  const words = ['src/cli/weir.js', 'run', `scenarios/${name}.yaml`, '--quiet', '--out', out];
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' });
  if (status !== code)
    throw new Error(`${name} ended with ${status}, not ${code}: nothing was drawn`);
  return out;
};

const openReport = async (browser: Browser, folder: string, scheme: 'light' | 'dark') => {
  const viewport = { width: 1280, height: 900 };
  const page = await browser.newPage({ viewport, colorScheme: scheme });
  await page.goto(pathToFileURL(join(folder, 'report.html')).href);
  await page.locator('html.drawn').waitFor();
  return page;
};

/** The space around what is pictured, in pixels: more would show a neighbour's line. */
const margin = 3;

/** Pictures everything between the first and the last of some places as WebP, which Playwright itself cannot write. */
const pictured = async (page: Page, places: readonly string[]): Promise<Buffer> => {
  // It would lie over what is pictured.
  await page.evaluate("document.querySelector('nav').style.position = 'static'");
  const found = places.map((place) => page.locator(place).first().boundingBox());
  const boxes = (await Promise.all(found)).map((box, i) => {
    if (box === null) throw new Error(`${places[i]} is not to be seen`);
    return box;
  });
  const x = Math.min(...boxes.map((box) => box.x)) - margin;
  const y = Math.min(...boxes.map((box) => box.y)) - margin;
  const width = Math.max(...boxes.map((box) => box.x + box.width)) + margin - x;
  const height = Math.max(...boxes.map((box) => box.y + box.height)) + margin - y;
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 85,
    captureBeyondViewport: true,
    clip: { x, y, width, height, scale: 1 },
  });
  return Buffer.from(data, 'base64');
};

/** The pictures of a run with failures, in `reports/report.md`. */
const pictures = [
  ['failures', 'light', ['#failures table.failures']],
  ['keys', 'light', ['#chart-key-0', '#chart-key-1']],
  ['latency', 'dark', ['#chart-ttft', '#chart-flow']],
] as const;

const draw = async (quickstart: string, failures: string): Promise<void> => {
  const browser = await openBrowser();
  try {
    copyFileSync(join(quickstart, 'report.html'), join(goal, 'report.html'));
    const first = await openReport(browser, quickstart, 'light');
    await first.screenshot({ path: join(goal, 'report.png') });
    for (const [name, scheme, places] of pictures) {
      const page = await openReport(browser, failures, scheme);
      writeFileSync(join(goal, `${name}.webp`), await pictured(page, places));
    }
  } finally {
    await browser.close();
  }
};

const [givenQuickstart, givenFailures] = process.argv.slice(2);
const temporary = mkdtempSync(join(tmpdir(), 'weir-sample-'));
try {
  await draw(
    givenQuickstart ?? runInto(join(temporary, 'quickstart'), 'quickstart', 0),
    givenFailures ?? runInto(join(temporary, 'failures'), 'failures', 10),
  );
} finally {
  rmSync(temporary, { recursive: true });
}
