import {
  answers,
  askChat,
  change,
  changeChunks,
  changeStream,
  changeJson,
  type Fields,
  withJson,
} from './change-answers.fixture.ts';
import type { SeededDefect } from './seeded-defect.fixture.ts';

/** Defects against section 2 of the interface: what models, chats, chunks and transcripts look like. */

const listOf = (value: unknown): Fields[] => value as Fields[];

const eachModel = (by: (model: Fields) => void) =>
  changeJson(answers.models, ({ data }) => {
    for (const model of listOf(data)) by(model);
  });

const firstChoice = (fields: Fields): Fields => listOf(fields['choices'])[0] ?? {};

const inChoice = (by: (choice: Fields) => void) =>
  changeJson(answers.chat, (fields) => by(firstChoice(fields)));

const inUsage = (by: (usage: Record<string, number>) => void) =>
  changeJson(answers.chat, ({ usage }) => by(usage as Record<string, number>));

const inSegments = (by: (segments: Fields[], whole: Fields) => void) =>
  changeJson(answers.transcription, (fields) => {
    if (Array.isArray(fields['segments'])) by(listOf(fields['segments']), fields);
  });

export const defectsInResources: readonly SeededDefect[] = [
  {
    id: 'chat-model-without-publisher',
    wrong: 'the ids of the chat models are bare names',
    section: '2.1',
    row: 'models.form',
    ask: askChat((fields) => {
      if (fields['model'] === 'small') fields['model'] = 'weir/small';
    }),
    answer: eachModel((model) => {
      const { id } = model;
      if (id === 'weir/small' || id === 'weir/large') model['id'] = id.slice('weir/'.length);
    }),
  },
  {
    id: 'speech-model-unlisted',
    wrong: 'the list leaves the model for speech out',
    section: '2.1',
    row: 'models.audio',
    answer: changeJson(answers.models, (fields) => {
      fields['data'] = listOf(fields['data']).filter(({ id }) => id !== 'weir-tts');
    }),
  },
  {
    id: 'models-wrapper',
    wrong: 'the wrapper of the list says "models" instead of "list"',
    section: '2.2',
    row: 'models.list',
    answer: changeJson(answers.models, (fields) => {
      fields['object'] = 'models';
    }),
  },
  {
    id: 'model-object',
    wrong: 'each model has the object "engine"',
    section: '2.2',
    row: 'models.object',
    answer: eachModel((model) => {
      model['object'] = 'engine';
    }),
  },
  {
    id: 'model-created-in-ms',
    wrong: 'models were created at a time in milliseconds',
    section: '2.2',
    row: 'models.created',
    answer: eachModel((model) => {
      model['created'] = Number(model['created']) * 1000;
    }),
  },
  {
    id: 'model-without-owner',
    wrong: 'one model has no owner',
    section: '2.2',
    row: 'models.owned-by',
    answer: changeJson(answers.models, ({ data }) => {
      delete listOf(data).at(-1)!['owned_by'];
    }),
  },
  {
    id: 'chat-id-constant',
    wrong: 'all chats have one id',
    section: '2.4',
    row: 'chat.unique-id',
    answer: changeJson(answers.chat, (fields) => {
      fields['id'] = 'chatcmpl-1';
    }),
  },
  {
    id: 'chat-object',
    wrong: 'a chat has the object "text_completion"',
    section: '2.4',
    row: 'chat.object',
    answer: changeJson(answers.chat, (fields) => {
      fields['object'] = 'text_completion';
    }),
  },
  {
    id: 'chat-content-null',
    wrong: 'the content of a plain answer is null, its text is in another field',
    section: '2.4',
    row: 'chat.content',
    answer: inChoice(({ message, finish_reason: reason }) => {
      const fields = message as Fields;
      if (reason === 'tool_calls') return;
      fields['text'] = fields['content'];
      fields['content'] = null;
    }),
  },
  {
    id: 'finish-reason-unknown',
    wrong: 'a chat that ends by itself has the finish reason "eos"',
    section: '2.4',
    row: 'chats.finish',
    answer: inChoice((choice) => {
      if (choice['finish_reason'] === 'stop') choice['finish_reason'] = 'eos';
    }),
  },
  {
    id: 'usage-missing',
    wrong: 'chats have no usage',
    section: '2.4',
    row: 'chat.usage',
    answer: changeJson(answers.chat, (fields) => {
      delete fields['usage'];
    }),
  },
  {
    id: 'usage-total-off-by-one',
    wrong: 'the total of tokens is one more than its parts',
    section: '2.4',
    row: 'chat.total',
    answer: inUsage((usage) => {
      usage['total_tokens']! += 1;
    }),
  },
  {
    id: 'chunk-object',
    wrong: 'chunks have the object "chat.completion"',
    section: '2.5',
    row: 'stream.object',
    answer: changeChunks((chunk) => {
      chunk['object'] = 'chat.completion';
    }),
  },
  {
    id: 'chunk-id-changes',
    wrong: 'the third chunk of a stream has another id',
    section: '2.5',
    row: 'stream.id',
    answer: changeChunks((chunk, index) => {
      if (index === 2) chunk['id'] = `${String(chunk['id'])}b`;
    }),
  },
  {
    id: 'chunk-with-message',
    wrong: 'chunks carry "message" where "delta" is meant',
    section: '2.5',
    row: 'stream.choices',
    answer: changeChunks((chunk) => {
      for (const choice of listOf(chunk['choices'])) {
        choice['message'] = choice['delta'];
        delete choice['delta'];
      }
    }),
  },
  {
    id: 'chunk-twice',
    wrong: 'one chunk with text is sent twice',
    section: '2.5',
    row: 'stream.usage',
    answer: changeStream((events) => {
      const at = events.findIndex((event) => /"content":"[^"]/.test(event));
      return at < 0 ? events : [...events.slice(0, at + 1), ...events.slice(at)];
    }),
  },
  {
    id: 'transcript-without-segments',
    wrong: 'a transcript in the default format has no segments',
    section: '2.7',
    row: 'transcription-json.segments',
    answer: changeJson(answers.transcription, (fields) => {
      if (fields['task'] === undefined) delete fields['segments'];
    }),
  },
  {
    id: 'transcript-duration-twice',
    wrong: 'the duration of a recording is twice what it is',
    section: '2.7',
    row: 'transcription-json.length',
    answer: changeJson(answers.transcription, (fields) => {
      if (typeof fields['duration'] === 'number') fields['duration'] *= 2;
    }),
  },
  {
    id: 'transcript-language-lost',
    wrong: 'the language that was given is not the one that is reported',
    section: '2.7',
    row: 'upload-mp3.language',
    answer: changeJson(answers.transcription, (fields) => {
      if ('language' in fields) fields['language'] = 'xx';
    }),
  },
  {
    id: 'segments-unordered',
    wrong: 'the segments of a transcript come last first',
    section: '2.7',
    row: 'transcription-json.times',
    answer: changeJson(answers.transcription, (fields) => {
      if (Array.isArray(fields['segments']))
        fields['segments'] = listOf(fields['segments']).toReversed();
    }),
  },
  {
    id: 'segment-beyond-duration',
    wrong: 'the last segment ends five seconds after the recording',
    section: '2.7',
    row: 'transcription-json.times',
    answer: inSegments((segments, whole) => {
      segments.at(-1)!['end'] = Number(whole['duration']) + 5;
    }),
  },
  {
    id: 'speech-in-json',
    wrong: 'speech is Base64 in JSON instead of a binary body',
    section: '2.8',
    row: 'speech-default.container',
    answer: change(answers.speech, (answer) =>
      withJson(answer, 200, { audio: answer.body.toString('base64') }),
    ),
  },
];
