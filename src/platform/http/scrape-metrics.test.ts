import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { directWire } from '../connection/connector.ts';
import { openScraper } from './scrape-metrics.ts';
import { scraperOf } from './scraper.fixture.ts';

describe('a scrape of metrics', () => {
  it('keeps the wanted lines, however the text is cut, and sends no key', async () => {
    let asked: { url: string | undefined; headers: IncomingHttpHeaders } | null = null;
    const scraper = await scraperOf(({ url, headers }, response) => {
      asked = { url, headers };
      response.write('# HELP m\nm1{a="é');
      setImmediate(() => response.end('"} 1\r\nother 2\nm2 3'));
    });
    expect(await scraper.scrape()).toEqual({ ok: true, lines: ['m1{a="é"} 1', 'm2 3'] });
    expect(asked!.url).toBe('/metrics?a=1');
    expect(Object.keys(asked!.headers).toSorted()).toEqual([
      'accept',
      'connection',
      'host',
      'user-agent',
    ]);
  });

  it.each<readonly [string, RequestListener, string]>([
    ['another status', (_, response) => response.writeHead(503).end('m1 1'), 'answered 503'],
    [
      'a door that wants a key',
      (_, response) => response.writeHead(401).end(),
      'answered 401: Weir sends no key there, so it must be readable without one',
    ],
    [
      'a redirect, which is not followed',
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'answered 302',
    ],
    [
      'a redirect to another path of the same server, with the address to write',
      (_, response) => response.writeHead(307, { location: '/metrics/' }).end(),
      'answered 307: write its address as it redirects it, with the path /metrics/',
    ],
    [
      'more series than can be added up in time',
      (_, response) => response.end('m 1\n'.repeat(2001)),
      'more than 2000 series',
    ],
    [
      'a line without end',
      (_, response) => response.end(`m{a="${'x'.repeat(17_000)}"} 1\n`),
      'a line of more than 16384 characters',
    ],
    [
      'a page of HTML',
      (_, response) =>
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<html>\n'),
      'answered HTML without metrics: try another path, such as /prometheus/metrics',
    ],
    [
      'the JSON that TensorRT-LLM has at this path',
      (_, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('[{"iter":1}]'),
      'answered JSON without metrics: try another path, such as /prometheus/metrics',
    ],
    [
      'a compression that is not known',
      (_, response) => response.writeHead(200, { 'content-encoding': 'snappy' }).end('m 1\n'),
      'compressed as snappy, which Weir cannot read',
    ],
    [
      'what is not compressed as it says',
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('m 1\n'),
      'its compression is damaged',
    ],
    [
      'a compressed text that is cut off',
      (_, response) =>
        response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync('m 1\n'.repeat(900)).subarray(0, 30)),
      'its compression is damaged',
    ],
    ['a closed connection', ({ socket }) => socket.destroy(), 'UND_ERR_SOCKET'],
  ])('gives a reason for %s', async (_, listener, reason) => {
    const scraper = await scraperOf(listener);
    expect(await scraper.scrape()).toEqual({ ok: false, reason });
  });

  it.each([
    ['as many series as are kept', `x 1\n${'m 1\n'.repeat(2000)}x 2`, 2000],
    ['a line of the greatest length', `m${' '.repeat(16_383)}\nm 1`, 2],
    ['a longest line without an end', `m 1\nm${' '.repeat(16_383)}`, 2],
    ['lines that end in CR LF', 'm 1\r\nx\r\nm 2\r\n', 2],
  ])('keeps %s', async (_, text, count) => {
    const scraper = await scraperOf((__, response) => response.end(text));
    const scrape = await scraper.scrape();
    const lines = scrape.ok ? scrape.lines : [];
    expect(lines).toHaveLength(count);
    expect(lines.every((line) => !line.endsWith('\r'))).toBe(true);
  });

  it.each([
    ['16385 characters at the end', `m${' '.repeat(16_384)}`],
    ['16385 characters before another line', `m${' '.repeat(16_384)}\nm 1\n`],
  ])('keeps nothing of a text with a line of %s', async (_, text) => {
    const scraper = await scraperOf((__, response) => response.end(text));
    expect(await scraper.scrape()).toEqual({
      ok: false,
      reason: 'a line of more than 16384 characters',
    });
  });

  it('has four megabytes at most', async () => {
    const text = Buffer.alloc(4_194_305, 'x');
    let length = 4_194_304;
    const scraper = await scraperOf((_, response) => response.end(text.subarray(0, length)));
    expect(await scraper.scrape()).toEqual({ ok: true, lines: [] });
    length += 1;
    expect(await scraper.scrape()).toEqual({ ok: false, reason: 'more than 4194304 bytes' });
  });

  it.each([
    [403, '/metrics/', 'answered 403: Weir sends no key there, so it must be readable without one'],
    [302, 'http://[', 'answered 302'],
    [
      300,
      '/other?key=1',
      'answered 300: write its address as it redirects it, with the path /other',
    ],
    [399, '/a', 'answered 399: write its address as it redirects it, with the path /a'],
    [400, '/a', 'answered 400'],
    [201, '/a', 'answered 201'],
  ])('says of status %d at %s what to do, if it knows that', async (status, location, reason) => {
    const scraper = await scraperOf((_, response) =>
      response.writeHead(status, { location }).end(),
    );
    expect(await scraper.scrape()).toEqual({ ok: false, reason });
  });

  it('is taken in spite of its content type if a line looks like a metric', async () => {
    const scraper = await scraperOf((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('m 1\n'),
    );
    expect(await scraper.scrape()).toEqual({ ok: true, lines: ['m 1'] });
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['identity', (text: string) => text],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('unpacks %s, for which it did not ask', async (encoding, pack) => {
    const text = `# HELP m\n${'other 1\n'.repeat(9000)}m1 1\nm2 2`;
    const scraper = await scraperOf((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(pack(text)),
    );
    for (let turn = 0; turn < 3; turn += 1)
      expect(await scraper.scrape()).toEqual({ ok: true, lines: ['m1 1', 'm2 2'] });
  });

  it('reads again over the same connection after an answer without metrics', async () => {
    const ports = new Set<number | undefined>();
    let asked = 0;
    const scraper = await scraperOf(({ socket }, response) => {
      ports.add(socket.remotePort);
      asked += 1;
      if (asked === 1) response.writeHead(503).end('x'.repeat(100_000));
      else response.end('m1 1\n');
    });
    expect(await scraper.scrape()).toEqual({ ok: false, reason: 'answered 503' });
    expect(await scraper.scrape()).toEqual({ ok: true, lines: ['m1 1'] });
    expect(ports.size).toBe(1);
  });

  it('gives a reason where nothing listens', async () => {
    const scraper = openScraper(
      { url: 'http://127.0.0.1:1/metrics', wire: directWire, certificates: null },
      { userAgent: 'weir/test', isWanted: () => true, timeout: 1000 },
    );
    expect(await scraper.scrape()).toEqual({ ok: false, reason: 'ECONNREFUSED' });
    await scraper.close();
  });
});
