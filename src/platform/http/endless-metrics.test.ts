// @gate 1 s
import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { scraperOf } from './scraper.fixture.ts';

describe('a scrape of metrics that would not end', () => {
  it.each<readonly [string, RequestListener, string]>([
    [
      'an answer without end',
      (_, response) => {
        const piece = `${'x'.repeat(1023)}\n`.repeat(1024);
        const write = (): void => {
          while (!response.destroyed && response.write(piece));
        };
        response.on('drain', write);
        response.on('error', () => undefined);
        write();
      },
      'more than 4194304 bytes',
    ],
    [
      'a small answer that unpacks without end',
      (_, response) =>
        response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync(Buffer.alloc(8 * 1024 * 1024, 'x\n'))),
      'more than 4194304 bytes',
    ],
  ])('gives a reason for %s', async (_, listener, reason) => {
    const scraper = await scraperOf(listener);
    expect(await scraper.scrape()).toEqual({ ok: false, reason });
  });

  it('gives a reason for silence', async () => {
    const scraper = await scraperOf(() => undefined, 100);
    expect(await scraper.scrape()).toEqual({ ok: false, reason: 'no answer within 100 ms' });
  });
});
