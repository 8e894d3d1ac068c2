import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

/** Debian’s Chromium, without anything that goes to the network by itself; `CHROMIUM` names another one. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });

export interface Visit {
  readonly page: Page;
  /** Everything on the console, uncaught errors, dialogs, and requests for anything but the page itself. */
  readonly troubles: readonly string[];
}

export interface BrowserPage {
  /** Opens the page once more, 1240 pixels wide by default. */
  visit(options?: Parameters<Browser['newPage']>[0]): Promise<Visit>;
}

/** Writes a page into a file before the tests of a file, and opens a browser for them. */
export const openInBrowser = (html: () => Promise<string>): BrowserPage => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-page-'));
  const file = join(folder, 'page.html');
  const address = pathToFileURL(file).href;
  let browser: Browser;
  beforeAll(async () => {
    writeFileSync(file, await html());
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const visit = async (options: Parameters<Browser['newPage']>[0] = {}): Promise<Visit> => {
    const page = await browser.newPage({ viewport: { width: 1240, height: 900 }, ...options });
    const troubles: string[] = [];
    page.on('console', (message) => troubles.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => troubles.push(`uncaught: ${error.message}`));
    page.on('request', (request) => {
      if (request.url() !== address) troubles.push(`request: ${request.url()}`);
    });
    page.on('dialog', (dialog) => {
      troubles.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(address);
    return { page, troubles };
  };
  return { visit };
};
