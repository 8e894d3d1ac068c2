import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openFolderRendezvous } from './folder-rendezvous.ts';
import { openRendezvous } from './open-rendezvous.ts';
import { rendezvousSuite } from './rendezvous-suite.fixture.ts';

const emptyFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-rendezvous-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

rendezvousSuite('a folder', async () => {
  const folder = join(await emptyFolder(), 'made', 'for it');
  return () => openRendezvous(`file://${encodeURI(folder)}`, {});
});

it('leaves none of its files in its folder, and keeps those of others', async () => {
  const folder = await emptyFolder();
  await writeFile(join(folder, 'notes.txt'), 'mine');
  const rendezvous = await openFolderRendezvous(folder);
  const stop = await rendezvous.answerTime(() => 1);
  await rendezvous.askTime();
  await rendezvous.store('plan', new Uint8Array(9));
  await rendezvous.put('beat', '1');
  await stop();
  await rendezvous.clear();
  expect(await readdir(folder)).toEqual(['notes.txt']);
});

it('answers no question for the time once it is closed, in any of its clocks', async () => {
  const folder = await emptyFolder();
  const rendezvous = await openFolderRendezvous(folder);
  await rendezvous.answerTime(() => 1);
  await rendezvous.answerTime(() => 1);
  expect(await rendezvous.askTime()).toBe(1);
  await rendezvous.close();
  // While a clock looks, it answers a question and removes it.
  await writeFile(join(folder, 'weir-ask-1'), '');
  for (let beat = 0; beat < 40; beat += 1) await rendezvous.put('beat', String(beat));
  expect(await readdir(folder)).toEqual(['weir-ask-1', 'weir-record-beat']);
});

it.each([
  ['http://host/', /expected nats:\/\/HOST:4222/],
  ['/tmp/folder', /or file:\/\/\/FOLDER/],
  ['file://host/folder', /got file:\/\/host\/folder/],
  ['nats://host/a.b', /after the address/],
])('names what an address must be: %s', async (address, message) => {
  await expect(openRendezvous(address, {})).rejects.toThrow(message);
});

it('says of a content whether it is not there, or cannot be read', async () => {
  const folder = await emptyFolder();
  const rendezvous = await openFolderRendezvous(folder);
  const digest = await rendezvous.store('plan', new Uint8Array(9));
  expect(await rendezvous.load('plan', digest)).toHaveLength(9);
  await expect(rendezvous.load('clips', digest)).rejects.toThrow(
    `clips is not in the rendezvous file://${folder}`,
  );
  await mkdir(join(folder, 'weir-content-clips'));
  await expect(rendezvous.load('clips', digest)).rejects.toThrow(
    `the rendezvous file://${folder} cannot be used: `,
  );
});

it('says why a folder cannot be used', async () => {
  const folder = await emptyFolder();
  await writeFile(join(folder, 'file'), '');
  await expect(openRendezvous(`file://${folder}/file/below`, {})).rejects.toThrow(
    /the rendezvous file:.* cannot be used: a part of the path is a file/,
  );
});
