import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser } from '../harness/open-browser.fixture.ts';
import { exitOf, resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

/**
 * The README's pictures of a run that went wrong: 429s, streams that broke, two keys. With
 * `WEIR_PICTURES=FOLDER npm run test:system -- failure-charts` they are made again from the run of
 * `scenarios/failures.yaml` in FOLDER; without it, from a short run, and removed.
 */

cleanUpAfterEach();

const stored = process.env['WEIR_PICTURES'];

/** The part of the page in a picture: from the first element to the end of the last, as CSS selectors. */
interface Picture {
  readonly scheme: 'light' | 'dark';
  readonly from: string;
  readonly until: string;
  /** Words that the picture must show. */
  readonly words: readonly string[];
}

const pictures: Readonly<Record<string, Picture>> = {
  failures: {
    scheme: 'light',
    from: '#failures table.failures',
    until: '#failures table.failures',
    words: ['429 rate_limit_exceeded', 'stream-error', 'reset'],
  },
  keys: {
    scheme: 'light',
    from: '#limits h2',
    until: '#limits .chart >> nth=1',
    words: ['blue', 'green', '429s'],
  },
  latency: {
    scheme: 'dark',
    from: '.pair',
    until: '.pair',
    words: ['limited', 'malformed', 'broken'],
  },
};

/** The README loads all pictures, on slow connections too. */
const mostBytes = 150_000;
/** Beside and above, in pixels; the border of a neighbour would look like a fault. */
const margins = [16, 3] as const;

const shortRun = async (): Promise<string> => {
  const out = await tempFolder();
  const settings = [
    'load.rate=10/s',
    'load.duration=8s',
    'limits.requestsPerMinute=30',
    'mock.limits.requestsPerMinute=30',
  ];
  const words = settings.flatMap((setting) => ['--set', setting]);
  // Faults are drawn by request id.
  const named = ['--run-id', 'pictured', '--out', out];
  const { code, stderr } = await weir(['run', 'scenarios/failures.yaml', ...words, ...named]);
  expect(code, stderr).toBe(exitOf(await resultIn(out), 10));
  return out;
};

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const boxOf = async (page: Page, place: string) => {
  const box = await page.locator(place).first().boundingBox();
  if (box === null) throw new Error(`${place} is not visible`);
  return box;
};

/** A picture as WebP, a third of the bytes of Playwright's own formats. */
const takePicture = async (page: Page, { from, until }: Picture): Promise<Buffer> => {
  const [first, last] = [await boxOf(page, from), await boxOf(page, until)];
  const [beside, above] = margins;
  const y = Math.max(0, first.y - above);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 85,
    captureBeyondViewport: true,
    clip: {
      x: first.x - beside,
      y,
      scale: 1,
      width: first.width + 2 * beside,
      height: last.y + last.height - y + above,
    },
  });
  return Buffer.from(data, 'base64');
};

it('the pictures of failures show 429s, broken streams and both keys, and are small', async () => {
  const folder = stored === undefined ? await shortRun() : resolve(stored);
  const goal = stored === undefined ? await tempFolder() : resolve('reports', 'sample');
  await mkdir(goal, { recursive: true });
  for (const [name, picture] of Object.entries(pictures)) {
    const page = await browser.newPage({
      viewport: { width: 1240, height: 900 },
      colorScheme: picture.scheme,
    });
    await page.goto(pathToFileURL(join(folder, 'report.html')).href);
    await page.locator('html.drawn').waitFor();
    // It would hide the picture.
    await page.evaluate("document.querySelector('nav').style.position = 'static'");
    const section = await page.locator(picture.from.split(' ')[0]!).innerText();
    for (const word of picture.words) expect(section).toContain(word);
    const bytes = await takePicture(page, picture);
    const file = join(goal, `${name}.webp`);
    await writeFile(file, bytes);
    expect((await readFile(file)).subarray(8, 12).toString()).toBe('WEBP');
    expect(bytes.length).toBeGreaterThan(5000);
    expect(bytes.length).toBeLessThan(mostBytes);
    await page.close();
  }
});
