import { measuresOf, type Measure, ratePerSecond, span } from './measure.ts';

const speech = measuresOf('speech');
const transcription = measuresOf('transcription');
const priced = measuresOf('chat', 'chat-stream', 'speech', 'transcription');

/** Wall-clock milliseconds for each second of audio; `null` without audio. */
const realTimeFactor = (wallTime: number | null, audioSeconds: number | null): number | null =>
  wallTime === null || audioSeconds === null || audioSeconds <= 0 ? null : wallTime / audioSeconds;

export const audioMeasures = {
  firstAudio: speech(
    ['Time to first audio', 'First audio', 'ms', 'lower'],
    'From due to the read with the first audio, after the container’s header.',
    (answer, { due }) => span(due, answer.firstAudio),
  ),
  firstByte: speech(
    ['Time to first byte', 'First byte', 'ms', 'lower'],
    'From sent to the first byte of the body.',
    (answer, { sent }) => span(sent, answer.firstByte),
  ),
  speechFactor: speech(
    ['Real-time factor of speech', 'RTF speech', 'ms/s', 'lower'],
    'From sent to ended, for each second of received audio: 1,000 ms/s is real time, a factor of 1.',
    ({ audioSeconds }, { sent, ended }) => realTimeFactor(span(sent, ended), audioSeconds),
  ),
  speakingSpeed: speech(
    ['Characters per second', 'Characters/s', 'characters/s', 'higher'],
    'Characters of the text / time from sent to ended.',
    ({ characters }, { sent, ended }) => ratePerSecond(characters, span(sent, ended)),
  ),
  transcriptionFactor: transcription(
    ['Real-time factor of transcription', 'RTF transcr.', 'ms/s', 'lower'],
    'From sent to ended, for each second of uploaded audio: 1,000 ms/s is real time, a factor of 1.',
    ({ audioSeconds }, { sent, ended }) => realTimeFactor(span(sent, ended), audioSeconds),
  ),
  wordErrorRate: transcription(
    ['Word error rate', 'Word errors', '%', 'lower'],
    'Words inserted, deleted or replaced / words of the true text, ignoring case and punctuation; absent if that text is unknown.',
    ({ words }) =>
      words === null || words.expected === 0 ? null : (words.wrong / words.expected) * 100,
  ),
  speechSeconds: speech(
    ['Audio received', 'Audio received', 's', 'neither'],
    'Length of the audio, decoded from its container.',
    ({ audioSeconds }) => audioSeconds,
  ),
  clipSeconds: transcription(
    ['Audio sent', 'Audio sent', 's', 'neither'],
    'Length of the uploaded clip, decoded from its container.',
    ({ audioSeconds }) => audioSeconds,
  ),
  characters: speech(
    ['Characters spoken', 'Characters', 'characters', 'neither'],
    'Unicode characters of the text.',
    ({ characters }) => characters,
  ),
  speechBytes: speech(
    ['Bytes of audio', 'Bytes', 'bytes', 'neither'],
    'Bytes of the body.',
    ({ bytes }) => bytes,
  ),
  cost: priced(
    ['Cost', 'Cost', 'µ', 'lower'],
    'Millionths of the currency for each completed answer, from the interface’s constants and the scenario’s prices; absent if a price or a count is unknown.',
    ({ cost }) => cost,
  ),
} as const satisfies Record<string, Measure>;
