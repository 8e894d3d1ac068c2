import { describe, expect, it } from 'vitest';
import { HeadSection, keepAliveFor, maxAnswersOf } from './response-head.ts';

const most = 16_384;

/** Appends reads one after the other, and returns what the last one came to. */
const append = (section: HeadSection, ...reads: readonly string[]): number => {
  let after = -1;
  for (const text of reads) after = section.append(Buffer.from(text, 'latin1'), 0, text.length);
  return after;
};

/** A section of so many bytes. */
const sectionOf = (bytes: number): string => `A: ${'x'.repeat(bytes - 7)}\r\n\r\n`;

const beginnings = [
  ['a head', (section: HeadSection) => section.beginHead()],
  ['trailers', (section: HeadSection) => section.beginTrailers()],
] as const;

describe.each(beginnings)('%s', (_, begin) => {
  it('may have 16384 bytes, in one read or in several', () => {
    const whole = sectionOf(most);
    for (const reads of [[whole], [whole.slice(0, 9), whole.slice(9)], [...whole]]) {
      const section = new HeadSection();
      begin(section);
      expect(append(section, ...reads)).toBe(reads.at(-1)!.length);
      expect([section.fault, section.text]).toEqual([null, whole]);
    }
  });

  it('is refused with one byte more, and keeps no more than that', () => {
    const whole = sectionOf(most + 1);
    for (const reads of [[whole], [whole.slice(0, 9), whole.slice(9)]]) {
      const section = new HeadSection();
      begin(section);
      expect(append(section, ...reads)).toBe(-1);
      expect(section.fault).toEqual({
        cause: 'too-large',
        detail: 'the head or the trailers are longer than 16384 bytes',
      });
      expect(section.text).toHaveLength(most);
    }
  });

  it('keeps nothing more once it has as much as it may', () => {
    const section = new HeadSection();
    begin(section);
    append(section, 'x'.repeat(most), 'y');
    expect(section.text).toBe('x'.repeat(most));
  });

  it('ends before the body, whose bytes are not kept', () => {
    for (const reads of [['A: b\r\n\r\nbody'], ['A: b', '\r\n\r\nbody']]) {
      const section = new HeadSection();
      begin(section);
      expect(append(section, ...reads)).toBe(reads.at(-1)!.length - 4);
      expect(section.text).toBe('A: b\r\n\r\n');
    }
  });

  it('has as much room as any other, whatever came before it on the connection', () => {
    const section = new HeadSection();
    const [half, whole] = ['\r\n'.repeat(5000), sectionOf(most)];
    section.beginTrailers();
    append(section, 'A: b', '\r\n\r\n');
    section.beginHead();
    append(section, half, 'A: b\r\n\r\n');
    begin(section);
    expect(append(section, whole.slice(0, 9), whole.slice(9))).toBe(most - 9);
    expect(section.fault).toBeNull();
    expect(section.text).toBe(whole);
  });

  it.each([
    ['A: b\rc', 'a CR without LF in the head'],
    ['A: b\nc', 'an LF without CR in the head'],
    ['A: \u0001', 'the head contains a control character'],
    ['A: \u007f', 'the head contains a control character'],
    [`A: ${'x'.repeat(most)}\u0001`, 'the head contains a control character'],
  ])('that breaks the protocol says how', (text, detail) => {
    const section = new HeadSection();
    begin(section);
    expect(append(section, text)).toBe(-1);
    expect(section.fault).toEqual({ cause: 'protocol', detail });
  });

  it('may have tabs and bytes above 127', () => {
    const section = new HeadSection();
    begin(section);
    expect(append(section, 'A:\t\u00e4', '\t\r\n\r\n')).toBe(5);
    expect(section.text).toBe('A:\t\u00e4\t\r\n\r\n');
  });
});

describe('line ends before a head', () => {
  it('are skipped, and count as bytes of the head', () => {
    for (const [length, cut, isRefused] of [
      [most - 2, 9, false],
      [most - 1, 9, true],
      [most - 2, most, false],
      [most - 1, most, true],
    ] as const) {
      const section = new HeadSection();
      section.beginHead();
      // The third byte was left by an earlier read.
      expect(section.append(Buffer.from('\r\n\r'), 0, 2)).toBe(-1);
      expect(section.text).toBe('');
      const whole = sectionOf(length);
      append(section, ...[whole.slice(0, cut), whole.slice(cut)].filter(Boolean));
      expect(section.fault !== null).toBe(isRefused);
    }
  });

  it('are not skipped before trailers, which may be an empty line only', () => {
    const section = new HeadSection();
    section.beginTrailers();
    expect(append(section, '\r\nA: b\r\n\r\n')).toBe(2);
    expect(section.text).toBe('\r\n');
  });

  it('count in a read that begins in the middle of a buffer', () => {
    const section = new HeadSection();
    section.beginHead();
    const bytes = Buffer.from(`${'.'.repeat(9000)}\r\n${sectionOf(9000).slice(0, -2)}`);
    expect(section.append(bytes, 9000, bytes.length)).toBe(-1);
    expect([append(section, '\r\n'), section.fault]).toEqual([2, null]);
    expect(section.text).toBe(sectionOf(9000));
  });
});

it.each([
  ['', Infinity, Infinity],
  ['timeout=5', 3000, Infinity],
  ['max=9', Infinity, 9],
  ['timeout=1, max=100', 0, 100],
])('the hint %j of Keep-Alive is a time and a number of answers', (hint, time, answers) => {
  expect([keepAliveFor(hint), maxAnswersOf(hint)]).toEqual([time, answers]);
});
