// @long 1 s
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { transcriptionResponseSchema, maxUploadBytes } from '../../contract/audio.ts';
import { silentAudio } from './speech.ts';
import { testKeyHeaders, startManualMock } from '../gateway/manual-mock.fixture.ts';

const folder = new URL('../../../fixtures/speech/', import.meta.url);
const fixture = (name: string) => new Uint8Array(readFileSync(new URL(name, folder)));
const manifest = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')) as {
  clips: { file: string; text: string; language: string; seconds: number }[];
};

const formOf = (
  bytes: Uint8Array<ArrayBuffer>,
  name: string,
  fields: Record<string, string | string[]> = {},
): FormData => {
  const form = new FormData();
  for (const [field, values] of Object.entries({ model: 'weir/whisper', ...fields })) {
    for (const value of [values].flat()) form.append(field, value);
  }
  form.set('file', new Blob([bytes]), name);
  return form;
};

const gate = fixture('gate.wav');
const silence = new Uint8Array(Buffer.concat([...silentAudio.mp3(12)]));

const errorOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return { status: response.status, ...error };
};

describe('a transcription', () => {
  it.each(manifest.clips)('of $file has its text', async ({ file, ...clip }) => {
    const { upload, afterMinute, counters } = await startManualMock();
    const answer = await afterMinute(upload(formOf(fixture(file), file)));
    const heard = transcriptionResponseSchema.parse(await answer.json());
    expect([heard.text, heard.language]).toEqual([clip.text, clip.language]);
    // ffprobe, from which the manifest has its figures, counts an Opus file's pre-skip (6.5 ms) and not an AAC file's priming (64 ms).
    expect(Math.abs((heard.duration ?? 0) - clip.seconds)).toBeLessThan(0.064);
    expect(heard.segments?.at(-1)?.end).toBeLessThanOrEqual(heard.duration ?? 0);
    expect(heard.segments?.map(({ text }) => text).join(' ')).toBe(clip.text);
    expect(await counters()).toMatchObject({
      'completed.transcription': 1,
      audioMilliseconds: Math.round((heard.duration ?? 0) * 1000),
      'cost.micros': Math.round((heard.duration ?? 0) * 100),
    });
  });

  it('comes in five formats', async () => {
    const { upload, afterMinute } = await startManualMock();
    const answers: Record<string, readonly (string | null)[]> = {};
    for (const response_format of ['json', 'text', 'srt', 'vtt', 'verbose_json']) {
      const fields = { response_format, 'timestamp_granularities[]': ['word', 'segment'] };
      const answer = await afterMinute(upload(formOf(gate, 'gate.wav', fields)));
      answers[response_format] = [answer.headers.get('content-type'), await answer.text()];
    }
    expect(answers).toMatchInlineSnapshot(`
      {
        "json": [
          "application/json",
          "{"text":"The gate is open.","language":"en","duration":1.213125,"segments":[{"start":0,"end":1.213,"text":"The gate is open."}]}",
        ],
        "srt": [
          "text/plain; charset=utf-8",
          "1
      00:00:00,000 --> 00:00:01,213
      The gate is open.

      ",
        ],
        "text": [
          "text/plain; charset=utf-8",
          "The gate is open.
      ",
        ],
        "verbose_json": [
          "application/json",
          "{"task":"transcribe","language":"en","duration":1.213125,"text":"The gate is open.","segments":[{"id":0,"seek":0,"start":0,"end":1.213,"text":"The gate is open.","tokens":[],"temperature":0,"avg_logprob":0,"compression_ratio":1,"no_speech_prob":0}],"words":[{"word":"The","start":0,"end":0.269},{"word":"gate","start":0.269,"end":0.606},{"word":"is","start":0.606,"end":0.808},{"word":"open.","start":0.808,"end":1.213}]}",
        ],
        "vtt": [
          "text/plain; charset=utf-8",
          "WEBVTT

      00:00:00.000 --> 00:00:01.213
      The gate is open.

      ",
        ],
      }
    `);
  });

  it('has the requested language', async () => {
    const { upload, afterMinute } = await startManualMock();
    const answer = await afterMinute(upload(formOf(gate, 'gate.wav', { language: 'fr' })));
    expect(await answer.json()).toMatchObject({ language: 'fr', text: 'The gate is open.' });
  });

  it('ignores fields that the interface does not name', async () => {
    const { upload, afterMinute } = await startManualMock();
    const fields = { language: '', temperature: '9', prompt: 'Gates.', hint: 'x' };
    const answer = await afterMinute(upload(formOf(gate, 'gate.wav', fields)));
    expect(await answer.json()).toMatchObject({ language: 'en', text: 'The gate is open.' });
  });

  it('of an unknown file depends only on its bytes and the seed', async () => {
    const textOf = async (seed: number, name: string, id: string, bytes = silence) => {
      const { upload, afterMinute } = await startManualMock({ seed });
      const headers = { ...testKeyHeaders, 'x-request-id': id };
      const answer = await afterMinute(upload(formOf(bytes, name), { headers }));
      return transcriptionResponseSchema.parse(await answer.json()).text;
    };
    const first = await textOf(1, 'a.mp3', 'one');
    expect(first.split(' ')).toHaveLength(30);
    expect(await textOf(1, 'b.wav', 'two')).toBe(first);
    expect(await textOf(2, 'a.mp3', 'one')).not.toBe(first);
    const longer = new Uint8Array(Buffer.concat([...silentAudio.mp3(12.024)]));
    expect(await textOf(1, 'a.mp3', 'one', longer)).not.toBe(first);
  });

  it('is sent later for each second of audio', async () => {
    const { clock, upload, counters } = await startManualMock({
      transcription: { base: 70, perSecond: 10 },
    });
    const answer = upload(formOf(silence, 'a.mp3'));
    await clock.whenWaiting();
    clock.advance(70 + 12 * 10 - 0.1);
    expect(await counters()).toMatchObject({ inFlight: 1, completed: 0 });
    clock.advance(0.1);
    expect((await answer).status).toBe(200);
  });

  it('counts as a request, and no tokens', async () => {
    const { upload, afterMinute } = await startManualMock();
    const { headers } = await afterMinute(upload(formOf(gate, 'gate.wav')));
    expect(headers.get('x-ratelimit-api_key-remaining-requests')).toBe('59');
    expect(headers.get('x-ratelimit-api_key-remaining-tokens')).toBe('2000000');
  });
});

describe('an upload', () => {
  const half = (name: string) => fixture(name).slice(0, 2000);
  const noise = new Uint8Array(1000).fill(7);
  it.each([
    ['an extension that is not supported', formOf(gate, 'gate.flac'), 400, 'unsupported_format'],
    ['no extension', formOf(gate, 'gate'), 400, 'unsupported_format'],
    ['nothing in it', formOf(new Uint8Array(), 'a.mp3'), 400, 'empty_file'],
    ['something else in it', formOf(noise, 'a.mp3'), 400, 'undecodable_audio'],
    [
      'no sound in it',
      formOf(gate.slice(0, 44).fill(0, 4, 8).fill(0, 40), 'a.wav'),
      400,
      'undecodable_audio',
    ],
    ['half a wav in it', formOf(half('river.wav'), 'a.wav'), 400, 'truncated_audio'],
    ['half an mp3 in it', formOf(half('station.mp3'), 'a.mp3'), 400, 'truncated_audio'],
    ['half an m4a in it', formOf(half('keeper.m4a'), 'a.m4a'), 400, 'truncated_audio'],
    ['half an ogg in it', formOf(half('kurs.ogg'), 'a.ogg'), 400, 'truncated_audio'],
    ['half a webm in it', formOf(half('boats.webm'), 'a.webm'), 400, 'truncated_audio'],
    ['another model', formOf(gate, 'a.wav', { model: 'weir/none' }), 404, 'model_not_found'],
    ['a chat model', formOf(gate, 'a.wav', { model: 'weir/small' }), 404, 'model_not_found'],
    ['a wrong format', formOf(gate, 'a.wav', { response_format: 'xml' }), 400, 'invalid_value'],
    [
      'a wrong granularity',
      formOf(gate, 'a.wav', { 'timestamp_granularities[]': 'line' }),
      400,
      'invalid_value',
    ],
    [
      'two models',
      formOf(gate, 'a.wav', { model: ['weir/whisper', 'weir/whisper'] }),
      400,
      'invalid_value',
    ],
  ])('with %s is refused', async (_, form, status, code) => {
    const { upload, counters } = await startManualMock();
    expect(await errorOf(await upload(form))).toMatchObject({ status, code });
    expect(await counters()).toMatchObject({ refused: 1, audioMilliseconds: 0, 'cost.micros': 0 });
  });

  it('is recognised by its content, not by its label', async () => {
    const { upload, afterMinute } = await startManualMock();
    const form = formOf(gate, 'gate.wav');
    form.set('file', new Blob([gate], { type: 'video/webm' }), 'gate.MP3');
    const answer = await afterMinute(upload(form));
    expect(await answer.json()).toMatchObject({ text: 'The gate is open.' });
  });

  it('without a file is refused', async () => {
    const { upload } = await startManualMock();
    const form = new FormData();
    form.set('model', 'weir/whisper');
    form.set('file', 'not a file');
    expect((await errorOf(await upload(form))).message).toMatchInlineSnapshot(
      `"Invalid file: expected a part named "file" with a file name."`,
    );
  });

  const boundary = 'b0undary';
  const multipart = {
    ...testKeyHeaders,
    'content-type': `multipart/form-data; boundary=${boundary}`,
  };
  const part = (disposition: string, content: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
  const close = `--${boundary}--\r\n`;
  const model = part('name="model"', 'weir/whisper');
  it.each([
    ['JSON', '{}', { ...testKeyHeaders, 'content-type': 'application/json' }],
    [
      'a form without a boundary',
      model + close,
      { ...testKeyHeaders, 'content-type': 'multipart/form-data' },
    ],
    ['nothing', '', multipart],
    ['a form that does not end', model + part('name="file"; filename="a.mp3"', 'x'), multipart],
    ['a form that ends in a header', `${model}--${boundary}\r\ncontent-dispo`, multipart],
    ['a form with a long field', part('name="model"', 'x'.repeat(10_000)) + close, multipart],
    ['a form with many fields', part('name="x"', '1').repeat(100) + close, multipart],
    ['a form with many files', part('name="x"; filename="x"', '1').repeat(9) + close, multipart],
  ])('that is %s is refused, and the mock lives on', async (_, body, headers) => {
    const { upload, get } = await startManualMock();
    const answer = await upload(body, { headers });
    expect(await errorOf(answer)).toMatchObject({ status: 400, code: 'invalid_form' });
    expect((await get('/models')).status).toBe(200);
  });

  it('may have parts without a name', async () => {
    const { upload } = await startManualMock();
    const body = `--${boundary}\r\ncontent-disposition: form-data\r\n\r\nx\r\n${model}${close}`;
    expect((await errorOf(await upload(body, { headers: multipart }))).message).toContain(
      'Invalid file',
    );
  });

  const fileOf = (bytes: number): Uint8Array<ArrayBuffer> => {
    const file = new Uint8Array(bytes);
    file.set(new Uint8Array(Buffer.concat([...silentAudio.wav(819.2)].slice(0, 1))));
    return file;
  };
  it('may have exactly the largest size, but not a byte more', async () => {
    const { upload, afterMinute, counters } = await startManualMock();
    expect(await errorOf(await upload(formOf(fileOf(maxUploadBytes), 'a.wav')))).toMatchObject({
      code: 'truncated_audio',
    });
    const answer = await afterMinute(upload(formOf(fileOf(maxUploadBytes + 1), 'a.wav')));
    expect(await errorOf(answer)).toMatchObject({ status: 413, code: 'request_too_large' });
    expect(await counters()).toMatchObject({ 'refused.too-large': 1 });
  });

  it('that is too large is refused while it is received', async () => {
    const { upload, get } = await startManualMock();
    const head = `${model}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`;
    const chunk = new Uint8Array(65_536);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (stream) => stream.enqueue(new TextEncoder().encode(head)),
      pull: (stream) => {
        sent += chunk.length;
        stream.enqueue(chunk);
      },
    });
    const answer = await upload(endless, { headers: multipart, duplex: 'half' });
    expect(await errorOf(answer)).toMatchObject({ status: 413, code: 'request_too_large' });
    expect(sent).toBeGreaterThan(maxUploadBytes);
    expect((await get('/models')).status).toBe(200);
  });

  it('that its client aborts is neither completed nor billed', async () => {
    const { upload, waitForCounters } = await startManualMock();
    const hangUp = new AbortController();
    const open = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (stream) => stream.enqueue(new TextEncoder().encode(model)),
    });
    const init = { headers: multipart, duplex: 'half' as const, signal: hangUp.signal };
    const answer = upload(open, init);
    await waitForCounters({ 'admitted.transcription': 1 });
    hangUp.abort();
    await expect(answer).rejects.toThrow('aborted');
    await waitForCounters({ aborted: 1, inFlight: 0, 'cost.micros': 0 });
  });
});
