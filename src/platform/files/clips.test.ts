// @gate 1 s
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClipRequest, readClips } from './clips.ts';

const rules = {
  extensions: ['mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'wav', 'webm', 'ogg'],
  largest: 26_214_400,
  recorded: () => null,
  isConfined: false,
};
const order = (file: string, parts: Partial<ClipRequest> = {}): ClipRequest => ({
  file,
  text: null,
  oversized: false,
  ...parts,
});
const speech = 'fixtures/speech';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'weir-clips-'));
});
afterAll(async () => {
  await rm(home, { recursive: true });
});

const put = async (name: string, content: string | Uint8Array): Promise<string> => {
  await writeFile(join(home, name), content);
  return name;
};
const problemOf = async (...orders: readonly ClipRequest[]): Promise<string> => {
  const { faults } = await readClips(orders, home, rules);
  expect(faults.length).toBeGreaterThan(0);
  expect(orders).toEqual(expect.arrayContaining(faults.map(({ request }) => request)));
  return faults.map(({ message }) => message.replaceAll(home, 'HOME')).join('\n');
};

describe('clips', () => {
  it('are read with their bytes, content type, length and text', async () => {
    const source = order('gate.wav', { text: 'The gate is open.' });
    const { library } = await readClips([source], speech, rules);
    expect(library.clipsOf(source)).toEqual([
      {
        name: 'gate.wav',
        bytes: await readFile(join(speech, 'gate.wav')),
        contentType: 'audio/wav',
        seconds: 9705 / 8000,
        text: 'The gate is open.',
      },
    ]);
  });

  it('come from a manifest with its texts, and with the durations of the files themselves', async () => {
    const source = order('manifest.json', { text: 'not this' });
    const clips = (await readClips([source], speech, rules)).library.clipsOf(source);
    const manifest = JSON.parse(await readFile(join(speech, 'manifest.json'), 'utf8')) as {
      readonly clips: readonly { file: string; text: string; seconds: number }[];
    };
    expect(clips.map(({ name, text }) => ({ file: name, text }))).toEqual(
      manifest.clips.map(({ file, text }) => ({ file, text })),
    );
    for (const [index, { seconds }] of clips.entries()) {
      expect(Math.abs(seconds! - manifest.clips[index]!.seconds)).toBeLessThan(0.1);
    }
    expect(clips[1]).toMatchObject({ contentType: 'audio/ogg', seconds: 1.61575 });
  });

  it('are available from Weir as "bundled", wherever the scenario is', async () => {
    const { library } = await readClips([order('bundled')], home, rules);
    const bundled = library.clipsOf(order('bundled'));
    expect(bundled).toHaveLength(9);
    const source = order('manifest.json');
    const measured = (await readClips([source], speech, rules)).library.clipsOf(source);
    expect(bundled.map(({ seconds }) => seconds)).toEqual(
      measured.map(({ seconds }) => expect.closeTo(seconds!, 4)),
    );
  });

  it('have the text of the source that names them, and share their bytes', async () => {
    const [one, two] = [order('gate.wav', { text: 'one' }), order('gate.wav', { text: 'two' })];
    const { library } = await readClips([one, two], speech, rules);
    const [first, second] = [library.clipsOf(one)[0]!, library.clipsOf(two)[0]!];
    expect([first.text, second.text]).toEqual(['one', 'two']);
    expect(first.bytes).toBe(second.bytes);
  });

  it('have no known duration if they are not audio, regardless of their name', async () => {
    const source = order(await put('noise.MP3', 'no audio at all'));
    const [clip] = (await readClips([source], home, rules)).library.clipsOf(source);
    expect(clip).toMatchObject({ name: 'noise.MP3', contentType: 'audio/mpeg', seconds: null });
    const cut = (await readFile(join(speech, 'answer.ogg'))).subarray(0, 200);
    const cutSource = order(await put('cut.ogg', cut));
    const { library: cutShelf } = await readClips([cutSource], home, rules);
    expect(cutShelf.clipsOf(cutSource)[0]!.seconds).toBeNull();
  });

  it('are as long as their blocks if their header declares no duration, as a browser records', async () => {
    // A WebM of MediaRecorder: its header, a segment of unknown size, one cluster with a block.
    const webm = Buffer.from(
      '1a45dfa3830000001853806701ffffffffffffff1f43b6758ce7820000a38781000080010203',
      'hex',
    );
    const source = order(await put('live.webm', webm));
    for (const [counted, seconds] of [
      [{ seconds: 2.5, isFinal: false }, 2.5],
      [{ seconds: 0, isFinal: false }, null],
      [null, null],
    ] as const) {
      const { library } = await readClips([source], home, { ...rules, recorded: () => counted });
      expect(library.clipsOf(source)[0]!.seconds).toBe(seconds);
    }
  });
});

describe('a clip that cannot be used', () => {
  it('is one byte over the limit, unless its entry allows that', async () => {
    const file = await put('large.wav', 'RIFF');
    await truncate(join(home, file), rules.largest);
    const { library: atLimit } = await readClips([order(file)], home, rules);
    expect(atLimit.clipsOf(order(file))[0]!.bytes).toHaveLength(rules.largest);
    await truncate(join(home, file), rules.largest + 1);
    expect(await problemOf(order(file))).toMatchInlineSnapshot(
      `"the clip HOME/large.wav has 26214401 bytes, but the interface accepts at most 26214400: choose a shorter one, or set \`oversized: true\` to send it and see it refused"`,
    );
    const asked = order(file, { oversized: true });
    const { library } = await readClips([asked], home, rules);
    expect(library.clipsOf(asked)[0]!.bytes).toHaveLength(rules.largest + 1);
    expect(await problemOf(asked, order(file))).toMatch(/26214401 bytes/);
  });

  it('is shorter than its header declares by more than its last block', async () => {
    const source = order('station.mp3');
    const readAs = (seconds: number) =>
      readClips([source], speech, {
        ...rules,
        recorded: () => ({ seconds, isFinal: false }),
        isConfined: false,
      });
    const [cut] = (await readAs(1.8)).faults;
    expect(cut!.message.replace(resolve(speech), 'HERE')).toMatchInlineSnapshot(
      `"the clip HERE/station.mp3 is truncated: its header declares 3.71 s of audio, but it contains 1.80 s. Copy it again, or convert it so that its header is correct"`,
    );
    for (const [recorded, seconds] of [
      [3.5, 3.708],
      [7.452, 7.452],
    ] as const) {
      expect((await readAs(recorded)).library.clipsOf(source)[0]!.seconds).toBe(seconds);
    }
  });

  it('is as long as what it contains if its header declares nothing', async () => {
    const file = await put('live.webm', 'no header');
    const lengthOf = async (seconds: number | null) => {
      const { library } = await readClips([order(file)], home, {
        ...rules,
        recorded: () => (seconds === null ? null : { seconds, isFinal: false }),
      });
      return library.clipsOf(order(file))[0]!.seconds;
    };
    expect(await lengthOf(6.001)).toBe(6.001);
    expect(await lengthOf(0)).toBeNull();
    expect(await lengthOf(null)).toBeNull();
  });
});
