import { type SpeechFormat, speechFormats } from '../model/traffic.ts';
import { frameHeader, readFrame } from './mp3-frame.ts';
import { scanMp3 } from './mp3.ts';
import { scanOggOpus } from './ogg-opus.ts';
import { type ContainerScan, Scanner } from './scanner.ts';
import { scanWav } from './wav.ts';

/** Whether the bytes say `text` at a place, as far as they reach. */
const reads = (bytes: Buffer, text: string, start = 0): boolean =>
  text.startsWith(bytes.toString('latin1', start, start + text.length));

/** Whether the bytes begin a frame, as far as they reach. */
const beginsFrame = (bytes: Buffer): boolean => {
  const [sync, kind = 0xe2] = bytes;
  return bytes.length < frameHeader
    ? sync === 0xff && (kind & 0xe6) === 0xe2
    : readFrame(bytes) !== null;
};

interface Scannable {
  readonly name: string;
  readonly begins: (bytes: Buffer) => boolean;
  readonly scan: () => ContainerScan;
}

/** The containers that speech is asked in. */
const containers = {
  mp3: {
    name: 'MP3',
    begins: (bytes) => reads(bytes, 'ID3') || beginsFrame(bytes),
    scan: scanMp3,
  },
  wav: {
    name: 'WAV',
    begins: (bytes) => reads(bytes, 'RIFF') && reads(bytes, 'WAVE', 8),
    scan: scanWav,
  },
  opus: {
    name: 'Ogg',
    begins: (bytes) => reads(bytes, 'OggS'),
    scan: scanOggOpus,
  },
} as const satisfies Record<SpeechFormat, Scannable>;

/** What a format's container is called in sentences. */
export const containerName = (format: SpeechFormat): string => containers[format].name;

/** A new scanner for one body in a format's container. */
export const scannerFor = (format: SpeechFormat): Scanner => new Scanner(containers[format].scan());

/** What servers send in place of what was asked. */
const others: readonly { readonly name: string; readonly fits: (bytes: Buffer) => boolean }[] = [
  { name: 'FLAC', fits: (bytes) => reads(bytes, 'fLaC') },
  { name: 'AAC (ADTS)', fits: ([sync, kind = 0]) => sync === 0xff && (kind & 0xf6) === 0xf0 },
  { name: 'MP4', fits: (bytes) => reads(bytes, 'ftyp', 4) },
  { name: 'WebM', fits: (bytes) => reads(bytes, '\x1a\x45\xdf\xa3') },
  { name: 'AIFF', fits: (bytes) => reads(bytes, 'FORM') && reads(bytes, 'AIF', 8) },
  { name: '64-bit WAV', fits: (bytes) => reads(bytes, 'RF64') },
];

/** How many of a body's first bytes tell what it is. */
export const tellingBytes = 12;

/** What a body is by its first bytes: in the container of a format, or something else that has a name. */
export interface Container {
  readonly name: string;
  readonly format: SpeechFormat | null;
}

/**
 * What a body is by its first bytes, `null` if they are nobody’s. A body shorter than
 * `tellingBytes` is what was asked for, if it could begin so.
 */
export const identify = (bytes: Buffer, asked: SpeechFormat): Container | null => {
  const isShort = bytes.length < tellingBytes;
  const formats = isShort ? [asked] : speechFormats;
  const format = formats.find((candidate) => containers[candidate].begins(bytes));
  if (format !== undefined) return { name: containerName(format), format };
  const other = isShort ? undefined : others.find(({ fits }) => fits(bytes));
  return other === undefined ? null : { name: other.name, format: null };
};
