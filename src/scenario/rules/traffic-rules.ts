import { chatBodyFields, chatContentFields } from '../schema/traffic-schema.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import { didYouMean } from '../text/spelling.ts';
import { type Findings, placedEntries, type Rule, type ScenarioEntry } from './placed-stages.ts';

/** How the fields of one kind's entries exclude one another. */
interface FieldRules {
  /** Fields of which an entry has at most one, and what they hold. */
  readonly contents: readonly string[];
  readonly contentMeaning: string;
  /** Request fields that Weir sets itself, and the entry's field for each. */
  readonly reservedFields: Readonly<Record<string, string | null>>;
  /** Fields of an entry, and their names in the request body. */
  readonly namedBodyFields: Readonly<Record<string, string>>;
}

const chatRules: FieldRules = {
  contents: chatContentFields,
  contentMeaning: 'what to ask',
  reservedFields: { model: null, messages: null, stream: null },
  namedBodyFields: chatBodyFields,
};

const fieldRules: ReadonlyMap<string, FieldRules> = new Map([
  ['chat', chatRules],
  ['chat-stream', chatRules],
  [
    'speech',
    {
      contents: ['text', 'texts'],
      contentMeaning: 'what to speak',
      reservedFields: { model: null, input: 'text', voice: 'voice', response_format: 'format' },
      namedBodyFields: { speed: 'speed' },
    },
  ],
]);

const reservedFieldFindings = (
  { reservedFields }: FieldRules,
  body: ScenarioPart<unknown>,
): Findings =>
  Object.entries(reservedFields)
    .filter(([field]) => body.names.includes(field))
    .map(([field, entryField]) =>
      body
        .at(field)
        .keyFinding(
          `Weir sets the request field "${field}" itself`,
          entryField === null ? 'leave it out' : `use the entry's field "${entryField}"`,
        ),
    );

const contentFindings = (
  { contents, contentMeaning }: FieldRules,
  entry: ScenarioEntry,
): Findings => {
  const [first, ...others] = contents.filter((name) => entry.names.includes(name));
  return others.map((other) =>
    entry.at(other).keyFinding(`"${first}" already says ${contentMeaning}`, 'keep one of them'),
  );
};

const duplicateFieldFindings = (
  { namedBodyFields }: FieldRules,
  entry: ScenarioEntry,
): Findings => {
  const body = entry.at('body');
  return Object.entries(namedBodyFields)
    .filter(([name, field]) => entry.names.includes(name) && body.names.includes(field))
    .map(([name, field]) =>
      body.at(field).keyFinding(`"${name}" already sets this field`, 'keep one of them'),
    );
};

const systemFindings = (entry: ScenarioEntry): Findings => {
  if (!entry.names.includes('system')) return [];
  const message = 'a conversation of this entry already begins with a system message';
  return [entry.at('messages'), ...entry.at('conversations').items].some(
    (conversation) => conversation.items[0]?.at('role').text === 'system',
  )
    ? [entry.at('system').keyFinding(message, 'keep one of them')]
    : [];
};

/** Clip sources that include the text of each clip. */
const hasKnownText = (file: string): boolean => file === 'bundled' || file.endsWith('.json');

const clipFindings = (entry: ScenarioEntry): Findings => {
  const clips: ScenarioPart<unknown> = entry.at('clips');
  const message = 'this names several clips, each with its own text';
  return (clips.isList ? clips.items : [clips])
    .filter(
      (clip: ScenarioPart<unknown>) =>
        clip.names.includes('text') && hasKnownText(clip.at('file').text ?? ''),
    )
    .map((clip: ScenarioPart<unknown>) => clip.at('text').keyFinding(message, 'leave it out'));
};

const granularityFindings = (entry: ScenarioEntry): Findings => {
  const format = entry.at('format').written ?? 'json';
  if (!entry.names.includes('granularities') || format === 'verbose_json') return [];
  const message = 'only the format "verbose_json" has time stamps';
  const hint = 'set format: verbose_json, or leave "granularities" out';
  return [entry.at('granularities').keyFinding(message, hint)];
};

const entryFindings = (entry: ScenarioEntry): Findings => {
  const kind = entry.at('kind').text ?? '';
  if (kind === 'transcription') return [...clipFindings(entry), ...granularityFindings(entry)];
  const rules = fieldRules.get(kind);
  if (rules === undefined) return [];
  return [
    ...contentFindings(rules, entry),
    ...reservedFieldFindings(rules, entry.at('body')),
    ...duplicateFieldFindings(rules, entry),
    ...systemFindings(entry),
  ];
};

/** What is wrong between the fields of each traffic entry, and in the common `body`. */
export const trafficRule: Rule = (scenario) => [
  ...reservedFieldFindings(chatRules, scenario.at('body')),
  ...placedEntries(scenario).flatMap(entryFindings),
];

/** Prices that are charged for nothing: with a misspelt model the cost would stay unknown. */
export const priceRule: Rule = (scenario) => {
  const prices = scenario.at('prices');
  const entries = placedEntries(scenario);
  const chatModels = entries
    .filter((entry) => ['chat', 'chat-stream'].includes(entry.at('kind').text ?? ''))
    .map((entry) => entry.at('model'));
  const unpriced = chatModels
    .filter(({ isFromEnvironment }) => !isFromEnvironment)
    .flatMap(({ text }) => (text === null || prices.names.includes(text) ? [] : [text]));
  return prices.names
    .filter((name) => !chatModels.some(({ text }) => text === name))
    .map((name) => {
      const quoted = JSON.stringify(name);
      if (!entries.some((entry) => entry.at('model').text === name)) {
        const hint = didYouMean(name, unpriced) ?? 'leave its price out, or use the model';
        return prices.at(name).keyFinding(`no chat entry uses ${quoted}`, hint);
      }
      const message = `prices are for chat, and no chat entry uses ${quoted}`;
      const hint =
        'leave it out: the service charges speech by the character and transcription by the second';
      return prices.at(name).keyFinding(message, hint);
    });
};
