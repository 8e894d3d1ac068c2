import { describe, expect, it } from 'vitest';
import { ChunkedDecoder } from './chunked-decoder.ts';
import { maxSectionBytes } from './response-head.ts';

/** Decodes reads one after the other; `rest` is what follows the line of the last chunk. */
const decode = (...reads: readonly string[]) => {
  const decoder = new ChunkedDecoder();
  decoder.begin();
  const contents: string[] = [];
  let rest = '';
  for (const text of reads) {
    const bytes = Buffer.from(text, 'latin1');
    const at = decoder.decode(bytes, 0, bytes.length, {
      onContent: (all, from, to) => contents.push(all.toString('latin1', from, to)),
    });
    rest += bytes.toString('latin1', at);
    if (decoder.fault !== null) break;
  }
  const { hasLastChunk, fault } = decoder;
  return { contents, rest, hasLastChunk, fault: fault && `${fault.cause}: ${fault.detail}` };
};

describe('chunks', () => {
  it('of one read come together, and what follows the last one is left', () => {
    expect(decode('3\r\nabc\r\n2\r\nde\r\n0\r\nA: 1\r\n\r\n')).toEqual({
      contents: ['abcde'],
      rest: 'A: 1\r\n\r\n',
      hasLastChunk: true,
      fault: null,
    });
  });

  it('may be cut anywhere', () => {
    const whole = 'a;x=1\r\n0123456789\r\n2\r\nde\r\n0\r\n';
    for (let cut = 1; cut < whole.length; cut += 1) {
      const { contents, ...ended } = decode(whole.slice(0, cut), whole.slice(cut));
      expect(contents.join('')).toBe('0123456789de');
      expect(ended).toEqual({ rest: '', hasLastChunk: true, fault: null });
    }
  });

  it('have sizes in hexadecimal digits, also with zeros before them', () => {
    for (const [size, length] of [
      ['9', 9],
      ['a', 10],
      ['F', 15],
      ['1f', 31],
      ['10', 16],
      ['000000000000A', 10],
    ] as const) {
      const content = 'x'.repeat(length);
      expect(decode(`${size}\r\n${content}\r\n0\r\n`).contents).toEqual([content]);
    }
  });

  it('are read in a part of a buffer', () => {
    const decoder = new ChunkedDecoder();
    const bytes = Buffer.from('zz2\r\nab\r\n0\r\nzz');
    const found: string[] = [];
    const sink = {
      onContent: (all: Buffer, from: number, to: number) =>
        found.push(all.toString('latin1', from, to)),
    };
    expect(decoder.decode(bytes, 2, 6, sink)).toBe(6);
    expect(decoder.decode(bytes, 6, 12, sink)).toBe(12);
    expect([found, decoder.hasLastChunk]).toEqual([['a', 'b'], true]);
  });

  it('end where the read ends, whatever an earlier read left behind it', () => {
    const decoder = new ChunkedDecoder();
    const sink = { onContent: () => undefined };
    const bytes = Buffer.from('2\r\nab\r\n0\r\n');
    // The last byte of this read is the CR behind the content.
    expect(decoder.decode(bytes, 0, 6, sink)).toBe(6);
    bytes.write('\n0\r\n');
    expect(decoder.decode(bytes, 0, 4, sink)).toBe(4);
    expect([decoder.fault, decoder.hasLastChunk]).toEqual([null, true]);
  });

  it('forget the digits of a body that was not read to its end', () => {
    const decoder = new ChunkedDecoder();
    const sink = { onContent: () => undefined };
    decoder.begin();
    decoder.decode(Buffer.from('00000000'), 0, 8, sink);
    decoder.begin();
    decoder.decode(Buffer.from('0000000a\r\n'), 0, 10, sink);
    expect(decoder.fault).toBeNull();
  });

  it('begin anew with each body', () => {
    const decoder = new ChunkedDecoder();
    const read = (text: string): string => {
      let content = '';
      decoder.begin();
      decoder.decode(Buffer.from(text), 0, text.length, {
        onContent: (all, from, to) => (content += all.toString('latin1', from, to)),
      });
      return content;
    };
    expect(read('5\r\nab')).toBe('ab');
    expect(decoder.hasLastChunk).toBe(false);
    expect(read(`1;${'e'.repeat(maxSectionBytes - 10)}\r\nx\r\n0\r\n`)).toBe('x');
    expect(decoder.hasLastChunk).toBe(true);
    expect(read(`1;${'e'.repeat(maxSectionBytes - 10)}\r\ny\r\n0\r\n`)).toBe('y');
    expect(decoder.fault).toBeNull();
  });

  it.each([
    ['\r\nabc', 'a chunk’s size is not a hexadecimal number'],
    ['g\r\nabc', 'a chunk’s size is not a hexadecimal number'],
    ['-3\r\nabc', 'a chunk’s size is not a hexadecimal number'],
    [' 3\r\nabc', 'a chunk’s size is not a hexadecimal number'],
    [';x\r\nabc', 'a chunk’s size is not a hexadecimal number'],
    ['3 \r\nabc', 'a chunk’s size is followed by something other than CR LF or an extension'],
    ['3\nabc', 'a chunk’s size is followed by something other than CR LF or an extension'],
    ['3\rxabc', 'a chunk’s size line does not end in CR LF'],
    ['00000000000003\r\nabc', 'a chunk’s size has too many digits'],
    ['3\r\nabcd\r\n', 'a chunk does not end where its size says'],
    ['3\r\nabc\n', 'a chunk does not end where its size says'],
    ['3\r\nabc\rx', 'a chunk does not end in CR LF'],
    ['3\r\nabcx\n0\r\n', 'a chunk does not end where its size says'],
    ['3\r\nabc\rx\n', 'a chunk does not end in CR LF'],
    ['3\r\nab\n\rx', 'a chunk does not end in CR LF'],
    ['1\r\na\r\n\r\n', 'a chunk’s size is not a hexadecimal number'],
    ['3;\r\nabc', 'a chunk’s extension is malformed'],
    ['3;a="b\r\nabc', 'a chunk’s extension is malformed'],
    ['3;a b\r\nabc', 'a chunk’s extension is malformed'],
    ['3;a\u0001\r\nabc', 'a chunk’s extension contains a control character'],
    ['3;a\n\r\nabc', 'a chunk’s extension contains a control character'],
    ['3;a\u007f\r\nabc', 'a chunk’s extension contains a control character'],
  ])('that are %j break the protocol', (text, detail) => {
    expect(decode(text)).toMatchObject({ fault: `protocol: ${detail}`, hasLastChunk: false });
    // However it is cut.
    expect(decode(...text).fault).toBe(`protocol: ${detail}`);
  });

  it.each(['3;a', '3;a=b', '3;a="b c"', '3;a="\\"";b=1;c', '3;a="b\tc"'])(
    'may have the extension %s',
    (line) => {
      expect(decode(`${line}\r\nabc\r\n0\r\n`)).toMatchObject({ contents: ['abc'], fault: null });
    },
  );

  it('have extensions of a bounded length, all together', () => {
    // The semicolon is not counted.
    const extended = (length: number): string => `1;${'e'.repeat(length)}\r\nx\r\n`;
    expect(decode(extended(maxSectionBytes), '0\r\n')).toMatchObject({
      hasLastChunk: true,
      fault: null,
    });
    const fault = `too-large: the chunks’ extensions are longer than ${maxSectionBytes} bytes`;
    expect(decode(extended(maxSectionBytes + 1)).fault).toBe(fault);
    const half = extended(maxSectionBytes / 2);
    expect(decode(half, half, '0\r\n').fault).toBeNull();
    expect(decode(half, half, extended(1)).fault).toBe(fault);
  });
});
