import type { Scenario } from '../schema/scenario-schema.ts';
import { chatBodyFields, chatContentFields } from '../schema/traffic-schema.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import { placedEntries, type ScenarioEntry } from './placed-stages.ts';

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

const speechRules: FieldRules = {
  contents: ['text', 'texts'],
  contentMeaning: 'what to speak',
  reservedFields: { model: null, input: 'text', voice: 'voice', response_format: 'format' },
  namedBodyFields: { speed: 'speed' },
};

const fieldRules: ReadonlyMap<string, FieldRules> = new Map([
  ['chat', chatRules],
  ['chat-stream', chatRules],
  ['speech', speechRules],
]);

const reservedFieldFindings = (
  { reservedFields }: FieldRules,
  body: ScenarioPart<unknown>,
): readonly ScenarioFinding[] =>
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
): readonly ScenarioFinding[] => {
  const [first, ...others] = contents.filter((name) => entry.names.includes(name));
  return others.map((other) =>
    entry.at(other).keyFinding(`"${first}" already says ${contentMeaning}`, 'keep one of them'),
  );
};

const duplicateFieldFindings = (
  { namedBodyFields }: FieldRules,
  entry: ScenarioEntry,
): readonly ScenarioFinding[] => {
  const body = entry.at('body');
  return Object.entries(namedBodyFields)
    .filter(([name, field]) => entry.names.includes(name) && body.names.includes(field))
    .map(([name, field]) =>
      body.at(field).keyFinding(`"${name}" already sets this field`, 'keep one of them'),
    );
};

const systemFindings = (entry: ScenarioEntry): readonly ScenarioFinding[] => {
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

const clipFindings = (entry: ScenarioEntry): readonly ScenarioFinding[] => {
  const clips: ScenarioPart<unknown> = entry.at('clips');
  const message = 'this names several clips, each with its own text';
  return (clips.isList ? clips.items : [clips])
    .filter(
      (clip: ScenarioPart<unknown>) =>
        clip.names.includes('text') && hasKnownText(clip.at('file').text ?? ''),
    )
    .map((clip: ScenarioPart<unknown>) => clip.at('text').keyFinding(message, 'leave it out'));
};

const granularityFindings = (entry: ScenarioEntry): readonly ScenarioFinding[] => {
  const format = entry.at('format').written ?? 'json';
  if (!entry.names.includes('granularities') || format === 'verbose_json') return [];
  const message = 'only the format "verbose_json" has time stamps';
  const hint = 'set format: verbose_json, or leave "granularities" out';
  return [entry.at('granularities').keyFinding(message, hint)];
};

const entryFindings = (entry: ScenarioEntry): readonly ScenarioFinding[] => {
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
export const trafficRuleFindings = (
  scenario: ScenarioPart<Scenario>,
): readonly ScenarioFinding[] => [
  ...reservedFieldFindings(chatRules, scenario.at('body')),
  ...placedEntries(scenario).flatMap(entryFindings),
];
