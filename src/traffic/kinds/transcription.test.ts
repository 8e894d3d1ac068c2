import type { Outcome } from '../../model/observation/outcome.ts';
import { describe, expect, it } from 'vitest';
import type { Clip } from '../../model/workload/clip.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import type { TrafficOf, TranscriptFormat } from '../../model/workload/traffic.ts';
import { readForm } from '../request/read-form.fixture.ts';
import { prepareRequest } from './prepare-request.ts';
import { contextWith, everySplit, readAt, replay, withoutTimes } from './replay.fixture.ts';
import { sampleClip, sampleTraffic, prepareContextWith } from '../sample-traffic.fixture.ts';
import { matching } from './stream-bodies.fixture.ts';

const entry = (parts: Partial<TrafficOf<'transcription'>> = {}) => ({
  ...sampleTraffic.transcription,
  ...parts,
});
const json = { 'content-type': 'application/json' };
const plain = { 'content-type': 'text/plain; charset=utf-8' };

/** Returns the outcome, which is the same in every cut apart from the first byte's instant. */
const read = (
  format: TranscriptFormat,
  body: string | object,
  { clip = sampleClip(), headers = typeof body === 'string' ? plain : json } = {},
): Outcome => {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const asked = { ...entry({ format }), clip };
  const whole = replay(asked, [bytes], { headers });
  for (const reads of everySplit(bytes)) {
    expect(withoutTimes(replay(asked, reads, { headers }))).toEqual(withoutTimes(whole));
  }
  return whole;
};

describe('a transcription request', () => {
  const formOf = async (parts: Partial<TrafficOf<'transcription'>>, clip?: Clip) => {
    const { request } = prepareRequest(
      entry(parts),
      prepareContextWith(clip === undefined ? {} : { clip }),
    );
    const { body, headers } = request;
    return [...(await readForm(body!, headers['content-type']!))];
  };

  it('is a form with the clip and the fields that are set', async () => {
    expect(await formOf({})).toEqual([
      ['model', 't'],
      ['response_format', 'json'],
      ['file', expect.any(File)],
    ]);
    const granularities = ['word', 'segment'] as const;
    const parts = { language: 'en', format: 'verbose_json', granularities } as const;
    expect((await formOf({ ...parts, granularities: [...granularities] })).slice(0, -1)).toEqual([
      ['model', 't'],
      ['language', 'en'],
      ['response_format', 'verbose_json'],
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
    ]);
    expect(prepareRequest(entry(), prepareContextWith()).request).toMatchObject({
      method: 'POST',
      path: '/audio/transcriptions',
      headers: { 'content-type': matching(/^multipart\/form-data; boundary=/) },
    });
  });

  it('sends the clip with its own name and type', async () => {
    const clip = sampleClip({ name: 'a.ogg', contentType: 'audio/ogg', bytes: Buffer.from('Ogg') });
    const file = (await formOf({}, clip)).at(-1)?.[1] as File;
    expect([file.name, file.type, await file.text()]).toEqual(['a.ogg', 'audio/ogg', 'Ogg']);
  });

  it('builds each form once for a clip and its fields', () => {
    const clip = sampleClip();
    const bodyOf = (parts: Partial<TrafficOf<'transcription'>>) =>
      prepareRequest(entry(parts), prepareContextWith({ clip })).request.body;
    expect(bodyOf({})).toBe(bodyOf({}));
    expect(bodyOf({})).not.toBe(bodyOf({ language: 'en' }));
  });

  it('draws every clip of every source', () => {
    const clips = ['a', 'b', 'c'].map((name) => sampleClip({ name, bytes: Buffer.from(name) }));
    const sources = [
      { file: 'a', text: null },
      { file: 'more', text: null },
    ];
    const shelf = {
      clipsOf: ({ file }: { file: string }) => (file === 'a' ? clips.slice(0, 1) : clips.slice(1)),
    };
    const drawn = Array.from({ length: 40 }, (_, seed) => {
      const tools = prepareContextWith({ draw: drawFrom(seed), clips: shelf });
      const { body } = prepareRequest(entry({ clips: sources }), tools).request;
      return /filename="(\w)"/.exec(Buffer.from(body!).toString())?.[1];
    });
    expect(new Set(drawn)).toEqual(new Set(['a', 'b', 'c']));
  });
});

const srt =
  '1\n00:00:00,000 --> 00:00:01,000\nThe gate is\n\n2\n00:00:01,000 --> 00:00:02,000\nopen.\n';
const vtt = 'WEBVTT\n\n00:00.000 --> 00:02.000\nThe gate is open.\n';
const segments = [{ start: 0, end: 1, text: 'The gate is open.' }];
const verbose = { text: 'The gate is open.', language: 'en', duration: 2.5, segments };

describe('a transcript', () => {
  const complete = {
    kind: 'completed',
    answer: {
      kind: 'transcription',
      firstByte: readAt(0),
      audioSeconds: 2.5,
      words: { wrong: 0, expected: 4 },
      notes: [],
      cost: 250,
    },
  };

  it.each([
    ['json', { text: 'the gate is open' }],
    ['verbose_json', verbose],
    ['text', 'The gate is open.\n'],
    ['srt', srt],
    ['vtt', vtt],
  ] as const)('is complete as %s', (format, body) => {
    expect(read(format, body)).toEqual(complete);
  });

  it.each([
    ['text', 'The gate is open.'],
    ['srt', srt],
    ['vtt', vtt],
  ] as const)('may be wrapped as %s, with a note', (format, text) => {
    const wrapped = { ...complete, answer: { ...complete.answer, notes: ['wrapped'] } };
    expect(read(format, { text })).toEqual(wrapped);
    expect(read(format, JSON.stringify(text))).toEqual(wrapped);
    expect(read(format, { ...verbose, text })).toEqual(wrapped);
  });

  // vLLM before July 2026 wrote the duration as a text; the others are fields that nothing here reads.
  it.each([
    { duration: '2.5' },
    { duration: null, language: null },
    { duration: '00:00:02.5', usage: 'none' },
    { task: 7, usage: { type: 'duration', seconds: '3' }, segments: [{ id: 'a', start: '0' }] },
    { words: 'none', error: null },
    { code: 200, message: 'OK' },
  ])('is complete whatever its other fields are: %j', (fields) => {
    const { answer } = complete;
    expect(read('verbose_json', { ...verbose, ...fields })).toEqual({ ...complete, answer });
    expect(read('json', { text: 'the gate is open', ...fields })).toEqual(complete);
  });

  it.each([
    { text: '', error: { message: 'no luck' } },
    { text: 'the gate', error: 'no luck' },
    { code: 5001, msg: 'no luck' },
    { success: false, errors: [{ code: 3040, message: 'no luck' }], result: null },
  ])('is an error if it says so: %j', (body) => {
    expect(read('json', body)).toMatchObject({
      kind: 'malformed',
      issue: 'stream-error',
      detail: expect.stringMatching(/: no luck$/),
    });
  });

  it('is plain text if it only begins like JSON', () => {
    const clip = sampleClip({ text: 'Yes, he said.' });
    for (const body of ['"Yes," he said.', '{Yes} he said', '[Yes] he said']) {
      expect(read('text', body, { clip })).toMatchObject({
        answer: { words: { wrong: 0 }, notes: [] },
      });
    }
  });

  it('has a note if it lacks the segments of verbose_json', () => {
    for (const body of [{ text: 'The gate is open.' }, { ...verbose, segments: null }]) {
      expect(read('verbose_json', body)).toMatchObject({ answer: { notes: ['no-segments'] } });
    }
    expect(read('verbose_json', { ...verbose, segments: [] })).toMatchObject({
      answer: { notes: [] },
    });
  });

  it.each([
    [['word'], ['no-words']],
    [['segment'], ['no-segments']],
    [
      ['word', 'segment'],
      ['no-segments', 'no-words'],
    ],
  ] as const)('has a note if it lacks a requested part of verbose_json: %j', (asked, notes) => {
    const isAsked = (each: 'word' | 'segment') => new Set<string>(asked).has(each);
    const notesOn = (body: object) => {
      const order = { ...entry({ format: 'verbose_json', granularities: [...asked] }) };
      return replay(order, [Buffer.from(JSON.stringify(body))], { headers: json });
    };
    expect(notesOn({ text: 'The gate is open.' })).toMatchObject({ answer: { notes } });
    const words = isAsked('word') ? { words: [{ word: 'The', start: 0, end: 0.2 }] } : {};
    const parts = isAsked('segment') ? { ...words, segments } : words;
    expect(notesOn({ text: 'The gate is open.', ...parts })).toMatchObject({
      answer: { notes: [] },
    });
  });

  it('counts word errors', () => {
    expect(read('json', { text: 'The gate was' })).toMatchObject({
      answer: { words: { wrong: 2, expected: 4 } },
    });
    expect(read('json', { text: '' })).toMatchObject({ answer: { words: { wrong: 4 } } });
    expect(read('text', { text: '' })).toMatchObject({ answer: { words: { wrong: 4 } } });
  });

  it('has unknown figures if its clip has no known text or duration', () => {
    const clip = sampleClip({ seconds: null, text: null });
    expect(read('json', { text: 'anything' }, { clip })).toMatchObject({
      answer: { audioSeconds: null, words: null, cost: null },
    });
  });

  it.each([
    ['json', 'empty', '', /^the body is empty/],
    ['text', 'empty', ' \n', /^the body is blank; a transcript as text was expected/],
    [
      'vtt',
      'content-type',
      '<html><title>Log in</title>',
      /an HTML page was returned instead of .*Log in/,
    ],
    ['json', 'content-type', 'The gate is open.', /not JSON and not labelled as JSON/],
    ['srt', 'shape', 'The gate is open.', /^the body does not look like a transcript as SubRip/],
    ['vtt', 'shape', 'The gate is open.', /^the body does not look like a transcript as WebVTT/],
    [
      'vtt',
      'shape',
      srt,
      /^SubRip captions were returned instead of a transcript as WebVTT captions$/,
    ],
    [
      'srt',
      'shape',
      vtt,
      /^WebVTT captions were returned instead of a transcript as SubRip captions$/,
    ],
    ['text', 'shape', srt, /^SubRip captions were returned instead of a transcript as text$/],
    ['text', 'shape', vtt, /^WebVTT captions were returned instead of a transcript as text$/],
    [
      'text',
      'shape',
      { text: srt },
      /^SubRip captions were returned instead of a transcript as text$/,
    ],
    ['srt', 'shape', { text: 'The gate is open.' }, /does not look like a transcript as SubRip/],
    [
      'text',
      'shape',
      { transcript: 'x' },
      /^JSON was returned instead of a transcript as text: text: /,
    ],
    [
      'text',
      'stream-error',
      { error: { message: 'no luck' } },
      /^a JSON error .* as text: no luck$/,
    ],
    ['json', 'stream-error', { error: { message: 'no luck' } }, /^a JSON error .*: no luck$/],
    ['json', 'shape', { text: 7 }, /^the body is not a transcription: text: /],
  ] as const)('is malformed as %s: %s', (format, issue, body, detail) => {
    expect(read(format, body)).toEqual({
      kind: 'malformed',
      issue,
      detail: matching(detail),
      partial: null,
    });
  });

  it('is malformed if it is labelled JSON but is not', () => {
    expect(read('json', '{"text":', { headers: json })).toMatchObject({ issue: 'not-json' });
  });

  it('is broken by a reset', () => {
    const failure = { cause: 'reset', detail: 'reset' } as const;
    expect(replay(entry(), [Buffer.from('{')], { failure }, contextWith())).toEqual({
      kind: 'broken',
      ...failure,
      partial: null,
    });
  });
});

it.each([
  { text: '', code: 500, message: 'no luck' },
  { text: '', status: 'failed', message: 'no luck' },
  { text: 'The gate', success: false, message: 'no luck' },
  { text: 'The gate', error_msg: 'no luck' },
])('a transcription that says that it failed is a failure: %j', (fields) => {
  const outcome = replay('transcription', [Buffer.from(JSON.stringify(fields))]);
  expect(outcome).toMatchObject({ kind: 'malformed', issue: 'stream-error' });
  expect(JSON.stringify(outcome)).toContain('no luck');
});
