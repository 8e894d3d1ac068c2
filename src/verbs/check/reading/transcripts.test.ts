import { describe, expect, it } from 'vitest';
import { readSrtCues, readVttCues, wrongTimes, judgeWords } from './transcripts.ts';

const srt =
  '1\n00:00:00,000 --> 00:00:01,500\nOne.\n\n2\n00:00:01,500 --> 00:01:02,007\nTwo\nlines.\n\n';
const cues = [
  { start: 0, end: 1.5, text: 'One.' },
  { start: 1.5, end: 62.007, text: 'Two lines.' },
];
const vtt = `WEBVTT\n\nNOTE made by hand\n\n00:00.000 --> 00:01.500\nOne.\n\nsecond\n00:00:01.500 --> 00:01:02.007 align:left\nTwo\nlines.\n`;

describe('captions are read with their times', () => {
  it.each([
    ['SubRip', readSrtCues, srt],
    ['SubRip with CRLF', readSrtCues, srt.replaceAll('\n', '\r\n')],
    ['WebVTT with a name, a comment and settings', readVttCues, vtt],
    ['WebVTT with wide arrows', readVttCues, vtt.replaceAll(' --> ', '\t-->  ')],
  ])('%s', (_, read, text) => {
    expect(read(text)).toEqual({ ok: true, cues });
  });
});

describe('what is wrong with captions is found', () => {
  it.each([
    [
      'a missing blank line',
      readSrtCues,
      srt.replace('\n\n2', '\n2'),
      'no blank line ends block 1',
    ],
    [
      'a wrong number',
      readSrtCues,
      srt.replace('\n\n2', '\n\n3'),
      'block 2 does not begin with its number',
    ],
    [
      'a point for a comma',
      readSrtCues,
      srt.replaceAll(',', '.'),
      'block 1 has no timing of SubRip',
    ],
    ['WebVTT for SubRip', readSrtCues, vtt, 'block 1 does not begin with its number'],
    ['SubRip for WebVTT', readVttCues, srt, 'it does not begin with WEBVTT'],
    [
      'a missing blank line',
      readVttCues,
      vtt.replace('\n\nsecond', '\nsecond'),
      'no blank line ends block 2',
    ],
    [
      'no line after the header',
      readVttCues,
      vtt.replace('WEBVTT\n\nNOTE made by hand\n', 'WEBVTT'),
      'no blank line follows WEBVTT',
    ],
    [
      'a comma for a point',
      readVttCues,
      vtt.replaceAll('.000', ',000'),
      'block 2 has no timing of WebVTT',
    ],
    ['no captions', readVttCues, 'hello', 'it does not begin with WEBVTT'],
  ])('%s', (_, read, text, problem) => {
    expect(read(text)).toEqual({ ok: false, problem });
  });
});

describe('times are', () => {
  const at = (...times: readonly (readonly [number, number])[]) =>
    times.map(([start, end]) => ({ start, end }));
  it.each([
    ['right', at([0, 1], [1, 2.5]), null],
    ['right with a pause', at([0.2, 1], [1.9, 2.5]), null],
    ['grave before the recording', at([-0.1, 1]), true],
    ['grave where an end is before its start', at([1, 0.9]), true],
    ['grave out of order', at([1, 2], [0.5, 2.5]), true],
    ['grave far after the recording', at([0, 4.8]), true],
    ['loose where they overlap', at([0, 1.5], [1, 2]), false],
    ['loose as Whisper ends after the recording', at([0, 4.2]), false],
  ] as const)('%s', (_, segments, isGrave) => {
    expect(wrongTimes(segments, 2.5)?.isGrave ?? null).toBe(isGrave);
  });
});

const outcomeOf = (expected: string, found: string): string => {
  const { outcome, name } = judgeWords(expected, found, 'the text');
  return name === undefined ? outcome : `${outcome}: ${name}`;
};

const text = 'The river rises slowly behind the old weir this morning.';

it.each([
  ['the same', text, 'pass'],
  ['the same in other case', text.toUpperCase(), 'pass'],
  ['a text without its end', 'The river rises slowly behind', 'deviation: cut-words'],
  [
    'some other words',
    'The lake rises slowly behind an old mill this morning.',
    'deviation: other-words',
  ],
  ['another text', 'Nobody has ever said so, and nobody will.', 'violation'],
])('%s is judged', (_, found, expected) => {
  expect(outcomeOf(text, found)).toBe(expected);
});

it('a transcript that is too long for any recording of the suite takes no time', () => {
  const [expected, found] = ['a b c ', 'c a b d '].map((words) => words.repeat(100_000));
  const before = process.cpuUsage();
  expect(outcomeOf(expected!, found!)).toBe('unchecked');
  expect(outcomeOf(text, found!)).toBe('violation');
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
});
