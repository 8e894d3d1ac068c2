import { type SpeechFormat, speechFormats } from '../../model/workload/traffic.ts';
import { frameHeaderLength, readMp3Frame, scanMp3 } from './mp3.ts';
import { scanOggOpus } from './ogg-opus.ts';
import { type ContainerScan, Scanner } from './scanner.ts';
import { scanWav } from './wav.ts';

/** Whether the bytes contain `text` at a position, as far as they reach. */
const matchesText = (bytes: Buffer, text: string, start = 0): boolean =>
  text.startsWith(bytes.toString('latin1', start, start + text.length));

/** Whether the bytes start a frame, as far as they reach. */
const beginsFrame = (bytes: Buffer): boolean => {
  const [sync, kind = 0xe2] = bytes;
  return bytes.length < frameHeaderLength
    ? sync === 0xff && (kind & 0xe6) === 0xe2
    : readMp3Frame(bytes) !== null;
};

interface ContainerFormat {
  readonly name: string;
  readonly matches: (bytes: Buffer) => boolean;
  readonly scan: () => ContainerScan;
}

/** The containers that speech can be requested in. */
const containers = {
  mp3: {
    name: 'MP3',
    matches: (bytes) => matchesText(bytes, 'ID3') || beginsFrame(bytes),
    scan: scanMp3,
  },
  wav: {
    name: 'WAV',
    matches: (bytes) => matchesText(bytes, 'RIFF') && matchesText(bytes, 'WAVE', 8),
    scan: scanWav,
  },
  opus: {
    name: 'Ogg',
    matches: (bytes) => matchesText(bytes, 'OggS'),
    scan: scanOggOpus,
  },
} as const satisfies Record<SpeechFormat, ContainerFormat>;

/** The name of a format's container in messages. */
export const containerName = (format: SpeechFormat): string => containers[format].name;

/** A new scanner for one body in a format's container. */
export const createScanner = (format: SpeechFormat): Scanner =>
  new Scanner(containers[format].scan());

/** Other containers that servers send instead. */
const otherContainers: readonly Omit<ContainerFormat, 'scan'>[] = [
  { name: 'FLAC', matches: (bytes) => matchesText(bytes, 'fLaC') },
  { name: 'AAC (ADTS)', matches: ([sync, kind = 0]) => sync === 0xff && (kind & 0xf6) === 0xf0 },
  { name: 'MP4', matches: (bytes) => matchesText(bytes, 'ftyp', 4) },
  { name: 'WebM', matches: (bytes) => matchesText(bytes, '\x1a\x45\xdf\xa3') },
  { name: 'AIFF', matches: (bytes) => matchesText(bytes, 'FORM') && matchesText(bytes, 'AIF', 8) },
  { name: '64-bit WAV', matches: (bytes) => matchesText(bytes, 'RF64') },
];

/** How many of a body's first bytes identify it. */
export const signatureLength = 12;

/** A container identified by its first bytes: of a format, or another known one. */
export interface IdentifiedContainer {
  readonly name: string;
  readonly format: SpeechFormat | null;
}

/**
 * Identifies a body by its first bytes; `null` if unknown. A body shorter than
 * `signatureLength` counts as the requested container if it could start like that.
 */
export const identifyContainer = (
  bytes: Buffer,
  expected: SpeechFormat,
): IdentifiedContainer | null => {
  const isShort = bytes.length < signatureLength;
  const formats = isShort ? [expected] : speechFormats;
  const format = formats.find((candidate) => containers[candidate].matches(bytes));
  if (format !== undefined) return { name: containerName(format), format };
  const other = isShort ? undefined : otherContainers.find(({ matches }) => matches(bytes));
  return other === undefined ? null : { name: other.name, format: null };
};
