import { settingsSchema } from '../../mock/settings/settings.ts';
import {
  answers,
  askChat,
  askSpeech,
  change,
  changeStream,
  changeJson,
  type Fields,
  fieldsOf,
  takeNumber,
  type WholeRequest,
  withJson,
  withText,
} from './change-answers.fixture.ts';
import type { SeededDefect } from './seeded-defect.fixture.ts';

/** Defects against section 4 of the interface: what requests may say, and what comes of it. */

const knownVoices: readonly unknown[] = settingsSchema.parse({}).speech.voices;

/** 25 MB, as the interface has it. */
const largestUpload = 25 * 1024 * 1024;

const speechFormatOf = ({ body }: WholeRequest): unknown => fieldsOf(body)['response_format'];

/** The transcripts in a format that is plain text. */
const transcriptIn =
  (format: 'text' | 'srt' | 'vtt') =>
  (...[answer, request]: Parameters<typeof answers.transcription>): boolean =>
    answers.transcription(answer, request) &&
    new RegExp(`name="response_format"[^]{0,80}?\r\n\r\n${format}\r\n`).test(
      request.body.toString('latin1'),
    );

const chatDefects: readonly SeededDefect[] = [
  {
    id: 'temperature-two-refused',
    wrong: 'the highest temperature, 2, is refused',
    section: '4.1',
    row: 'temperature.high',
    ask: takeNumber('temperature', (value) => value === 2, 2.5),
  },
  {
    id: 'temperature-above-two-accepted',
    wrong: 'a temperature above 2 is accepted',
    section: '4.1',
    row: 'temperature-above',
    ask: takeNumber('temperature', (value) => value > 2, 2),
  },
  {
    id: 'top-p-zero-refused',
    wrong: 'a top_p of 0 is refused',
    section: '4.1',
    row: 'top_p.low',
    ask: takeNumber('top_p', (value) => value === 0, -1),
  },
  {
    id: 'top-p-above-one-accepted',
    wrong: 'a top_p above 1 is accepted',
    section: '4.1',
    row: 'top_p-above',
    ask: takeNumber('top_p', (value) => value > 1, 1),
  },
  {
    id: 'presence-penalty-minus-two-refused',
    wrong: 'the lowest presence penalty, -2, is refused',
    section: '4.1',
    row: 'presence_penalty.low',
    ask: takeNumber('presence_penalty', (value) => value === -2, -3),
  },
  {
    id: 'frequency-penalty-below-minus-two-accepted',
    wrong: 'a frequency penalty below -2 is accepted',
    section: '4.1',
    row: 'frequency_penalty-below',
    ask: takeNumber('frequency_penalty', (value) => value < -2, -2),
  },
  {
    id: 'stop-four-refused',
    wrong: 'four stop sequences are refused',
    section: '4.1',
    row: 'stop.high',
    ask: askChat((fields) => {
      const { stop } = fields;
      if (Array.isArray(stop) && stop.length === 4) fields['stop'] = [...(stop as unknown[]), '|'];
    }),
  },
  {
    id: 'stop-five-accepted',
    wrong: 'five stop sequences are accepted',
    section: '4.1',
    row: 'stop-five',
    ask: askChat((fields) => {
      if (Array.isArray(fields['stop'])) fields['stop'] = (fields['stop'] as unknown[]).slice(0, 4);
    }),
  },
  {
    id: 'stop-ignored',
    wrong: 'answers go on after a stop sequence',
    section: '4.1',
    row: 'stop.low-obeyed',
    ask: askChat((fields) => {
      const { stop } = fields;
      if (typeof stop === 'string' || (Array.isArray(stop) && stop.length <= 4))
        delete fields['stop'];
    }),
  },
  {
    id: 'max-tokens-off-by-one',
    wrong: 'answers have one token more than max_tokens',
    section: '4.1',
    row: 'chat.max-tokens',
    ask: askChat((fields) => {
      const most = fields['max_tokens'];
      if (typeof most === 'number' && most > 0) fields['max_tokens'] = most + 1;
    }),
  },
  {
    id: 'json-mode-fenced',
    wrong: 'JSON mode answers with a fenced block of Markdown',
    section: '4.1',
    row: 'json-mode.valid',
    answer: changeJson(answers.chat, (fields, { body }) => {
      const format = fieldsOf(body)['response_format'] as Fields | undefined;
      if (format?.['type'] !== 'json_object') return;
      for (const { message } of fields['choices'] as { message: Fields }[])
        message['content'] = `\`\`\`json\n${String(message['content'])}\n\`\`\``;
    }),
  },
  {
    id: 'tool-call-ends-with-stop',
    wrong: 'an answer that calls a tool has the finish reason "stop"',
    section: '4.1',
    row: 'tools.finish',
    answer: changeJson(answers.chat, (fields) => {
      for (const choice of fields['choices'] as Fields[])
        if (choice['finish_reason'] === 'tool_calls') choice['finish_reason'] = 'stop';
    }),
  },
  {
    id: 'model-optional',
    wrong: 'a chat without a model is answered by a default one',
    section: '4.1',
    row: 'no-model',
    ask: askChat((fields) => {
      fields['model'] ??= 'weir/small';
    }),
  },
  {
    id: 'messages-missing-500',
    wrong: 'a chat without messages gets 500',
    section: '4.1',
    row: 'no-messages',
    answer: change(answers.refused, (answer, { path, body }) => {
      const fields = fieldsOf(body);
      const isMeant = path.endsWith('/chat/completions') && !('messages' in fields);
      return isMeant ? { ...answer, status: 500 } : answer;
    }),
  },
  {
    id: 'stream-without-done',
    wrong: 'streams end without [DONE]',
    section: '4.1',
    row: 'stream.done',
    answer: changeStream((events) => events.filter((event) => event !== 'data: [DONE]')),
  },
  {
    id: 'stream-blank-line-missing',
    wrong: 'no blank line is between the second and the third event of a stream',
    section: '4.1',
    row: 'stream.framing',
    answer: changeStream(([first = '', second = '', third = '', ...rest]) => [
      first,
      `${second}\n${third}`,
      ...rest,
    ]),
  },
  {
    id: 'stream-in-one-piece',
    wrong: 'a chat that asks for a stream is answered in one piece of JSON',
    section: '4.1',
    row: 'stream',
    ask: askChat((fields) => {
      if (fields['stream'] === true) delete fields['stream'];
      delete fields['stream_options'];
    }),
  },
];

const audioDefects: readonly SeededDefect[] = [
  {
    id: 'speech-default-wav',
    wrong: 'speech without a format comes as WAV instead of MP3',
    section: '4.3',
    row: 'speech-default.container',
    ask: askSpeech((fields) => {
      fields['response_format'] ??= 'wav';
    }),
  },
  {
    id: 'speech-opus-is-mp3',
    wrong: 'speech in opus comes as MP3',
    section: '4.3',
    row: 'speech-opus.container',
    ask: askSpeech((fields) => {
      if (fields['response_format'] === 'opus') fields['response_format'] = 'mp3';
    }),
  },
  {
    id: 'speech-wav-cut',
    wrong: 'the second half of a WAV file is missing',
    section: '4.3',
    row: 'speech-wav.container',
    answer: change(answers.speech, (answer, request) =>
      speechFormatOf(request) === 'wav'
        ? { ...answer, body: answer.body.subarray(0, answer.body.length / 2) }
        : answer,
    ),
  },
  {
    id: 'speech-speed-ignored',
    wrong: 'the speed of speech changes nothing',
    section: '4.3',
    row: 'speech-fast.speed',
    ask: askSpeech((fields) => {
      delete fields['speed'];
    }),
  },
  {
    id: 'speech-voice-unknown-accepted',
    wrong: 'a voice that does not exist is replaced by another',
    section: '4.3',
    row: 'speech-unknown-voice',
    ask: askSpeech((fields) => {
      const { voice } = fields;
      if (typeof voice === 'string' && !knownVoices.includes(voice))
        fields['voice'] = knownVoices[0];
    }),
  },
  {
    id: 'text-format-differs',
    wrong: 'a transcript as text lacks its last word',
    section: '4.4',
    row: 'transcription-text.same-words',
    answer: change(transcriptIn('text'), (answer) =>
      withText(answer, `${answer.body.toString().trim().replace(/ \S+$/, '')}\n`),
    ),
  },
  {
    id: 'srt-times-unordered',
    wrong: 'the first two cues of srt have each other’s times',
    section: '4.4',
    row: 'transcription-srt.times',
    answer: change(transcriptIn('srt'), (answer) => {
      const lines = answer.body.toString().split('\n');
      const [first, second] = lines.flatMap((line, at) => (line.includes(' --> ') ? [at] : []));
      if (first === undefined || second === undefined) return answer;
      [lines[first], lines[second]] = [lines[second]!, lines[first]!];
      return withText(answer, lines.join('\n'));
    }),
  },
  {
    id: 'vtt-without-head',
    wrong: 'vtt does not begin with WEBVTT',
    section: '4.4',
    row: 'transcription-vtt.plain',
    answer: change(transcriptIn('vtt'), (answer) =>
      withText(answer, answer.body.toString().replace('WEBVTT\n\n', '')),
    ),
  },
  {
    id: 'upload-too-large-accepted',
    wrong: 'a recording of more than 25 MB is accepted',
    section: '4.4',
    row: 'transcription-too-large',
    answer: change(answers.all, (answer, { path, body }) => {
      const isMeant = path.endsWith('/audio/transcriptions') && body.length > largestUpload;
      const transcript = { text: 'a', language: 'en', duration: 1, segments: [] };
      return isMeant ? withJson(answer, 200, transcript) : answer;
    }),
  },
];

export const defectsInEndpoints: readonly SeededDefect[] = [...chatDefects, ...audioDefects];
