import { readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MediaFile, ReadResult } from '../../model/workload/workload.ts';
import { readFileBytes } from './whole-file.ts';

/**
 * The folders with images and recordings that come with Weir. The relative paths are the same in the source and in the
 * built package.
 */
const bundledFolders = ['images', 'speech'].map((name) =>
  fileURLToPath(new URL(`../../../fixtures/${name}/`, import.meta.url)),
);

/** The maximum size of a file, in bytes. Gateways refuse larger files than this. */
const maxBytes = 10 * 1024 * 1024;

/** The formats of files. Each row has the bytes that identify the format, and the offset of these bytes in the file. */
const formats: readonly (readonly [
  contentType: string,
  format: string,
  at: number,
  ...magic: string[],
])[] = [
  ['image/png', 'png', 1, 'PNG'],
  ['image/jpeg', 'jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 'gif', 0, 'GIF8'],
  ['image/webp', 'webp', 8, 'WEBP'],
  ['audio/wav', 'wav', 8, 'WAVE'],
  ['audio/ogg', 'ogg', 0, 'OggS'],
  ['audio/flac', 'flac', 0, 'fLaC'],
  ['audio/mp4', 'm4a', 4, 'ftyp'],
  ['audio/webm', 'webm', 0, '\x1a\x45\xdf\xa3'],
  // An MP3 file starts with a tag or with a frame of layer III.
  [
    'audio/mpeg',
    'mp3',
    0,
    'ID3',
    ...['\xfb', '\xfa', '\xf3', '\xf2', '\xe3', '\xe2'].map((byte) => `\xff${byte}`),
  ],
];

const mediaFileIn = (name: string, path: string): ReadResult<MediaFile> => {
  const refused = (problem: string) => ({ ok: false as const, problem: `${name} ${problem}` });
  const { size } = statSync(path);
  if (size > maxBytes) return refused(`has ${size} bytes: expected at most ${maxBytes}`);
  const bytes = readFileBytes(path);
  const begin = bytes.toString('latin1', 0, 16);
  const found = formats.find(([, , at, ...magic]) =>
    magic.some((word) => begin.startsWith(word, at)),
  );
  if (found === undefined)
    return refused(
      'is neither a picture (png, jpeg, gif, webp) nor a recording (wav, mp3, ogg, flac, m4a, webm)',
    );
  const [contentType, format] = found;
  const kind = contentType.startsWith('image/') ? 'image' : 'audio';
  return { ok: true, value: { kind, contentType, format, base64: bytes.toString('base64') } };
};

const bundledFile = (name: string): ReadResult<MediaFile> => {
  const paths = bundledFolders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => !/\.(mjs|sh|json)$/.test(file))
      .map((file) => [file, resolve(folder, file)] as const),
  );
  const path = new Map(paths).get(name);
  if (path !== undefined) return mediaFileIn(`bundled:${name}`, path);
  const names = paths.map(([file]) => file).join(', ');
  return { ok: false, problem: `bundled:${name} does not come with Weir; there are ${names}` };
};

/**
 * Reads an image or a recording by its reference: `bundled:NAME`, or `file:PATH` with a path relative to `folder`. The
 * content of the file, not its name, determines the type. Throws the system's error if the file cannot be read.
 */
export const readMediaFile = (reference: string, folder: string): ReadResult<MediaFile> => {
  const [, place, name = ''] = /^(bundled|file):(.*)$/s.exec(reference) ?? [];
  if (place === undefined) throw new Error(`${reference} names no file`);
  return place === 'bundled' ? bundledFile(name) : mediaFileIn(reference, resolve(folder, name));
};
