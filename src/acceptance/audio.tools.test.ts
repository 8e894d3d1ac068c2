import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uploadExtensions, uploadLimit } from '../contract/audio.ts';
import { realClock } from '../mock/real-clock.ts';
import { type Mock, startMock } from '../mock/start.ts';
import { drawFrom } from '../model/draw.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import { type SpeechFormat, speechFormats } from '../model/traffic.ts';
import { readClips } from '../platform/clips.ts';
import { freshMemory } from '../traffic/kind.ts';
import { prepare } from '../traffic/kinds.ts';
import { contextWith } from '../traffic/replay.ts';
import { tempFolder, tidyAfterEach } from './weir-process.ts';

tidyAfterEach();

/** What ffprobe, an independent reader, says of a file's length in seconds. */
const probe = (path: string): number =>
  Number(
    execFileSync('ffprobe', [
      ...['-v', 'error', '-show_entries', 'format=duration'],
      ...['-of', 'default=noprint_wrappers=1:nokey=1', path],
    ]).toString(),
  );

/** How far the container itself may be off: an MP3 frame; the pre-skip of Opus, which ffprobe counts. */
const slack: Record<SpeechFormat, number> = { wav: 0.001, mp3: 0.025, opus: 0.007 };

const texts = ['Yes.', 'The keeper opens the gate at dawn.', 'A long story. '.repeat(60)];

let mock: Mock;
beforeAll(async () => {
  const delays = { base: milliseconds(0), perCharacter: milliseconds(0) };
  mock = await startMock({ speech: delays }, realClock());
});
afterAll(() => mock.close());

/** The bytes that the gateway speaks, and the seconds that Weir reads out of them. */
const spoken = async (text: string, format: SpeechFormat) => {
  const entry = { kind: 'speech', weight: 1, model: 'weir-tts', texts: [text], format } as const;
  const { request, read } = prepare(
    { ...entry, texts: [text], voice: 'Emily.wav', speed: null, body: {} },
    { draw: drawFrom(1), memory: freshMemory(), clips: { clipsOf: () => [] } },
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

describe('ffprobe agrees with the length that Weir states', () => {
  it.each(speechFormats)('of speech in %s', async (format) => {
    const folder = await tempFolder();
    for (const [index, text] of texts.entries()) {
      const { bytes, seconds } = await spoken(text, format);
      const path = join(folder, `${index}.${format}`);
      await writeFile(path, bytes);
      expect(Math.abs(probe(path) - seconds)).toBeLessThanOrEqual(slack[format]);
    }
  });

  it('of every clip that comes with it, to 0.1 s: encoders pad, and the readers count that differently', async () => {
    const source = { file: 'bundled', text: null };
    const shelf = await readClips([{ ...source, oversized: false }], '.', {
      extensions: uploadExtensions,
      largest: uploadLimit,
    });
    const clips = shelf.clipsOf(source);
    expect(clips.length).toBeGreaterThan(5);
    for (const { name, seconds } of clips) {
      const path = fileURLToPath(new URL(`../../fixtures/speech/${name}`, import.meta.url));
      expect(Math.abs(probe(path) - (seconds ?? 0)), name).toBeLessThan(0.1);
    }
  });
});
