import { fromCompleted, fromAnswer, type Measure, ratePerSecond, span } from './measure.ts';

/** Wall-clock milliseconds for each second of audio; `null` without audio. */
const realTimeFactor = (wallTime: number | null, audioSeconds: number | null): number | null =>
  wallTime === null || audioSeconds === null || audioSeconds <= 0 ? null : wallTime / audioSeconds;

export const audioMeasures = {
  firstAudio: {
    label: 'Time to first audio',
    short: 'First audio',
    unit: 'ms',
    better: 'lower',
    traffic: ['speech'],
    definition: 'From due to the read with the first audio, after the container’s header.',
    of: fromAnswer('speech', (answer, { due }) => span(due, answer.firstAudio)),
  },
  firstByte: {
    label: 'Time to first byte',
    short: 'First byte',
    unit: 'ms',
    better: 'lower',
    traffic: ['speech'],
    definition: 'From sent to the first byte of the body.',
    of: fromAnswer('speech', (answer, { sent }) => span(sent, answer.firstByte)),
  },
  speechFactor: {
    label: 'Real-time factor of speech',
    short: 'RTF speech',
    unit: 'ms/s',
    better: 'lower',
    traffic: ['speech'],
    definition:
      'From sent to ended, for each second of received audio: 1,000 ms/s is real time, a factor of 1.',
    of: fromAnswer('speech', ({ audioSeconds }, { sent, ended }) =>
      realTimeFactor(span(sent, ended), audioSeconds),
    ),
  },
  speakingSpeed: {
    label: 'Characters per second',
    short: 'Characters/s',
    unit: 'characters/s',
    better: 'higher',
    traffic: ['speech'],
    definition: 'Characters of the text / time from sent to ended.',
    of: fromAnswer('speech', ({ characters }, { sent, ended }) =>
      ratePerSecond(characters, span(sent, ended)),
    ),
  },
  transcriptionFactor: {
    label: 'Real-time factor of transcription',
    short: 'RTF transcr.',
    unit: 'ms/s',
    better: 'lower',
    traffic: ['transcription'],
    definition:
      'From sent to ended, for each second of uploaded audio: 1,000 ms/s is real time, a factor of 1.',
    of: fromAnswer('transcription', ({ audioSeconds }, { sent, ended }) =>
      realTimeFactor(span(sent, ended), audioSeconds),
    ),
  },
  wordErrorRate: {
    label: 'Word error rate',
    short: 'Word errors',
    unit: '%',
    better: 'lower',
    traffic: ['transcription'],
    definition:
      'Words inserted, deleted or replaced / words of the true text, ignoring case and punctuation; absent if that text is unknown.',
    of: fromAnswer('transcription', ({ words }) =>
      words === null || words.expected === 0 ? null : (words.wrong / words.expected) * 100,
    ),
  },
  speechSeconds: {
    label: 'Audio received',
    short: 'Audio received',
    unit: 's',
    better: 'neither',
    traffic: ['speech'],
    definition: 'Length of the audio, decoded from its container.',
    of: fromAnswer('speech', ({ audioSeconds }) => audioSeconds),
  },
  clipSeconds: {
    label: 'Audio sent',
    short: 'Audio sent',
    unit: 's',
    better: 'neither',
    traffic: ['transcription'],
    definition: 'Length of the uploaded clip, decoded from its container.',
    of: fromAnswer('transcription', ({ audioSeconds }) => audioSeconds),
  },
  characters: {
    label: 'Characters spoken',
    short: 'Characters',
    unit: 'characters',
    better: 'neither',
    traffic: ['speech'],
    definition: 'Unicode characters of the text.',
    of: fromAnswer('speech', ({ characters }) => characters),
  },
  speechBytes: {
    label: 'Bytes of audio',
    short: 'Bytes',
    unit: 'bytes',
    better: 'neither',
    traffic: ['speech'],
    definition: 'Bytes of the body.',
    of: fromAnswer('speech', ({ bytes }) => bytes),
  },
  cost: {
    label: 'Cost',
    short: 'Cost',
    unit: 'µ',
    better: 'lower',
    traffic: ['chat', 'chat-stream', 'speech', 'transcription'],
    definition:
      'Millionths of the currency for each completed answer, from the interface’s constants and the scenario’s prices; absent if a price or a count is unknown.',
    of: fromCompleted((_, answer) => ('cost' in answer ? answer.cost : null)),
  },
} as const satisfies Record<string, Measure>;
