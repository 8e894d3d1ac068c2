import { describe, expect, it } from 'vitest';
import { reply, said } from './judged.fixture.ts';

const ten = 'one two three four five six seven eight nine ten';
const whole = (changes: object = {}) => ({
  text: 'one two three four',
  language: 'en',
  duration: 10,
  segments: [
    { start: 0, end: 4, text: 'one two' },
    { start: 4, end: 10, text: 'three four' },
  ],
  ...changes,
});
const srt = (...cues: readonly (readonly [from: string, to: string, text: string])[]): string =>
  cues
    .map(([from, to, text], at) => `${at + 1}\n00:00:${from} --> 00:00:${to}\n${text}\n`)
    .join('\n');
const usual = srt(['00,000', '04,000', 'one two'], ['04,000', '10,000', 'three four']);
const vtt = `WEBVTT\n\n${usual.replaceAll(',', '.').replaceAll(/^\d\n/gm, '')}`;

describe('a transcript of a recording of ten seconds', () => {
  const json = (changes: object = {}) => [reply('transcription-json', whole(changes))];
  const segments = (...times: readonly (readonly [number, number])[]) =>
    json({ segments: times.map(([start, end]) => ({ start, end, text: 'x' })) });
  it.each([
    ['text', json({ text: 7 }), 'violation: text is 7'],
    ['duration', json({ duration: '10' }), 'violation: duration is "10"'],
    ['segments', json({ segments: null }), 'violation: segments is null'],
    ['start', json({ segments: [{ end: 1 }] }), 'violation: segments[0].start is missing'],
    ['length', json(), 'pass: 10 s for a recording of 10.00 s'],
    ['length', json({ duration: 10.29 }), 'pass: 10.29 s for a recording of 10.00 s'],
    ['length', json({ duration: 10.31 }), 'violation: 10.31 s for a recording of 10.00 s'],
    ['length', json({ duration: 11 }), 'violation: 11 s for a recording of 10.00 s'],
    ['length', json({ duration: '10' }), 'unchecked: there is no duration'],
    ['times', json(), 'pass: 2 in order'],
    ['times', json({ segments: [] }), 'unchecked: there are no segments'],
    ['times', segments([-0.1, 1]), 'violation: segment 1 begins before the recording'],
    ['times', segments([2, 1]), 'violation: segment 1 ends before it begins'],
    ['times', segments([2, 2]), 'pass: 1 in order'],
    ['times', segments([2, 3], [1.9, 4]), 'violation: segment 2 begins before the one before it'],
    [
      'times',
      segments([2, 3], [2.5, 4]),
      /^deviation \(loose-times\): segment 2 begins before the end of the one/,
    ],
    ['times', segments([2, 3], [2.96, 4]), 'pass: 2 in order'],
    [
      'times',
      segments([2, 12]),
      'deviation (loose-times): segment 1 ends 2.00 s after the recording',
    ],
    [
      'times',
      segments([2, 12.5]),
      'violation: segment 1 ends at 12.50 s, after the 10.00 s of the recording',
    ],
    ['whole', json(), 'pass: 0 of 4 words differ from the text'],
    [
      'whole',
      json({ text: ten }),
      'deviation (cut-words): the last 6 of 10 words of the text are missing',
    ],
    ['whole', json({ segments: [] }), 'unchecked: there are no segments'],
    ['words', json(), 'pass: 0 of 4 words differ from what is said'],
    ['words', json({ text: 'a b c d' }), 'open: 4 of 4 words differ from what is said'],
    ['words', json({ text: null }), 'unchecked: there is no text'],
  ])('%s', (check, answers, expected) => {
    const judged = said(`transcription-json.${check}`, answers);
    if (typeof expected === 'string') expect(judged).toBe(expected);
    else expect(judged).toMatch(expected);
  });

  it('may have a rounded duration, if the recording has no whole seconds', () => {
    const lasting = (duration: number): string =>
      said('transcription-json.length', [reply('transcription-json', whole({ duration }))], {
        clip: { seconds: 9.5, text: null },
      } as never);
    expect(lasting(10)).toBe('deviation (loose-times): 10 s for a recording of 9.50 s');
    expect(lasting(9.9)).toBe('violation: 9.9 s for a recording of 9.50 s');
    expect(lasting(9.79)).toMatch(/^pass/);
    const unknown = { clip: { seconds: null, text: null } } as never;
    expect(said('transcription-json.length', [reply('transcription-json', whole())], unknown)).toBe(
      'unchecked: there is no duration',
    );
    expect(said('transcription-json.words', [reply('transcription-json', whole())], unknown)).toBe(
      'unchecked: there is no text',
    );
  });
});

describe('a transcript as plain text', () => {
  it.each([
    ['text', 'one two', 'pass: plain'],
    ['text', ' \n', 'violation: the body is empty'],
    ['text', '"one two"', 'deviation (wrapped-transcript): the text is wrapped in JSON'],
    ['text', '{"text":"one"}', 'deviation (wrapped-transcript): the text is wrapped in JSON'],
    ['text', '{"out":"one"}', 'deviation (wrapped-transcript): the text is wrapped in JSON'],
    ['text', '{"out":"one","in":"two"}', 'violation: the body is no plain text'],
    ['text', '[1]', 'violation: the body is no plain text'],
    ['text', usual, 'violation: the body is no plain text'],
    ['srt', usual, 'pass: plain'],
    [
      'srt',
      usual.replace('2\n00', '3\n00'),
      'violation: no srt: block 2 does not begin with its number',
    ],
    [
      'srt',
      usual.replace(',000 -->', '.000 -->'),
      'violation: no srt: block 1 has no timing of SubRip',
    ],
    ['srt', usual.replace('\n\n', '\n'), 'violation: no srt: no blank line ends block 1'],
    ['srt', JSON.stringify(usual), 'deviation (wrapped-transcript): the srt is wrapped in JSON'],
    ['vtt', vtt, 'pass: plain'],
    ['vtt', 'WEBVTT\n', 'violation: no vtt: there is no caption'],
    ['vtt', usual, 'violation: no vtt: it does not begin with WEBVTT'],
  ])('%s: %j', (format, body, expected) => {
    const id = `transcription-${format}`;
    expect(said(`${id}.plain`, [reply(id, body)])).toBe(expected);
  });

  it('has captions in order', () => {
    const times = (body: string) =>
      said('transcription-srt.times', [reply('transcription-srt', body)]);
    expect(times(usual)).toBe('pass: 2 in order');
    expect(times('x')).toBe('unchecked: block 1 does not begin with its number');
    expect(times(srt(['00,000', '12,500', 'x']))).toMatch(/^violation: segment 1 ends at 12.50 s/);
  });
});

describe('a transcript in another format', () => {
  const both = (format: string, body: unknown) => [
    reply('transcription-json', whole()),
    reply(`transcription-${format}`, body),
  ];
  it.each([
    ['text', 'one two three four', 'pass: 0 of 4 words differ from the default format'],
    [
      'text',
      'one two',
      'deviation (cut-words): the last 2 of 4 words of the default format are missing',
    ],
    [
      'text',
      'one to three four',
      'deviation (other-words): 1 of 4 words differ from the default format',
    ],
    ['text', 'a b c four', 'violation: 3 of 4 words differ from the default format'],
    ['srt', usual, 'pass: 0 of 4 words differ from the default format'],
    ['srt', 'x', 'unchecked: a transcript cannot be read'],
    ['vtt', vtt, 'pass: 0 of 4 words differ from the default format'],
    ['verbose', whole(), 'pass: 0 of 4 words differ from the default format'],
    ['verbose', { text: 7 }, 'unchecked: a transcript cannot be read'],
  ])('%s has the same words: %j', (format, body, expected) => {
    expect(said(`transcription-${format}.same-words`, both(format, body))).toBe(expected);
  });

  it.each([
    ['srt', usual, 'pass: 2 alike'],
    ['vtt', vtt, 'pass: 2 alike'],
    ['srt', 'x', 'unchecked: there are no segments to compare'],
    ['srt', srt(['00,000', '04,000', 'x']), 'deviation (other-segments): 1 captions, 2 segments'],
    [
      'srt',
      srt(['00,000', '04,000', 'x'], ['04,100', '10,000', 'y']),
      'deviation (other-segments): caption 2 has other times than its segment',
    ],
    [
      'srt',
      srt(['00,000', '04,100', 'x'], ['04,000', '10,000', 'y']),
      'deviation (other-segments): caption 1 has other times than its segment',
    ],
    ['srt', srt(['00,049', '04,000', 'x'], ['04,000', '09,951', 'y']), 'pass: 2 alike'],
  ])('%s has the same times: %j', (format, body, expected) => {
    expect(said(`transcription-${format}.same-times`, both(format, body))).toBe(expected);
  });

  it('has the named language, or says which it has instead', () => {
    const language = (value: unknown) =>
      said('upload-mp3.language', [reply('upload-mp3', { language: value })]);
    expect(language('EN-gb')).toBe('pass: EN-gb');
    expect(language('english')).toBe('deviation (other-language): language is english');
    expect(language(null)).toBe('unchecked: there is no language');
    const parts = (body: object) =>
      said('transcription-verbose.parts', [reply('transcription-verbose', body)]);
    expect(parts(whole({ words: [1, 2, 3] }))).toBe('open: segments: 2, words: 3');
    expect(parts({ text: '' })).toBe('open: segments: none, words: none');
    expect(parts({})).toBe('violation: there is no text');
  });
});
