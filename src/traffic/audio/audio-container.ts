import type { SpeechFormat } from '../../model/workload/traffic.ts';
import { mp3HeaderLength, readMp3Frame } from '../../contract/containers.ts';
import { scanMp3 } from './mp3.ts';
import { scanOggOpus } from './ogg-opus.ts';
import { type ContainerScan, Scanner } from './scanner.ts';
import { scanWav, wavSignatures } from './wav.ts';

/**
 * Returns whether the bytes contain `text` at position `start`. If the bytes end within `text`, only the existing bytes
 * are compared.
 */
const matchesText = (bytes: Buffer, text: string, start = 0): boolean =>
  text.startsWith(bytes.toString('latin1', start, start + text.length));

/**
 * Returns whether an MP3 frame begins at the start of the bytes. If the bytes are shorter than a frame's header, only
 * the existing bytes are checked.
 */
const beginsFrame = (bytes: Buffer): boolean => {
  const [sync, kind = 0xe2] = bytes;
  return bytes.length < mp3HeaderLength
    ? sync === 0xff && (kind & 0xe6) === 0xe2
    : readMp3Frame(bytes) !== null;
};

const scans = { mp3: scanMp3, wav: scanWav, opus: scanOggOpus } as const satisfies Record<
  SpeechFormat,
  ContainerScan
>;

export const createScanner = (format: SpeechFormat): Scanner => new Scanner(scans[format]);

type Matches = (bytes: Buffer) => boolean;

/**
 * Each row has a container and a test of a body's first bytes. The format is `null` for a container that no request can
 * ask for, but that some servers send.
 */
const containers: readonly (readonly [SpeechFormat | null, string, Matches])[] = [
  ['mp3', 'MP3', (bytes) => matchesText(bytes, 'ID3') || beginsFrame(bytes)],
  [
    'wav',
    'WAV',
    (bytes) =>
      wavSignatures.some((signature) => matchesText(bytes, signature)) &&
      matchesText(bytes, 'WAVE', 8),
  ],
  ['opus', 'Ogg', (bytes) => matchesText(bytes, 'OggS')],
  [null, 'FLAC', (bytes) => matchesText(bytes, 'fLaC')],
  [null, 'AAC (ADTS)', ([sync, kind = 0]) => sync === 0xff && (kind & 0xf6) === 0xf0],
  [null, 'MP4', (bytes) => matchesText(bytes, 'ftyp', 4)],
  [null, 'WebM', (bytes) => matchesText(bytes, '\x1a\x45\xdf\xa3')],
  [null, 'AIFF', (bytes) => matchesText(bytes, 'FORM') && matchesText(bytes, 'AIF', 8)],
  [null, 'AU', (bytes) => matchesText(bytes, '.snd')],
  [null, 'CAF', (bytes) => matchesText(bytes, 'caff\0\x01')],
  [null, 'AMR', (bytes) => matchesText(bytes, '#!AMR')],
  [null, 'Wave64', (bytes) => matchesText(bytes, 'riff\x2e\x91\xcf\x11')],
];

export const containerName = (format: SpeechFormat): string =>
  containers.find(([candidate]) => candidate === format)![1];

/** The number of first bytes that identify the container of a body. */
export const signatureLength = 12;

/**
 * Identifies the container of a body by its first bytes; returns `null` for an unknown container. A body shorter than
 * `signatureLength` counts as the requested container if its bytes could be the beginning of this container.
 */
export const identifyContainer = (bytes: Buffer, expected: SpeechFormat) => {
  const isShort = bytes.length < signatureLength;
  const candidates = containers.filter(([format]) => !isShort || format === expected);
  const found = candidates.find(([, , matches]) => matches(bytes));
  if (found === undefined) return null;
  const [format, name] = found;
  return { name, format };
};
