import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseParser, type ParseStatus } from './response-parser.ts';
import { HttpFault } from './response-head.ts';

/** Everything that a de-framer reported about one response. */
interface Reported {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string;
  /** `open` when the response would go on, else how it ended. */
  readonly end: string;
  readonly reusableFor: number;
}

const wordFor = (reading: ParseStatus): string =>
  reading instanceof HttpFault ? reading.cause : reading === 'more' ? 'open' : reading;

/** Reads the pieces through one buffer that is overwritten after each, as a connection’s is; `closes` ends the connection after them. */
const readPieces = (pieces: readonly Buffer[], closes = true): Reported => {
  const deframer = new ResponseParser();
  const shared = Buffer.alloc(Math.max(1, ...pieces.map((piece) => piece.length)) + 3);
  const response = { status: null as number | null, headers: {}, content: '' };
  deframer.expectResponse({
    onHead: (status, headers) => Object.assign(response, { status, headers }),
    onContent: (bytes, from, till) => {
      response.content += bytes.toString('latin1', from, till);
    },
  });
  let reading: ParseStatus = 'more';
  for (const piece of pieces) {
    shared.fill('"');
    piece.copy(shared);
    reading = deframer.read(shared, piece.length);
    if (reading !== 'more') break;
  }
  if (reading === 'more' && closes) reading = deframer.closed();
  return { ...response, end: wordFor(reading), reusableFor: deframer.reusableFor };
};

/** In one piece, in two cut at every byte, and byte by byte. */
function* everyCut(text: string): Generator<readonly Buffer[]> {
  const bytes = Buffer.from(text, 'latin1');
  yield [bytes];
  for (let at = 1; at < bytes.length; at += 1) yield [bytes.subarray(0, at), bytes.subarray(at)];
  yield [...bytes].map((byte) => Buffer.of(byte));
}

/** What every cut of a response is read as; the same, or the test fails. */
const readEveryCut = (text: string, closes = true): Reported => {
  const whole = readPieces([Buffer.from(text, 'latin1')], closes);
  for (const pieces of everyCut(text)) expect(readPieces(pieces, closes)).toEqual(whole);
  return whole;
};

const head = (fields = '', status = '200 OK'): string => `HTTP/1.1 ${status}\r\n${fields}\r\n`;
const chunked = 'Transfer-Encoding: chunked\r\n';
const forever = Number.POSITIVE_INFINITY;
const one = 'Content-Length: 1\r\n';

describe('a response, however it is cut,', () => {
  it.each([
    ['a length', `${head('Content-Length: 5\r\n')}hello`, 'hello'],
    ['a length of 0', head('Content-Length: 0\r\n'), ''],
    ['chunks', `${head(chunked)}5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n`, 'hello world'],
    ['zeros and capitals', `${head(chunked)}00A\r\n0123456789\r\n000\r\n\r\n`, '0123456789'],
    ['extensions', `${head(chunked)}5;a=b;c="d e";f\r\nhello\r\n0;last\r\n\r\n`, 'hello'],
    ['trailers', `${head(chunked)}1\r\nx\r\n0\r\nA: 1\r\nB:\r\n\r\n`, 'x'],
    ['content like framing', `${head(chunked)}7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n`, '\r\n0\r\n\r\n'],
    ['codings', `${head('Transfer-Encoding: gzip, Chunked\r\n')}1\r\nx\r\n0\r\n\r\n`, 'x'],
    ['no reason', 'HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx', 'x'],
    ['100 before it', `${head('', '100 Continue')}${head(one)}x`, 'x'],
    ['line ends first', `\r\n\n${head(one)}x`, 'x'],
    ['two interim answers', `${head('A: b\r\n', '103 x').repeat(2)}${head(one)}x`, 'x'],
  ])('ends by itself: %s', (_, text, content) => {
    const response = readEveryCut(text, false);
    expect(response).toMatchObject({ status: 200, content, end: 'complete', reusableFor: forever });
  });

  it.each([
    ['no framing', `${head()}to the end`, 'to the end'],
    ['chunks inside another coding', `${head('Transfer-Encoding: chunked, x\r\n')}0\r\n`, '0\r\n'],
    ['nothing at all', head(), ''],
  ])('ends when the connection closes: %s', (_, text, content) => {
    expect(readEveryCut(text, false).end).toBe('open');
    expect(readEveryCut(text)).toMatchObject({ content, end: 'complete', reusableFor: 0 });
  });

  it.each([
    ['Connection: x, Close\r\n', '1.1', 0],
    ['', '1.0', 0],
    ['Connection: keep-alive\r\n', '1.0', forever],
    ['Keep-Alive: timeout=5, max=9\r\n', '1.1', 3000],
    ['Keep-Alive: timeout=2\r\n', '1.1', 0],
  ])(
    'with %j under HTTP/%s leaves its connection reusable for %s ms',
    (fields, version, reusable) => {
      const text = `HTTP/${version} 200 OK\r\n${fields}${one}\r\nx`;
      expect(readEveryCut(text, false)).toMatchObject({ end: 'complete', reusableFor: reusable });
    },
  );

  it.each([
    ['A: b\r\n c\r\n', 'b c'],
    ['A: b \r\n\t \td\r\n e\r\n', 'b d e'],
    ['A:\r\n b\r\n', 'b'],
    ['A: b\r\n \r\n', 'b'],
    ['A: b\r\n c: d\r\nB: c\r\na: e\r\n f\r\n', 'b c: d, e f'],
  ])('joins the lines of a folded header with a blank: %j', (fields, value) => {
    const { headers, end } = readEveryCut(`${head(`${fields}${one}`)}x`, false);
    expect([headers?.['a'], end]).toEqual([value, 'complete']);
  });

  it('frames by a folded length', () => {
    expect(readEveryCut(`${head('Content-Length:\r\n 1\r\n')}x`, false)).toMatchObject({
      content: 'x',
      end: 'complete',
    });
  });

  it('has lower-case header names, joined repeated headers and trimmed values', () => {
    const text = head(
      `${one}X-A:1\r\nx-a: \t2 3\t \r\nconstructor: c\r\nEmpty:\r\nUmlaut: \xe4\r\n`,
    );
    expect(readEveryCut(`${text}x`).headers).toEqual({
      'content-length': '1',
      'x-a': '1, 2 3',
      constructor: 'c',
      empty: '',
      umlaut: 'ä',
    });
  });

  it('is read correctly for any statuses, headers and chunks', () => {
    const field = fc.tuple(fc.stringMatching(/^[a-z]{3,9}$/), fc.stringMatching(/^[!-~]{0,20}$/));
    const shape = fc.record({
      status: fc.integer({ min: 200, max: 599 }).filter((n) => n !== 204 && n !== 304),
      fields: fc.array(field, { maxLength: 6 }),
      chunks: fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 6 }),
      framing: fc.constantFrom('length', 'chunks', 'close'),
      cuts: fc.array(fc.nat(300), { maxLength: 8 }),
    });
    fc.assert(
      fc.property(shape, ({ status, fields, chunks, framing, cuts }) => {
        const content = Buffer.concat(chunks).toString('latin1');
        const own = fields.map(([name, value]) => `x-${name}: ${value}\r\n`).join('');
        const coded = chunks.map(
          (bytes) => `${bytes.length.toString(16)}\r\n${Buffer.from(bytes).toString('latin1')}\r\n`,
        );
        const text = {
          length: `${head(`${own}Content-Length: ${content.length}\r\n`, `${status} x`)}${content}`,
          chunks: `${head(`${own}${chunked}`, `${status} x`)}${coded.join('')}0\r\n\r\n`,
          close: `${head(own, `${status} x`)}${content}`,
        }[framing];
        const bytes = Buffer.from(text, 'latin1');
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const pieces = places.slice(1).map((to, n) => bytes.subarray(places[n], to));
        const response = readPieces(pieces, framing === 'close');
        expect(response).toMatchObject({ status, content, end: 'complete' });
        for (const [name] of fields) expect(response.headers).toHaveProperty(`x-${name}`);
      }),
    );
  });
});

describe('a response without content', () => {
  it.each([
    ['204 No Content', 'A: b\r\n', forever],
    ['304 Not Modified', '', forever],
    ['204 No Content', 'Content-Length: 3\r\n', 0],
    ['304 Not Modified', chunked, 0],
  ])('is %s; with %j its connection is reusable for %s ms', (status, fields, reusableFor) => {
    const response = readEveryCut(head(fields, status), false);
    expect(response).toMatchObject({ content: '', end: 'complete', reusableFor });
  });
});

describe('a connection', () => {
  it('is not reused after unexpected bytes', () => {
    const response = readPieces([Buffer.from(`${head(one)}xH`)], false);
    expect(response).toMatchObject({ content: 'x', end: 'complete', reusableFor: 0 });
  });

  it('gives the content of all chunks of a read at once', () => {
    const deframer = new ResponseParser();
    const contents: string[] = [];
    deframer.expectResponse({
      onHead: () => undefined,
      onContent: (bytes, from, till) => void contents.push(bytes.toString('latin1', from, till)),
    });
    const chunks = ['1;a=b\r\nx\r\n', '2\r\nyz\r\n', '4\r\nab'];
    expect(deframer.read(Buffer.from(head(chunked) + chunks.join('')))).toBe('more');
    expect(deframer.read(Buffer.from(`cd\r\n1\r\ne\r\n0\r\n\r\n`))).toBe('complete');
    expect(contents).toEqual(['xyzab', 'cde']);
  });

  it('gives the content before a fault', () => {
    const read = readPieces([Buffer.from(`${head(chunked)}1\r\nx\r\n1\r\ny\r\nz`)]);
    expect(read).toMatchObject({ content: 'xy', end: 'protocol' });
  });

  it('reads one response after another', () => {
    const deframer = new ResponseParser();
    const contents: string[] = [];
    const sink = {
      onHead: () => undefined,
      onContent: (bytes: Buffer, from: number, till: number) =>
        void contents.push(bytes.toString('latin1', from, till)),
    };
    for (const text of [`${head(chunked)}1\r\na\r\n0\r\nT: 1\r\n\r\n`, `${head(one)}b`]) {
      deframer.expectResponse(sink);
      expect(deframer.read(Buffer.from(text))).toBe('complete');
    }
    expect(contents).toEqual(['a', 'b']);
  });
});

describe('a broken response', () => {
  const long = 'x'.repeat(16 * 1024);
  it.each([
    ['no HTTP', '220 mail ESMTP\r\n'],
    ['a TLS alert', '\x15\x03\x01\x00\x02\x02F'],
    ['another version', 'HTTP/2 200 OK\r\n\r\n'],
    ['a future version', 'HTTP/1.2 200 OK\r\n\r\n'],
    ['blanks first', ` ${head(one)}x`],
    ['no status', 'HTTP/1.1 \r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n'],
    ['two spaces before the status', 'HTTP/1.1  200 OK\r\n\r\n'],
    ['LF alone', 'HTTP/1.1 200 OK\nContent-Length: 1\n\nx'],
    ['LF alone after a field', 'HTTP/1.1 200 OK\r\nContent-Length: 1\n\r\nx'],
    ['CR alone', 'HTTP/1.1 200 OK\r\nA: b\rContent-Length: 1\r\n\r\nx'],
    ['CR CR LF', 'HTTP/1.1 200 OK\r\nA: b\r\r\n\r\n'],
    ['a NUL', head('A: \0\r\n')],
    ['a DEL', head('A: \x7f\r\n')],
    ['a field without a name', head(': b\r\n')],
    ['a field without a colon', head('Content-Length 1\r\n')],
    ['a colon only in the next line', head('A\r\nB: 1\r\n')],
    ['a space before the colon', head('Content-Length : 1\r\n')],
    ['a folded line before the first field', head(' A: b\r\n')],
    ['a field before the first', head(' A: b\r\n')],
    ['two lengths', head('Content-Length: 1\r\nContent-Length: 1\r\n')],
    ['a list of lengths', head('Content-Length: 1, 1\r\n')],
    ['a negative length', head('Content-Length: -1\r\n')],
    ['a signed length', head('Content-Length: +1\r\n')],
    ['a hexadecimal length', head('Content-Length: 0x1\r\n')],
    ['an empty length', head('Content-Length:\r\n')],
    ['an endless length', head('Content-Length: 99999999999999999999\r\n')],
    ['length and chunks', `${head(`${one}${chunked}`)}1\r\nx\r\n0\r\n\r\n`],
    ['chunks and length', `${head(`${chunked}${one}`)}1\r\nx\r\n0\r\n\r\n`],
    ['a change of protocol', head('Upgrade: x\r\nConnection: upgrade\r\n', '101 Switching')],
    ['an interim answer that ends', head('Connection: close\r\n', '103 x') + head(one)],
    ['no chunk size', `${head(chunked)}\r\nx`],
    ['a chunk size of letters', `${head(chunked)}xyz\r\n`],
    ['a negative chunk size', `${head(chunked)}-1\r\n`],
    ['a prefixed chunk size', `${head(chunked)}0x1\r\n`],
    ['a space after a chunk size', `${head(chunked)}1 \r\nx\r\n`],
    ['a chunk size beyond 2^53', `${head(chunked)}ffffffffffffff\r\n`],
    ['an endless chunk size', `${head(chunked)}${'0'.repeat(40)}`],
    ['LF alone after a chunk size', `${head(chunked)}1\nx\r\n0\r\n\r\n`],
    ['LF alone after an extension', `${head(chunked)}1;a\nx\r\n0\r\n\r\n`],
    ['CR alone in an extension', `${head(chunked)}1;a\rb\r\nx\r\n0\r\n\r\n`],
    ['an empty extension', `${head(chunked)}1;\r\nx\r\n0\r\n\r\n`],
    ['a space in an extension', `${head(chunked)}1;a =b\r\nx\r\n0\r\n\r\n`],
    ['an open quote in an extension', `${head(chunked)}1;a="b\r\nx\r\n0\r\n\r\n`],
    ['a chunk longer than its size', `${head(chunked)}1\r\nxy\r\n0\r\n\r\n`],
    ['a chunk shorter than its size', `${head(chunked)}3\r\nx\r\n0\r\n\r\n`],
    ['LF alone after a chunk', `${head(chunked)}1\r\nx\n0\r\n\r\n`],
    ['a trailer without a colon', `${head(chunked)}0\r\nA\r\n\r\n`],
    ['LF alone after the last chunk', `${head(chunked)}0\n\n`],
    ['LF alone in the trailers', `${head(chunked)}0\r\nA: b\n\r\n`],
  ])('is refused: %s', (_, text) => {
    expect(readEveryCut(text).end).toBe('protocol');
  });

  it.each([
    ['an endless head', `HTTP/1.1 200 OK\r\nA: ${long}`],
    ['a head of many fields', head('A: b\r\n'.repeat(3000))],
    ['an endless trailer', `${head(chunked)}0\r\nA: ${long}`],
    ['endless extensions', `${head(chunked)}${`1;${'x'.repeat(999)}\r\nx\r\n`.repeat(17)}`],
  ])('is too large: %s', (_, text) => {
    const bytes = Buffer.from(text);
    const halves = [bytes.subarray(0, 100), bytes.subarray(100)];
    const bits = Array.from({ length: Math.ceil(bytes.length / 7) }, (__, n) =>
      bytes.subarray(n * 7, n * 7 + 7),
    );
    for (const pieces of [[bytes], halves, bits])
      expect(readPieces(pieces, false).end).toBe('too-large');
  });

  it('is refused after a hundred interim responses', () => {
    const interim = (times: number): readonly Buffer[] => [
      Buffer.from(head('', '102 Processing').repeat(times)),
    ];
    expect(readPieces(interim(100), false).end).toBe('open');
    expect(readPieces(interim(101), false).end).toBe('protocol');
  });

  it('is truncated wherever its connection ends', () => {
    for (const text of [
      `${head('Content-Length: 5\r\n')}hello`,
      `${head(chunked)}1\r\nx\r\n0\r\nA: b\r\n\r\n`,
    ]) {
      for (let at = 0; at < text.length; at += 1) {
        expect(readPieces([Buffer.from(text.slice(0, at))]).end).toBe('closed-early');
      }
    }
  });

  it('never throws, and gives the same result however it is cut', () => {
    const seeds = [
      `${head('Content-Length: 5\r\nKeep-Alive: timeout=9\r\n')}hello`,
      `${head(chunked)}5;e=1\r\nhello\r\n0\r\nT: 1\r\n\r\n`,
      `${head('', '103 x')}${head()}to the end`,
    ];
    const spoilt = fc.record({
      seed: fc.constantFrom(...seeds),
      edits: fc.array(
        fc.tuple(
          fc.nat(120),
          fc.nat(3),
          fc.constantFrom('', '\r', '\n', '\r\n', ' ', ':', ';', '0', 'f', '\0', 'chunked', '\xff'),
        ),
        { maxLength: 3 },
      ),
      cuts: fc.array(fc.nat(150), { maxLength: 6 }),
    });
    fc.assert(
      fc.property(spoilt, ({ seed, edits, cuts }) => {
        let text = seed;
        for (const [at, gone, put] of edits) text = text.slice(0, at) + put + text.slice(at + gone);
        const bytes = Buffer.from(text, 'latin1');
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const pieces = places.slice(1).map((to, n) => bytes.subarray(places[n], to));
        const { reusableFor: _, ...whole } = readPieces([bytes]);
        const { reusableFor: __, ...cut } = readPieces(pieces);
        expect(cut).toEqual(whole);
      }),
      { numRuns: 2000 },
    );
  });
});
