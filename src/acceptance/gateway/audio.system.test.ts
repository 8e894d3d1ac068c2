import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uploadExtensions, maxUploadBytes } from '../../contract/audio.ts';
import { realClock } from '../../mock/clock/real-clock.ts';
import { type Mock, startMock } from '../../mock/gateway/start.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import { type SpeechFormat, speechFormats } from '../../model/workload/traffic.ts';
import { readClips } from '../../platform/files/clips.ts';
import { emptyTargetMemory } from '../../traffic/traffic-handler.ts';
import { prepareRequest } from '../../traffic/kinds/prepare-request.ts';
import { recordedSeconds } from '../../traffic/audio/recorded-seconds.ts';
import { contextWith } from '../../traffic/kinds/replay.fixture.ts';
import { scanReads } from '../../traffic/audio/sample-audio.fixture.ts';
import { tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** The length of a file in seconds by ffprobe, an independent reader. */
const probe = (path: string): number =>
  Number(
    execFileSync('ffprobe', [
      '-v',
      'error',
      '-show_entries',
      'format=duration',
      '-of',
      'default=noprint_wrappers=1:nokey=1',
      path,
    ]).toString(),
  );

/** The error of the container format: an MP3 frame; the pre-skip of Opus, which ffprobe counts. */
const slack: Record<SpeechFormat, number> = { wav: 0.001, mp3: 0.025, opus: 0.007 };

const texts = ['Yes.', 'The keeper opens the gate at dawn.', 'A long story. '.repeat(60)];

let mock: Mock;
beforeAll(async () => {
  const delays = { base: milliseconds(0), perCharacter: milliseconds(0) };
  const transcription = { base: milliseconds(0), perSecond: milliseconds(0) };
  const limits = { requestsPerMinute: null };
  mock = await startMock({ speech: delays, transcription, limits }, realClock());
});
afterAll(() => mock.close());

/** The bytes of the gateway’s speech, and their length in seconds as Weir reads it. */
const spoken = async (text: string, format: SpeechFormat) => {
  const entry = { kind: 'speech', weight: 1, model: 'weir-tts', texts: [text], format } as const;
  const { request, read } = prepareRequest(
    { ...entry, texts: [text], voice: 'Emily.wav', speed: null, body: {} },
    {
      draw: drawFrom(1),
      ordinal: () => 0,
      values: () => ({ uuid: '', index: 0 }),
      targetMemory: emptyTargetMemory(),
      clips: { clipsOf: () => [] },
      ask: () => ({ messages: [], maxTokens: null }),
    },
  );
  const response = await fetch(mock.url + request.path, {
    method: request.method,
    headers: { ...request.headers, authorization: 'Bearer sk-weir-test' },
    body: Buffer.from(request.body ?? []),
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const at = instant(1);
  const reader = read(contextWith({ caps: { bytes: 100_000_000, events: 1 } }));
  reader.onHeaders(at, response.status, Object.fromEntries(response.headers));
  reader.onChunk(at, bytes);
  const outcome = reader.ended(at);
  if (outcome.kind !== 'completed' || outcome.answer.kind !== 'speech') {
    throw new Error(`expected speech, got ${JSON.stringify(outcome)}`);
  }
  return { bytes, seconds: outcome.answer.audioSeconds };
};

describe('ffprobe agrees with the duration that Weir reports', () => {
  it.each(speechFormats)('of speech in %s', async (format) => {
    const folder = await tempFolder();
    for (const [index, text] of texts.entries()) {
      const { bytes, seconds } = await spoken(text, format);
      const path = join(folder, `${index}.${format}`);
      await writeFile(path, bytes);
      expect(Math.abs(probe(path) - seconds)).toBeLessThanOrEqual(slack[format]);
    }
  });

  it('of every bundled clip, to 0.1 s: encoders pad, and readers count the padding differently', async () => {
    const source = { file: 'bundled', text: null };
    const { library } = await readClips([{ ...source, oversized: false }], '.', {
      extensions: uploadExtensions,
      largest: maxUploadBytes,
      recorded: recordedSeconds,
      isConfined: false,
    });
    const clips = library.clipsOf(source);
    expect(clips.length).toBeGreaterThan(5);
    for (const { name, seconds } of clips) {
      const path = fileURLToPath(new URL(`../../../fixtures/speech/${name}`, import.meta.url));
      expect(Math.abs(probe(path) - (seconds ?? 0)), name).toBeLessThan(0.1);
    }
  });
});

it('ffprobe agrees that the Info frame of a second MP3 file in one body is played', async () => {
  const folder = await tempFolder();
  const file = await readFile(new URL('../../../fixtures/speech/station.mp3', import.meta.url));
  expect(file.includes('Info')).toBe(true);
  const [once, twice] = [file, Buffer.concat([file, file])];
  const playedFrames = async (bytes: Buffer): Promise<number> => {
    const path = join(folder, `${bytes.length}.mp3`);
    await writeFile(path, bytes);
    const entries = ['-count_frames', '-show_entries', 'stream=nb_read_frames'];
    return Number(
      execFileSync('ffprobe', ['-v', 'error', ...entries, '-of', 'csv=p=0', path]).toString(),
    );
  };
  // The decoder leaves out the delay of the first encoder; that cancels out.
  const more = (await playedFrames(twice)) - (await playedFrames(once));
  const seconds = scanReads('mp3', twice).seconds - scanReads('mp3', once).seconds;
  expect(seconds).toBeCloseTo((more * 576) / 16_000, 9);
});

it('ffprobe agrees with the duration that the gateway returns and charges, for every format of the clips', async () => {
  const folder = new URL('../../../fixtures/speech/', import.meta.url);
  const files = (await readdir(folder)).filter((name) => /\.(wav|mp3|m4a|ogg|webm)$/.test(name));
  expect(new Set(files.map((name) => extname(name)))).toEqual(
    new Set(['.wav', '.mp3', '.m4a', '.ogg', '.webm']),
  );
  const durations: { name: string; duration: number }[] = [];
  for (const name of files) {
    const form = new FormData();
    form.append('file', new Blob([await readFile(new URL(name, folder))]), name);
    form.append('model', 'weir/whisper');
    form.append('response_format', 'verbose_json');
    const response = await fetch(`${mock.url}/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-weir-test', 'x-request-id': `probe-${name}` },
      body: form,
    });
    const { duration } = (await response.json()) as { duration: number };
    expect(Math.abs(probe(fileURLToPath(new URL(name, folder))) - duration), name).toBeLessThan(
      0.1,
    );
    durations.push({ name, duration });
  }
  const ledger = (await (await fetch(`${mock.controlUrl}/ledger`)).json()) as {
    entries: { requestId: string; micros: number }[];
  };
  for (const { name, duration } of durations) {
    const charge = ledger.entries.find(({ requestId }) => requestId === `probe-${name}`);
    // 0.0001 of the currency for each second (interface section 8), in micro-units.
    expect(charge?.micros, name).toBe(Math.round(duration * 100));
  }
});
