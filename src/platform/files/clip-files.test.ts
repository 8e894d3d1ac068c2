import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClipRequest, readClips } from './clips.ts';

const rules = {
  extensions: ['mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'wav', 'webm', 'ogg'],
  largest: 1_000_000,
  recorded: () => ({ seconds: 1.8, isFinal: true }),
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

/** The durations of these clips are known from their content, so that no header is read. */
describe('clips whose content says how long they are', () => {
  it('have a name, bytes and a content type, and the text of the source that names them', async () => {
    const [one, two] = [order('gate.wav', { text: 'one' }), order('gate.wav', { text: 'two' })];
    const { library, faults } = await readClips([one, two], speech, rules);
    expect(faults).toEqual([]);
    const [first, second] = [library.clipsOf(one)[0]!, library.clipsOf(two)[0]!];
    expect(first).toEqual({
      name: 'gate.wav',
      bytes: await readFile(join(speech, 'gate.wav')),
      contentType: 'audio/wav',
      seconds: 1.8,
      text: 'one',
    });
    expect(second.text).toBe('two');
    expect(second.bytes).toBe(first.bytes);
  });

  it('come from a manifest in the folder of the manifest, and are measured', async () => {
    await mkdir(join(home, 'below'));
    await put('below/one.OGG', 'one');
    await put('below/two.xyz', 'two');
    const clips = [
      { file: 'one.OGG', text: 'One.', seconds: 99 },
      { file: 'two.xyz', seconds: -1 },
    ];
    const source = order(await put('below/list.JSON', JSON.stringify({ clips })), { text: 'no' });
    const { library, faults } = await readClips([source], home, {
      ...rules,
      extensions: ['ogg', 'xyz'],
    });
    expect(faults).toEqual([]);
    expect(library.clipsOf(source)).toEqual([
      {
        name: 'one.OGG',
        bytes: Buffer.from('one'),
        contentType: 'audio/ogg',
        seconds: 1.8,
        text: 'One.',
      },
      {
        name: 'two.xyz',
        bytes: Buffer.from('two'),
        contentType: 'application/octet-stream',
        seconds: 1.8,
        text: null,
      },
    ]);
  });

  it('are available from Weir as "bundled", with the durations of its manifest', async () => {
    const { library } = await readClips([order('bundled')], home, rules);
    const clips = library.clipsOf(order('bundled'));
    expect(clips).toHaveLength(9);
    expect(clips[0]).not.toMatchObject({ seconds: 1.8 });
  });

  it('may be in the scenario’s folder only, also those of a manifest, where that is asked for', async () => {
    await mkdir(join(home, 'confined'));
    await put('one.wav', 'one');
    await put('confined/in.wav', 'in');
    const outside = await put('confined/list.json', '{"clips": [{"file": "../one.wav"}]}');
    const read = async (file: string, isConfined: boolean) => {
      const confined = { ...rules, isConfined };
      return (await readClips([order(file)], join(home, 'confined'), confined)).faults.length;
    };
    const files = ['in.wav', '../one.wav', join(home, outside)];
    expect(await Promise.all(files.map((file) => read(file, true)))).toEqual([0, 1, 1]);
    expect(await Promise.all(files.map((file) => read(file, false)))).toEqual([0, 0, 0]);
  });

  it('have at most the size of the rules, unless a request allows more', async () => {
    const small = { ...rules, largest: 5 };
    const [five, six] = [await put('five.wav', '12345'), await put('six.wav', '123456')];
    const oversized = order(six, { oversized: true });
    const tooLarge = order(six, { text: 'the same without leave' });
    const { library, faults } = await readClips([order(five), oversized, tooLarge], home, small);
    expect(library.clipsOf(oversized)[0]!.bytes).toHaveLength(6);
    expect(faults).toEqual([
      {
        request: tooLarge,
        message: `the clip ${join(home, six)} has 6 bytes, but the interface accepts at most 5: choose a shorter one, or set \`oversized: true\` to send it and see it refused`,
      },
    ]);
  });

  it('are empty if no source is given', async () => {
    const { library } = await readClips([], home, rules);
    expect(() => library.clipsOf(order('gate.wav'))).toThrow(/no clips were read for gate.wav/);
  });
});

describe('a clip that cannot be used', () => {
  it('is reported with what to do', async () => {
    await mkdir(join(home, 'folder.wav'));
    const orders = [
      order('missing.wav'),
      order('folder.wav'),
      order(await put('empty.wav', '')),
      order(await put('song.flac', 'fLaC')),
    ];
    const problems: string[] = [];
    for (const each of orders) problems.push(await problemOf(each));
    expect(problems.join('\n')).toMatchInlineSnapshot(`
      "the clip HOME/missing.wav cannot be read: there is no such file. Give a path from the scenario’s folder, or use \`bundled\` for the speech that comes with Weir
      the clip HOME/folder.wav cannot be read: it is a folder. Give a path from the scenario’s folder, or use \`bundled\` for the speech that comes with Weir
      the clip HOME/empty.wav is empty: give a recording
      the clip HOME/song.flac cannot be uploaded: expected a file of type mp3, mp4, mpeg, mpga, m4a, wav, webm, ogg, or a manifest (.json); convert it first"
    `);
    expect(await problemOf(...orders)).toBe(problems.join('\n'));
  });

  it('is refused if its container ends before it should, whatever the header declares', async () => {
    const file = await put('keeper.m4a', 'x');
    const { faults } = await readClips([order(file)], home, {
      ...rules,
      recorded: () => ({ seconds: 0, isFinal: false, isCut: true }),
    });
    expect(faults[0]!.message).toMatch(
      /keeper\.m4a is truncated: its container declares more bytes/,
    );
  });

  it('is as long as its content says where that is final, whatever its header declares', async () => {
    const source = order('station.mp3');
    const recorded = () => ({ seconds: 1.8, isFinal: true });
    const { library, faults } = await readClips([source], speech, {
      ...rules,
      recorded,
      isConfined: false,
    });
    expect(faults).toEqual([]);
    expect(library.clipsOf(source)[0]!.seconds).toBe(1.8);
  });

  it('is named when a manifest lists it, with all other such clips', async () => {
    const clips = [{ file: 'missing.wav' }, { file: 'song.flac' }];
    const file = await put('list.json', JSON.stringify({ clips }));
    expect(await problemOf(order(file))).toMatch(
      /^the clip HOME\/missing\.wav cannot be read.*\nthe clip HOME\/song\.flac cannot be uploaded/,
    );
  });

  it.each([
    ['is not JSON', '{', /^the manifest of clips HOME\/bad\.json is not JSON: expected/],
    ['has no clips', '{"clips": []}', /has the wrong form: expected/],
    ['names no file', '{"clips": [{"text": "x"}]}', /check clips\.0\.file$/],
  ])('is one of a manifest that %s', async (_, text, message) => {
    expect(await problemOf(order(await put('bad.json', text)))).toMatch(message);
  });
});
