import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../model/workload/draw.ts';
import { randomTranscriptText, segmentsOf, transcriptWriters } from './transcript.ts';

describe('an invented text', () => {
  it('has five words per two seconds, in sentences, and at least one', () => {
    const wordsIn = (seconds: number) =>
      randomTranscriptText(drawFrom(7), seconds).split(' ').length;
    expect([0.01, 1, 2, 60].map(wordsIn)).toEqual([1, 3, 5, 150]);
    for (const sentence of randomTranscriptText(drawFrom(7), 60).split(/(?<=\.) /)) {
      expect(sentence).toMatch(/^[A-Z][a-z]*( [a-z]+){0,13}\.$/);
    }
  });

  it('is a function of its draw', () => {
    expect(randomTranscriptText(drawFrom(1), 9)).toBe(randomTranscriptText(drawFrom(1), 9));
    expect(randomTranscriptText(drawFrom(1), 9)).not.toBe(randomTranscriptText(drawFrom(2), 9));
  });
});

describe('a timed text', () => {
  it('keeps every word, fills the audio without gap or overlap, and never exceeds it', () => {
    const said = fc.array(fc.stringMatching(/^[a-z]{1,9}[.?!]?$/), { minLength: 1 });
    fc.assert(
      fc.property(said, fc.double({ min: 0.001, max: 9999, noNaN: true }), (words, seconds) => {
        const segments = segmentsOf(words.join(' '), seconds);
        const spans = segments.flatMap((segment) => segment.words);
        expect(spans.map(({ text }) => text)).toEqual(words);
        expect(spans.map(({ start }) => start)).toEqual([
          0,
          ...spans.slice(0, -1).map(({ end }) => end),
        ]);
        expect(spans.at(-1)?.end).toBe(Math.floor(seconds * 1000));
        for (const { text, start, end, words: own } of segments) {
          expect([text, start, end]).toEqual([
            own.map((word) => word.text).join(' '),
            own[0]?.start,
            own.at(-1)?.end,
          ]);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('the formats of a transcript', () => {
  const transcript = {
    language: 'en',
    seconds: 3725.5,
    segments: segmentsOf('One two. Three?', 3725.5),
  };
  const write = (format: keyof typeof transcriptWriters) =>
    transcriptWriters[format](transcript, ['word', 'segment']);

  it('write hours, milliseconds and numbers in captions', () => {
    expect(write('srt')).toMatchInlineSnapshot(`
      "1
      00:00:00,000 --> 00:34:55,593
      One two.

      2
      00:34:55,593 --> 01:02:05,500
      Three?

      "
    `);
    expect(write('vtt')).toMatchInlineSnapshot(`
      "WEBVTT

      00:00:00.000 --> 00:34:55.593
      One two.

      00:34:55.593 --> 01:02:05.500
      Three?

      "
    `);
  });

  it('contain the same text', () => {
    const text = 'One two. Three?';
    expect(write('text')).toBe(`${text}\n`);
    expect(JSON.parse(write('json'))).toMatchObject({ text, duration: 3725.5, language: 'en' });
    expect(JSON.parse(write('verbose_json'))).toMatchInlineSnapshot(`
      {
        "duration": 3725.5,
        "language": "en",
        "segments": [
          {
            "avg_logprob": 0,
            "compression_ratio": 1,
            "end": 2095.593,
            "id": 0,
            "no_speech_prob": 0,
            "seek": 0,
            "start": 0,
            "temperature": 0,
            "text": "One two.",
            "tokens": [],
          },
          {
            "avg_logprob": 0,
            "compression_ratio": 1,
            "end": 3725.5,
            "id": 1,
            "no_speech_prob": 0,
            "seek": 0,
            "start": 2095.593,
            "temperature": 0,
            "text": "Three?",
            "tokens": [],
          },
        ],
        "task": "transcribe",
        "text": "One two. Three?",
        "words": [
          {
            "end": 931.375,
            "start": 0,
            "word": "One",
          },
          {
            "end": 2095.593,
            "start": 931.375,
            "word": "two.",
          },
          {
            "end": 3725.5,
            "start": 2095.593,
            "word": "Three?",
          },
        ],
      }
    `);
  });

  it('contain in verbose_json the requested granularities, by default segments', () => {
    const keysFor = (granularities: Parameters<typeof transcriptWriters.verbose_json>[1]) =>
      Object.keys(
        JSON.parse(transcriptWriters.verbose_json(transcript, granularities)) as object,
      ).slice(4);
    expect(keysFor(null)).toEqual(['segments']);
    expect(keysFor(['word'])).toEqual(['words']);
    expect(keysFor(['segment', 'word'])).toEqual(['segments', 'words']);
  });
});
