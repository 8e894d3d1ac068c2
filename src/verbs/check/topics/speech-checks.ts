import { speechContentTypes } from '../../../contract/audio.ts';
import type { SpeechFormat } from '../../../model/workload/traffic.ts';
import { charactersIn } from '../../../model/workload/characters.ts';
import {
  containerName,
  createScanner,
  identifyContainer,
  signatureLength,
} from '../../../traffic/audio/audio-container.ts';
import type { ScanResult } from '../../../traffic/audio/scanner.ts';
import type { CheckAnswer } from '../reading/check-answer.ts';
import {
  type Answers,
  type Check,
  type CheckCase,
  checksOf,
  type CheckTarget,
  deviation,
  type Judged,
  open,
  pass,
  unchecked,
  violation,
} from '../reading/check-case.ts';
import { judgeAccepted, judgeRefused } from '../reading/judge-answer.ts';
import { jsonRequest } from './check-requests.ts';

/** This file checks text-to-speech: the status, container and length of the audio (interface, sections 2.8 and 4.3). */

const { caseOf, checkOf, checkAcross } = checksOf('speech');

const spoken = 'The river rises slowly behind the old weir this morning.';

const speechWith =
  (fields: Readonly<Record<string, unknown>>) =>
  ({ speech: model, voice }: CheckTarget) =>
    model === null ? null : jsonRequest('speech', { model, input: spoken, voice, ...fields });

const variants: readonly {
  readonly id: string;
  readonly format: SpeechFormat;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly row: string;
}[] = [
  { id: 'speech-default', format: 'mp3', fields: {}, row: '4.3.response_format' },
  { id: 'speech-wav', format: 'wav', fields: { response_format: 'wav' }, row: '4.3.response' },
  { id: 'speech-opus', format: 'opus', fields: { response_format: 'opus' }, row: '4.3.response' },
  {
    id: 'speech-fast',
    format: 'wav',
    fields: { response_format: 'wav', speed: 2 },
    row: '4.3.speed',
  },
  {
    id: 'speech-mp3',
    format: 'mp3',
    fields: { response_format: 'mp3', speed: 0.5 },
    row: '4.3.speed',
  },
];

const accepted = variants.map(({ id, fields, row }) => {
  const words = Object.entries(fields).map(([name, value]) => `${name} ${String(value)}`);
  return caseOf(
    {
      id,
      rows: [row, '4.3.model', '4.3.input', '4.3.voice', '7.200'],
      expected: `200 for speech ${words.length === 0 ? 'without options' : `with ${words.join(' and ')}`}`,
      cost: { characters: charactersIn(spoken) },
      build: speechWith(fields),
    },
    judgeAccepted,
  );
});

const wrong: Readonly<Record<string, readonly [row: string, says: string, fields: object]>> = {
  'speech-no-input': ['4.3.input', 'no input', { input: undefined }],
  'speech-no-voice': ['4.3.voice', 'no voice', { voice: undefined }],
  'speech-no-model': ['4.3.model', 'no model', { model: undefined }],
  'speech-unknown-voice': ['4.3.voice', 'the voice alloy', { voice: 'alloy' }],
  'speech-format': ['4.3.response_format', 'response_format weir', { response_format: 'weir' }],
  'speech-speed': ['4.3.speed', 'speed "fast"', { speed: 'fast' }],
};

const refused = Object.entries(wrong).map(([id, [row, says, fields]]) =>
  caseOf(
    {
      id,
      rows: [row, '7.400'],
      expected: `400 for speech with ${says}`,
      build: speechWith({ ...fields }),
    },
    judgeRefused(400),
  ),
);

const scanned = new WeakMap<CheckAnswer, ScanResult>();

const scanOf = (answer: CheckAnswer, format: SpeechFormat): ScanResult => {
  const before = scanned.get(answer);
  if (before !== undefined) return before;
  const scanner = createScanner(format);
  scanner.feed(answer.received.body);
  const scan = scanner.end();
  scanned.set(answer, scan);
  return scan;
};

const containerOf = ({ received: { body } }: CheckAnswer, format: SpeechFormat) =>
  identifyContainer(body.subarray(0, signatureLength), format);

const judgeContainer = (answer: CheckAnswer, format: SpeechFormat): Judged => {
  const { body } = answer.received;
  if (body.length === 0) return violation('the body is empty');
  const wanted = containerName(format);
  const found = containerOf(answer, format);
  if (found === null) return violation(`${body.length} bytes in no known container`);
  if (found.format !== format) return violation(`the body is ${found.name}`);
  const { fault, seconds } = scanOf(answer, format);
  if (fault !== null) return violation(`the ${wanted} file is damaged: ${fault.detail}`);
  return seconds > 0
    ? pass(`${wanted}, ${seconds.toFixed(2)} s in ${body.length} bytes`)
    : violation(`the ${wanted} file has no audio`);
};

/** Returns the length of the audio in seconds; `null` if the audio cannot be read. */
const secondsOf = (answer: CheckAnswer, format: SpeechFormat): number | null => {
  if (containerOf(answer, format)?.format !== format) return null;
  const { seconds, fault } = scanOf(answer, format);
  return fault === null && seconds > 0 ? seconds : null;
};

/** The bounds of plausible speech, in characters per second. The bounds are wide enough for people and machines. */
const pace = { slowest: 5, fastest: 40 };

const judgePace = (answer: CheckAnswer, format: SpeechFormat): Judged => {
  const seconds = secondsOf(answer, format);
  if (seconds === null) return unchecked('the audio cannot be read');
  const rate = charactersIn(spoken) / seconds;
  const observed = `${seconds.toFixed(2)} s for ${charactersIn(spoken)} characters`;
  return rate >= pace.slowest && rate <= pace.fastest
    ? pass(observed)
    : deviation('odd-length', observed);
};

const labels = {
  mp3: [speechContentTypes.mp3, 'audio/mp3', 'audio/mpeg3', 'audio/x-mpeg', 'audio/x-mp3'],
  wav: [speechContentTypes.wav, 'audio/wave', 'audio/x-wav', 'audio/vnd.wave'],
  opus: [speechContentTypes.opus, 'audio/opus', 'application/ogg'],
} as const satisfies Record<SpeechFormat, readonly string[]>;

/**
 * Judges the content type. The specification does not define the content type of speech. A wrong content type is a
 * known deviation.
 */
const judgeLabel = (answer: CheckAnswer, format: SpeechFormat): Judged => {
  const label = answer.contentType;
  if ((labels[format] as readonly string[]).includes(label)) return pass(label);
  if (label === '' || label.endsWith('/octet-stream')) return open(label || 'no content type');
  return deviation('mislabelled-speech', `${format} audio as ${answer.quote(label)}`);
};

const audioChecks = variants.flatMap(({ id, format }) => [
  checkOf(
    `${id}.container`,
    ['2.8.audio', '4.3.response'],
    `a whole ${containerName(format)} file`,
    (answer) => judgeContainer(answer, format),
  ),
  checkOf(`${id}.content-type`, ['4.3.type'], `a content type of ${format}, or none`, (answer) =>
    judgeLabel(answer, format),
  ),
]);

const paceCheck = checkOf(
  'speech-wav.length',
  ['4.3.input', '2.8.audio'],
  `${pace.slowest} to ${pace.fastest} characters a second`,
  (answer) => judgePace(answer, 'wav'),
);

/**
 * Two speeches of one text count as equally long if the ratio of their lengths lies within these bounds. Speech models
 * vary by a fifth.
 */
const alike = { least: 0.6, most: 1.67 };

/**
 * Compares the length of a speech, at some speed and in some format, with the length of the same text in WAV at speed
 * 1.
 */
const judgeLength = (
  answers: Answers,
  { id, format }: (typeof variants)[number],
  speed: number,
  [beside, name]: readonly [beside: string, name: string],
): Judged => {
  const length = secondsOf(answers.of(id)!, format);
  const reference = secondsOf(answers.of('speech-wav')!, 'wav');
  if (length === null || reference === null) return unchecked('the audio cannot be read');
  const observed = `${length.toFixed(2)} s, and ${reference.toFixed(2)} s ${beside}`;
  const ratio = (length / reference) * speed;
  return ratio >= alike.least && ratio <= alike.most ? pass(observed) : deviation(name, observed);
};

const lengthChecks = variants
  .filter(({ id }) => id !== 'speech-wav')
  .map((variant): Check => {
    const { id, fields } = variant;
    const reads = { needs: ['speech-wav', id] };
    const { speed } = fields;
    return typeof speed !== 'number'
      ? checkAcross(
          `${id}.same-length`,
          ['2.8.audio', '4.3.response_format'],
          'the same text is about as long as in WAV',
          (answers) => judgeLength(answers, variant, 1, ['in WAV', 'other-length']),
          reads,
        )
      : checkAcross(
          `${id}.speed`,
          ['4.3.speed'],
          `at speed ${speed} the text takes about 1/${speed} of its time`,
          (answers) => judgeLength(answers, variant, speed, ['at speed 1', 'other-speed']),
          reads,
        );
  });

export const speechCases: readonly CheckCase[] = [...accepted, ...refused];

export const speechChecks: readonly Check[] = [
  ...speechCases.map(({ check }) => check),
  ...audioChecks,
  paceCheck,
  ...lengthChecks,
];
