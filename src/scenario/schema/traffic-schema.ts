import { z } from 'zod';
import { speechFormats, transcriptFormats } from '../../model/workload/traffic.ts';
import { cancelField } from './cancel-schema.ts';
import { contentField, conversation } from './message-schema.ts';
import {
  filledText,
  listField,
  mapping,
  nameField,
  numberBetweenField,
  ofKind,
  oneOfKinds,
  optionalField,
  orNull,
  textField,
  weightField,
  withDefault,
  wholeNumberField,
  wordField,
} from './fields.ts';
import { promptField, speechTextField, splitSchema, tokenCountField } from './prompt-schema.ts';

/** This file contains the schema of a scenario's traffic, which says what requests are sent. */

/** Maps the fields of a chat entry to their names in the request body, where these are different. */
export const chatBodyFields = {
  maxTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
} as const;

/** The fields that can contain the content of a chat. An entry has at most one of these fields. */
export const chatContentFields = ['prompt', 'prompts', 'messages', 'conversations'] as const;

const entryFields = {
  name: optionalField(nameField(100)).describe(
    'The name of this entry in reports: named entries get their own figures. Default: none.',
  ),
  weight: weightField().describe('The share of the requests, relative to the other entries.'),
  cancel: cancelField(false),
};

const flag = () => z.boolean('expected true or false');

const expectMeaning =
  'What the text of each answer must be like; one that is not counts as malformed. Default: anything.';

const expectField = mapping('a mapping such as {json: true} or {matches: "^yes"}', {
  json: optionalField(flag()).describe('Whether the text must be JSON.'),
  schema: optionalField(
    z.union(
      [flag(), z.record(z.string(), z.json())],
      'expected a JSON Schema, for example {type: object, required: [name]}',
    ),
  ).describe('A JSON Schema that the text must obey, of 2020-12, or of draft 7 if it says so.'),
  toolArguments: optionalField(flag()).describe(
    'Whether the arguments of each tool call must be JSON; an answer without a call passes.',
  ),
  matches: optionalField(textField()).describe(
    'A regular expression (of JavaScript, with the flag u) that must match somewhere in the text.',
  ),
  minLength: optionalField(wholeNumberField(0, 10_000_000)).describe(
    'The fewest characters of the text.',
  ),
});

export const bodyFieldsSchema = z.record(
  z.string(),
  z.json(),
  'expected a mapping of request fields, for example top_k: 5',
);

const model = (what: string) =>
  filledText('expected the name of a model').describe(
    `The model ${what}, by the name that the gateway lists.`,
  );

const chatFields = {
  ...entryFields,
  model: model('to use'),
  prompt: optionalField(promptField).describe(
    'One prompt for all requests, a text or a list of content parts; or {tokens: 500} for generated prompts of exact length, all different; or {file: prompts.jsonl}.',
  ),
  prompts: optionalField(
    listField(
      contentField,
      'a list of prompts; for those of a file, write prompt: {file: prompts.jsonl}',
      'prompt',
    ),
  ).describe('Several prompts, each a text or a list of content parts; each request draws one.'),
  messages: optionalField(conversation).describe('One whole conversation for all requests.'),
  conversations: optionalField(
    listField(conversation, 'a list of conversations', 'conversation'),
  ).describe('Several whole conversations; each request draws one.'),
  system: optionalField(textField()).describe(
    'A system message before every conversation of this entry.',
  ),
  maxTokens: orNull(tokenCountField).describe(
    'The maximum number of tokens to generate (max_tokens), or a distribution as for prompt.tokens; a smaller value from a file or trace wins. Default: what the model allows.',
  ),
  temperature: optionalField(numberBetweenField(0, 2)).describe(
    'The sampling temperature. Default: the gateway’s default.',
  ),
  topP: optionalField(numberBetweenField(0, 1)).describe(
    'Nucleus sampling (top_p). Default: the gateway’s default.',
  ),
  body: optionalField(bodyFieldsSchema).describe(
    'Further fields of the request body, for example top_k: 5. Texts may contain ${uuid} and ${index}.',
  ),
  expect: optionalField(expectField).describe(expectMeaning),
};

const chatEntry = ofKind('chat', 'Chat with a whole answer.', chatFields).describe(
  'Chat completions with a whole answer.',
);

const chatStreamEntry = ofKind('chat-stream', 'Chat with a streamed answer.', {
  ...chatFields,
  cancel: cancelField(true),
}).describe('Chat completions with a streamed answer.');

const speechEntry = ofKind('speech', 'Text to speech.', {
  ...entryFields,
  model: model('that speaks'),
  text: optionalField(speechTextField).describe(
    'One text for all requests, or {file: chapter.txt}. Default: a short sentence.',
  ),
  texts: optionalField(listField(speechTextField, 'a list of texts', 'text')).describe(
    'Several texts; each request draws one.',
  ),
  split: optionalField(splitSchema).describe(
    'Splits the texts at ends of sentences into pieces of at most this many characters; each piece is one request, in order. With a "closed" load each user sends all pieces, otherwise the stage does. Default: texts are sent whole.',
  ),
  voice: withDefault(textField(), 'Emily.wav').describe('The voice, by the gateway’s name for it.'),
  format: wordField(speechFormats, 'mp3').describe(
    'The audio format to ask for: "mp3", "wav" or "opus". Default: mp3.',
  ),
  speed: orNull(numberBetweenField(0.25, 4)).describe(
    'The speed of the speech, from 0.25 to 4; about 0.5 to 2 sounds natural. Put a value outside this range, to see it refused, into "body". Default: the gateway’s default.',
  ),
  body: bodyFieldsSchema
    .optional()
    .transform((fields) => fields ?? {})
    .describe('Further fields of the request body. Texts may contain ${uuid} and ${index}.'),
}).describe('Text to speech; the answer is audio.');

const clipPath = filledText('expected the path of an audio file');
const oneClip = 'a path, or a mapping such as {file: hello.wav, text: Hello.}';

const clip = mapping(oneClip, {
  file: clipPath.describe('The audio file, relative to the scenario’s folder.'),
  text: orNull(textField()).describe(
    'The words that are spoken in it, for the word error rate. Default: unknown.',
  ),
});

const manyClips = 'a path, a mapping such as {file: hello.wav, text: Hello.}, or a list of these';

const clipList = z
  .array(z.union([clipPath, clip], `expected ${oneClip}`), `expected ${manyClips}`)
  .min(1, 'expected at least one clip')
  .max(1000, 'expected at most 1,000 clips; a .json manifest may list more');

/** The schema of clips: a path, a path with its text, or a list of paths with or without texts. */
const clipsSchema = z
  .union([clipPath, clip, clipList], `expected ${manyClips}`)
  .prefault('bundled');

const transcriptionEntry = ofKind('transcription', 'Speech to text.', {
  ...entryFields,
  model: model('that listens'),
  clips: clipsSchema.describe(
    'The audio to upload; each request draws one clip: the path of an audio file, relative to the scenario’s folder, {file, text} if the words are known, a .json manifest of several, a list of these, or "bundled" for the recordings that come with Weir. Default: bundled.',
  ),
  format: wordField(transcriptFormats, 'json').describe(
    'The answer’s format: "json", "text", "srt", "vtt" or "verbose_json". Default: json.',
  ),
  language: orNull(textField()).describe(
    'The code of the spoken language. Default: the gateway detects it.',
  ),
  granularities: z
    .array(z.enum(['word', 'segment']), 'expected a list of "word" and "segment"')
    .min(1, 'expected "word", "segment" or both')
    .optional()
    .transform((kinds) => kinds ?? [])
    .describe(
      'What gets time stamps: "word", "segment" or both. Only with the format "verbose_json".',
    ),
  oversized: withDefault(z.boolean('expected true or false'), false).describe(
    'Whether to send files above the API’s limit of 25 MB, to see them refused; otherwise such a file is an error.',
  ),
  expect: optionalField(expectField).describe(expectMeaning),
}).describe('Speech to text: uploads audio; the answer is a transcript.');

const modelsEntry = ofKind('models', 'The model list.', entryFields).describe(
  'Requests for the list of models.',
);

const entries = [chatEntry, chatStreamEntry, speechEntry, transcriptionEntry, modelsEntry] as const;

export const trafficEntrySchema = oneOfKinds(entries, '{kind: chat, model: NAME}');
export type ScenarioTraffic = z.output<typeof trafficEntrySchema>;
export type ScenarioTrafficOf<K extends ScenarioTraffic['kind']> = Extract<
  ScenarioTraffic,
  { kind: K }
>;
