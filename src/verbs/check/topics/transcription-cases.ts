import { maxUploadBytes } from '../../../contract/audio.ts';
import type { CheckAnswer } from '../reading/check-answer.ts';
import {
  type CheckCase,
  type CheckRequest,
  checksOf,
  type CheckTarget,
  deviation,
  type Judged,
  unchecked,
} from '../reading/check-case.ts';
import { judgeAccepted, judgeAcceptedJson, judgeRefused } from '../reading/judge-answer.ts';
import { transcriptionForm } from './check-requests.ts';

/** This file contains the uploads of the checks (interface, section 4.4). */

const { caseOf } = checksOf('transcription');

/**
 * Each format of transcripts has the fields that request it, and the further rows of the specification that such a
 * transcript shows.
 */
const formats: Readonly<
  Record<
    string,
    {
      readonly fields: readonly (readonly [name: string, value: string])[];
      readonly rows: readonly string[];
    }
  >
> = {
  json: { fields: [], rows: [] },
  text: {
    fields: [
      ['response_format', 'text'],
      ['language', 'en'],
    ],
    rows: ['4.4.language', '2.7.plain'],
  },
  srt: { fields: [['response_format', 'srt']], rows: ['2.7.plain'] },
  vtt: { fields: [['response_format', 'vtt']], rows: ['2.7.plain'] },
  verbose: {
    fields: [
      ['response_format', 'verbose_json'],
      ['timestamp_granularities[]', 'segment'],
      ['timestamp_granularities[]', 'word'],
    ],
    rows: ['4.4.granularities', '2.7.verbose'],
  },
};

export const transcriptId = (format: string): string => `transcription-${format}`;

const inFormats = Object.entries(formats).map(([format, { fields, rows }]) =>
  caseOf(
    {
      id: transcriptId(format),
      rows: [
        '4.4.response_format',
        ...rows,
        '4.4.response',
        '4.4.file',
        '4.4.model',
        '4.form',
        '7.200',
      ],
      expected: `200 for a transcription ${fields.length === 0 ? 'without options' : `with ${fields.map(([name, value]) => `${name} ${value}`).join(' and ')}`}`,
      cost: { audioSeconds: 10 },
      build: (target) => transcriptionForm(target, { fields }),
    },
    format === 'json' || format === 'verbose' ? judgeAcceptedJson : judgeAccepted,
  ),
);

/** The language that one upload names. The answer must name the same language. */
export const namedLanguage = { upload: 'upload-mp3', code: 'en' } as const;

/** Uploads of recordings in other containers, by file extension. */
const inContainers = ['mp3', 'wav', 'webm'].map((extension) =>
  caseOf(
    {
      id: `upload-${extension}`,
      rows: ['4.4.file', '7.200'],
      expected: `200 for a transcription of a file .${extension}`,
      cost: { audioSeconds: 10 },
      build: (target) => {
        const clip = target.otherClips.find(({ name }) => name.endsWith(`.${extension}`));
        const isNamed = `upload-${extension}` === namedLanguage.upload;
        const fields = isNamed ? [['language', namedLanguage.code] as const] : [];
        return clip === undefined ? null : transcriptionForm(target, { clip, fields });
      },
    },
    judgeAccepted,
  ),
);

/** Returns a file of 25 MiB and one byte. Such a file is too large, whether 25 MB means megabytes or mebibytes. */
const hugeClip = ({ clip }: CheckTarget) => ({
  ...clip,
  bytes: Buffer.concat([clip.bytes, Buffer.alloc(maxUploadBytes + 1 - clip.bytes.length)]),
});

const textClip = { name: 'notes.txt', contentType: 'text/plain', bytes: Buffer.from('No audio.') };

const refusedCase = (
  id: string,
  row: string,
  what: string,
  build: CheckRequest['build'],
): CheckCase =>
  caseOf(
    { id, rows: [row, '7.400'], expected: `400 for a transcription with ${what}`, build },
    judgeRefused(400),
  );

const refused: readonly CheckCase[] = [
  refusedCase('transcription-no-file', '4.4.file', 'no file', (target) =>
    transcriptionForm(target, { part: 'weir' }),
  ),
  refusedCase('transcription-no-model', '4.4.model', 'no model', (target) =>
    transcriptionForm(target, { hasModel: false }),
  ),
  refusedCase('transcription-format', '4.4.response_format', 'response_format weir', (target) =>
    transcriptionForm(target, { fields: [['response_format', 'weir']] }),
  ),
  refusedCase('transcription-txt', '4.4.file', 'a file .txt', (target) =>
    transcriptionForm(target, { clip: textClip }),
  ),
  refusedCase('broken-form', '4.form', 'a form that ends in its middle', (target) => {
    const whole = transcriptionForm(target, {});
    return whole === null ? null : { ...whole, body: whole.body!.subarray(0, 180) };
  }),
];

/** In these ways, a server may end a connection on which too much is sent. The server's answer is then lost. */
const endedConnection: readonly string[] = ['reset', 'closed-early', 'closed-on-reuse'];

const judgeUpload = (answer: CheckAnswer): Judged => {
  const cause = answer.received.failure?.cause ?? '';
  if (answer.status !== null) return judgeRefused(413, 400)(answer);
  if (endedConnection.includes(cause))
    return deviation(
      'ended-upload',
      `the connection was ended during the upload (${answer.summary})`,
    );
  // The connection from this machine to the gateway may be slow, so a missed deadline proves nothing.
  return cause.startsWith('deadline')
    ? unchecked(
        `25 MiB were not sent and answered in time (${answer.summary}); --timeout allows more`,
      )
    : judgeRefused(413, 400)(answer);
};

const tooLarge = caseOf(
  {
    id: 'transcription-too-large',
    rows: ['4.4.size', '8.size', '7.413', '7.400'],
    expected: '413 or 400 for a file of 25 MB and one byte',
    build: (target) => transcriptionForm(target, { clip: hugeClip(target) }),
  },
  judgeUpload,
);

export const transcriptionCases: readonly CheckCase[] = [
  ...inFormats,
  ...inContainers,
  ...refused,
  tooLarge,
];
