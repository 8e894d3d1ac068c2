import { describe, expect, it } from 'vitest';
import { readSrt, readVtt } from './captions.ts';

const srt = `1
00:00:00,000 --> 00:00:01,500
The gate

2
00:00:01,500 --> 00:00:03,000
<i>is</i> {\\an8}open,
 and so on.
`;
const vtt = `WEBVTT - a title
Kind: captions

NOTE left out

STYLE
::cue { color: red }

intro
00:00.000 --> 00:01.500 align:start
<v Keeper>The <c.loud>gate</c></v>

00:00:01.500 --> 00:00:03.000
is<00:00:02.000> open &amp; wide &unknown;
`;

it('WebVTT captions keep a "<" that does not begin a tag', () => {
  expect(readVtt('WEBVTT\n\n00:01.000 --> 00:02.000\n3 < 4 and <b>5</b> > 2')).toBe(
    '3 < 4 and 5 > 2',
  );
});

describe('SubRip captions', () => {
  it('contain the text below their timings', () => {
    expect(readSrt(srt)?.split(/\s+/).join(' ').trim()).toBe('The gate is open, and so on.');
  });

  it('may have any line ends, points before milliseconds and no indices', () => {
    expect(readSrt(srt.replaceAll('\n', '\r\n'))).toBe(readSrt(srt));
    expect(readSrt(srt.replaceAll('\n', '\r'))).toBe(readSrt(srt));
    expect(readSrt('0:00:00.000 --> 0:00:01.000\nyes')).toBe('yes');
  });

  it('may follow each other without blank lines', () => {
    const dense = srt.replace('\n\n', '\n');
    expect(dense).not.toContain('\n\n');
    expect(readSrt(dense)).toBe(readSrt(srt));
    expect(readSrt(dense.replaceAll(/^\d\n/gm, ''))).toBe(readSrt(srt));
  });

  it('keep words that are numbers', () => {
    const [first, second] = [
      '0:00:00,000 --> 0:00:01,000\n300',
      '0:00:01,000 --> 0:00:02,000\n301',
    ];
    expect(readSrt(`${first}\n${second}`)).toBe('300 301');
    expect(readSrt(`1\n${first}\n2\n${second}`)).toBe('300 301');
    expect(readSrt('1\n00:00:00,000 --> 00:00:01,000\n300\n')?.trim()).toBe('300');
  });

  it('have no text without cues, and are invalid without timings', () => {
    expect(readSrt('')).toBe('');
    expect(readSrt('The gate is open.')).toBeNull();
    expect(readSrt(vtt)).toBeNull();
  });
});

describe('WebVTT captions', () => {
  it('contain the text below their timings, without notes, styles, voices and timestamps', () => {
    expect(readVtt(vtt)?.split(/\s+/).join(' ').trim()).toBe('The gate is open & wide &unknown;');
  });

  it('may follow each other without blank lines', () => {
    const dense = 'WEBVTT\n\n00:00.000 --> 00:01.000\nThe gate\n00:01.000 --> 00:02.000\nis open';
    expect(readVtt(dense)).toBe('The gate is open');
  });

  it('have no text without cues, and are invalid without the word WEBVTT', () => {
    expect(readVtt('WEBVTT')).toBe('');
    expect(readVtt('\ufeffWEBVTT\n\n')).toBe('');
    expect(readVtt('WEBVTTX\n')).toBeNull();
    expect(readVtt(srt)).toBeNull();
  });
});
