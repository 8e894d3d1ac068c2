import type { ClipSource } from '../../model/workload/clip.ts';
import type { PromptSource } from '../../model/workload/prompt-source.ts';
import type { Expectation } from '../../model/workload/expectation.ts';
import type { Cancel } from '../../model/workload/hang-up.ts';
import { withMedia } from '../../model/workload/media.ts';
import type { Message, MessageContent, WrittenPart } from '../../model/workload/message.ts';
import type { Traffic, TrafficKind, TrafficOf } from '../../model/workload/traffic.ts';
import type { ReadResult, WorkloadFiles } from '../../model/workload/workload.ts';
import {
  chatPriceOf,
  type PriceTable,
  speechPriceOf,
  transcriptionPriceOf,
} from './price-table.ts';
import { splitText } from './split-text.ts';
import type { ScenarioPrompt } from '../schema/prompt-schema.ts';
import type { Scenario } from '../schema/scenario-schema.ts';
import {
  chatBodyFields,
  chatContentFields,
  type ScenarioTraffic,
  type ScenarioTrafficOf,
} from '../schema/traffic-schema.ts';

const defaultPrompt = 'Explain in two sentences how a weir measures the flow of a river.';
const defaultText = 'A weir is a low dam across a stream that shows how much water flows.';

/** The fields that all traffic entries of a stage share. */
interface StageContext extends Pick<Scenario, 'body'> {
  readonly prices: PriceTable;
  /** Whether the stage's load is a trace. A trace determines the lengths of prompts and answers. */
  readonly isTraceReplay: boolean;
  readonly files: WorkloadFiles;
}

type ChatEntry = ScenarioTrafficOf<'chat' | 'chat-stream'>;

/**
 * Returns the value of a successful reading. Throws if the reading failed, since a rule should have reported the
 * failure.
 */
export const expectFound = <T>(found: ReadResult<T>): T => {
  if (found.ok) return found.value;
  throw new Error(`a rule let it pass although ${found.problem}`);
};

const promptSourceOf = (
  {
    tokens,
    turns,
    prefix,
    cache,
    tokenizer,
    calibration,
    file,
  }: Exclude<ScenarioPrompt, string | readonly unknown[]>,
  system: string | null,
  files: WorkloadFiles,
): PromptSource => {
  if (tokens !== undefined) {
    return {
      kind: 'synthetic',
      system,
      tokens,
      turns,
      prefix,
      cache: cache ?? 'avoid',
      ...(tokenizer === undefined ? {} : { tokenizer: expectFound(files.tokenizer(tokenizer)) }),
      ...(calibration === undefined ? {} : { calibration }),
    };
  }
  if (file === undefined) throw new Error('a rule lets no such prompt pass');
  return { kind: 'dataset', system, file, ...expectFound(files.dataset(file)) };
};

type ScenarioContent = string | readonly WrittenPart[];

/** Puts the content of images and recordings into the plan, so that every worker sends the same content. */
const contentWithMedia = (content: ScenarioContent, files: WorkloadFiles): MessageContent =>
  typeof content === 'string'
    ? content
    : content.map((part) => expectFound(withMedia(part, (reference) => files.media(reference))));

const conversationsOf = (
  entry: ChatEntry,
  { files, isTraceReplay }: StageContext,
): Message[][] | PromptSource => {
  const { prompt, system = null } = entry;
  if (typeof prompt === 'object' && !Array.isArray(prompt))
    return promptSourceOf(prompt, system, files);
  if (isTraceReplay && !chatContentFields.some((field) => entry[field] !== undefined)) {
    return { kind: 'trace', system };
  }
  const opening: Message[] =
    entry.system === undefined ? [] : [{ role: 'system', content: entry.system }];
  const given = entry.messages === undefined ? entry.conversations : [entry.messages];
  const filled = (content: ScenarioContent) => contentWithMedia(content, files);
  if (given !== undefined) {
    return given.map((messages) => [
      ...opening,
      ...messages.map(({ role, content }) => ({ role, content: filled(content) })),
    ]);
  }
  const prompts = entry.prompts ?? [prompt ?? defaultPrompt];
  return prompts.map((content) => [...opening, { role: 'user', content: filled(content) }]);
};

/**
 * Returns the body of an entry's requests. The fields of the entry take precedence over the fields of the scenario's
 * common body.
 */
export const bodyOf = (entry: ChatEntry, context: Scenario['body']): Scenario['body'] => {
  const { maxTokens, temperature, topP } = entry;
  const named = {
    ...(temperature === undefined ? {} : { [chatBodyFields.temperature]: temperature }),
    ...(topP === undefined ? {} : { [chatBodyFields.topP]: topP }),
  };
  const body: Scenario['body'] = { ...context, ...named, ...entry.body };
  // A separate field of the plan holds the maximum number of tokens, so the body must not set it.
  if (maxTokens !== null) delete body[chatBodyFields.maxTokens];
  return body;
};

/**
 * Returns the plan's field `name`. The field is absent if the entry has no name, so that the plan has the same hash as
 * in older versions.
 */
const nameOf = ({ name }: { readonly name?: string | undefined }) =>
  name === undefined ? {} : { name };

/** Returns the plan's field `expect`, which is absent if the entry expects nothing. */
const expectOf = ({ expect }: { readonly expect?: Expectation | undefined }) =>
  expect === undefined ? {} : { expect };

/** Returns the plan's field `cancel`, which is absent if the client never hangs up. */
const cancelOf = ({ cancel }: { readonly cancel?: Cancel | undefined }) =>
  cancel === undefined ? {} : { cancel };

const chatOf = (entry: ChatEntry, context: StageContext) => ({
  ...nameOf(entry),
  ...cancelOf(entry),
  weight: entry.weight,
  model: entry.model,
  conversations: conversationsOf(entry, context),
  maxTokens: entry.maxTokens,
  body: bodyOf(entry, context.body),
  price: chatPriceOf(context.prices.of(entry.model, entry.kind)),
  ...expectOf(entry),
});

/** Returns the sources of the clips that an entry names, in the same order. */
export const clipSourcesOf = (clips: ScenarioTrafficOf<'transcription'>['clips']): ClipSource[] =>
  [clips].flat().map((clip) => (typeof clip === 'string' ? { file: clip, text: null } : clip));

type SpeechEntry = ScenarioTrafficOf<'speech'>;

/** Returns the texts of an entry; with `split`, the pieces of its texts. */
const splitTextsOf = (
  spoken: NonNullable<SpeechEntry['texts']>,
  split: SpeechEntry['split'],
  files: WorkloadFiles,
): Pick<TrafficOf<'speech'>, 'texts' | 'split'> => {
  const texts = spoken.map((text) =>
    typeof text === 'string' ? text : expectFound(files.text(text.file)),
  );
  if (split === undefined) return { texts };
  return { texts: texts.flatMap((text) => expectFound(splitText(text, split.characters))), split };
};

const trafficCompilers: {
  readonly [K in TrafficKind]: (entry: ScenarioTrafficOf<K>, context: StageContext) => TrafficOf<K>;
} = {
  chat: (entry, context) => ({ kind: 'chat', ...chatOf(entry, context) }),
  'chat-stream': (entry, context) => ({ kind: 'chat-stream', ...chatOf(entry, context) }),
  speech: ({ text, texts, split, speed, body, cancel, ...entry }, { files, prices }) => ({
    ...entry,
    ...cancelOf({ cancel }),
    ...speechPriceOf(prices.of(entry.model, 'speech')),
    ...splitTextsOf(texts ?? [text ?? defaultText], split, files),
    speed,
    body,
  }),
  transcription: ({ clips, language, granularities, expect, cancel, ...entry }, { prices }) => ({
    ...entry,
    ...cancelOf({ cancel }),
    ...transcriptionPriceOf(prices.of(entry.model, 'transcription')),
    ...expectOf({ expect }),
    clips: clipSourcesOf(clips),
    language,
    granularities,
  }),
  models: ({ cancel, ...entry }) => ({ ...entry, ...cancelOf({ cancel }) }),
};

export const compileTraffic = (entry: ScenarioTraffic, context: StageContext): Traffic => {
  // The type of the table guarantees that the function fits the entry's kind, but the compiler cannot infer this.
  const row = trafficCompilers[entry.kind] as (
    entry: ScenarioTraffic,
    context: StageContext,
  ) => Traffic;
  return row(entry, context);
};
