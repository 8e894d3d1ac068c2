import { chatContentFields, chatBodyFields } from '../schema/chat-fields.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import { isMapping, type Path, valueAtPath } from '../text/scenario-tree.ts';

/** What the fields of one kind's entries mean to one another. */
interface FieldRules {
  /** The ways to say what the requests hold, each in the place of the others, and what they say. */
  readonly contents: readonly string[];
  readonly contentMeaning: string;
  /** Request fields that Weir writes itself, and what says them here. */
  readonly reservedFields: Readonly<Record<string, string | null>>;
  /** Fields with a name of their own here, and what the request body calls them. */
  readonly namedBodyFields: Readonly<Record<string, string>>;
}

const chatRules: FieldRules = {
  contents: chatContentFields,
  contentMeaning: 'what is asked',
  reservedFields: { model: null, messages: null, stream: null },
  namedBodyFields: chatBodyFields,
};

const speechRules: FieldRules = {
  contents: ['text', 'texts'],
  contentMeaning: 'what is spoken',
  reservedFields: { model: null, input: 'text', voice: 'voice', response_format: 'format' },
  namedBodyFields: { speed: 'speed' },
};

/** An entry without a kind, or of a wrong one, has no rules. */
const fieldRules: ReadonlyMap<unknown, FieldRules> = new Map([
  ['chat', chatRules],
  ['chat-stream', chatRules],
  ['speech', speechRules],
]);

const findingAtKey = (path: Path, message: string, hint: string): ScenarioFinding => ({
  path,
  part: 'key',
  message,
  hint,
});

const has = (holder: unknown, field: string): boolean =>
  isMapping(holder) && Object.hasOwn(holder, field);

const bodyFindings = (
  { reservedFields }: FieldRules,
  body: unknown,
  path: Path,
): ScenarioFinding[] =>
  Object.entries(reservedFields)
    .filter(([field]) => has(body, field))
    .map(([field, entryField]) =>
      findingAtKey(
        [...path, field],
        `Weir writes the request field "${field}" itself`,
        entryField === null ? 'leave it out' : `say it as "${entryField}" of the entry`,
      ),
    );

const contentFindings = (
  { contents, contentMeaning }: FieldRules,
  entry: unknown,
  path: Path,
): ScenarioFinding[] => {
  const [first, ...others] = contents.filter((name) => has(entry, name));
  return others.map((other) =>
    findingAtKey([...path, other], `"${first}" says ${contentMeaning} already`, 'keep one of them'),
  );
};

const duplicateFieldFindings = (
  { namedBodyFields }: FieldRules,
  entry: unknown,
  path: Path,
): ScenarioFinding[] => {
  const body = valueAtPath(entry, ['body']);
  return Object.entries(namedBodyFields)
    .filter(([name, field]) => has(entry, name) && has(body, field))
    .map(([name, field]) =>
      findingAtKey([...path, 'body', field], `"${name}" says this already`, 'keep one of them'),
    );
};

const systemFindings = (entry: unknown, path: Path): ScenarioFinding[] => {
  if (!has(entry, 'system')) return [];
  const several = valueAtPath(entry, ['conversations']);
  const conversations: unknown[] = [
    valueAtPath(entry, ['messages']),
    ...(Array.isArray(several) ? Array.from<unknown>(several) : []),
  ];
  const message = 'a conversation of this entry begins with a system message already';
  return conversations.some((conversation) => valueAtPath(conversation, [0, 'role']) === 'system')
    ? [findingAtKey([...path, 'system'], message, 'keep one of them')]
    : [];
};

/** Sources of clips that know what is said in them. */
const hasKnownText = (file: unknown): boolean =>
  file === 'bundled' || (typeof file === 'string' && file.endsWith('.json'));

const clipFindings = (entry: unknown, path: Path): ScenarioFinding[] => {
  const clips = valueAtPath(entry, ['clips']);
  const placed: readonly { clip: unknown; at: Path }[] = Array.isArray(clips)
    ? clips.map((clip: unknown, index) => ({ clip, at: [...path, 'clips', index] }))
    : [{ clip: clips, at: [...path, 'clips'] }];
  const message = 'this names several clips, and what is said in each is known already';
  return placed
    .filter(({ clip }) => has(clip, 'text') && hasKnownText(valueAtPath(clip, ['file'])))
    .map(({ at }) => findingAtKey([...at, 'text'], message, 'leave it out'));
};

const granularityFindings = (entry: unknown, path: Path): ScenarioFinding[] => {
  const format = valueAtPath(entry, ['format']) ?? 'json';
  if (!has(entry, 'granularities') || format === 'verbose_json') return [];
  const message = `only the format "verbose_json" has time stamps to ask for`;
  const hint = 'set format: verbose_json, or leave "granularities" out';
  return [findingAtKey([...path, 'granularities'], message, hint)];
};

const entryFindings = (entry: unknown, path: Path): ScenarioFinding[] => {
  const kind = valueAtPath(entry, ['kind']);
  if (kind === 'transcription') {
    return [...clipFindings(entry, path), ...granularityFindings(entry, path)];
  }
  const rules = fieldRules.get(kind);
  if (rules === undefined) return [];
  return [
    ...contentFindings(rules, entry, path),
    ...bodyFindings(rules, valueAtPath(entry, ['body']), [...path, 'body']),
    ...duplicateFieldFindings(rules, entry, path),
    ...systemFindings(entry, path),
  ];
};

const entriesAt = (scenario: unknown, path: Path): readonly PlacedEntry[] => {
  const list = valueAtPath(scenario, path);
  return Array.isArray(list)
    ? list.map((entry: unknown, index) => ({ entry, path: [...path, index] }))
    : [];
};

/** An entry of the traffic as it was written, sound or not, and where it stands. */
export interface PlacedEntry {
  readonly entry: unknown;
  readonly path: Path;
}

/** Every traffic entry, the scenario's own and those of its stages. */
export const placedEntries = (scenario: unknown): readonly PlacedEntry[] => {
  const stages = valueAtPath(scenario, ['stages']);
  const places: Path[] = [
    ['traffic'],
    ...(Array.isArray(stages) ? stages.map((_, index) => ['stages', index, 'traffic']) : []),
  ];
  return places.flatMap((path) => entriesAt(scenario, path));
};

/** What is wrong between the fields of the traffic entries, wherever these stand, and the common `body`. */
export const trafficRuleFindings = (scenario: unknown): readonly ScenarioFinding[] => [
  ...bodyFindings(chatRules, valueAtPath(scenario, ['body']), ['body']),
  ...placedEntries(scenario).flatMap(({ entry, path }) => entryFindings(entry, path)),
];
