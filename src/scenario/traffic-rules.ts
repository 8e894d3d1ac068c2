import type { Finding } from './problem.ts';
import { isMapping, type Path, valueAt } from './tree.ts';

/** What the fields of a traffic entry demand of one another. */

/** Fields with a name of their own here, and what the request body calls them. */
export const namedFields = {
  maxTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
} as const;

/** What the fields of one kind's entries mean to one another. */
interface FieldRules {
  /** The ways to say what the requests hold, each in the place of the others, and what they say. */
  readonly contents: readonly string[];
  readonly said: string;
  /** Request fields that Weir writes itself, and what says them here. */
  readonly own: Readonly<Record<string, string | null>>;
  /** Fields with a name of their own here, and what the request body calls them. */
  readonly named: Readonly<Record<string, string>>;
}

/** The ways to say what a chat asks. */
export const chatContents = ['prompt', 'prompts', 'messages', 'conversations'] as const;

const chatRules: FieldRules = {
  contents: chatContents,
  said: 'what is asked',
  own: { model: null, messages: null, stream: null },
  named: namedFields,
};

const speechRules: FieldRules = {
  contents: ['text', 'texts'],
  said: 'what is spoken',
  own: { model: null, input: 'text', voice: 'voice', response_format: 'format' },
  named: { speed: 'speed' },
};

/** An entry without a kind, or of a wrong one, has no rules. */
const fieldRules: ReadonlyMap<unknown, FieldRules> = new Map([
  ['chat', chatRules],
  ['chat-stream', chatRules],
  ['speech', speechRules],
]);

const atKey = (path: Path, message: string, hint: string): Finding => ({
  path,
  part: 'key',
  message,
  hint,
});

const has = (holder: unknown, field: string): boolean =>
  isMapping(holder) && Object.hasOwn(holder, field);

const bodyFindings = ({ own }: FieldRules, body: unknown, path: Path): Finding[] =>
  Object.entries(own)
    .filter(([field]) => has(body, field))
    .map(([field, here]) =>
      atKey(
        [...path, field],
        `Weir writes the request field "${field}" itself`,
        here === null ? 'leave it out' : `say it as "${here}" of the entry`,
      ),
    );

const contentFindings = ({ contents, said }: FieldRules, entry: unknown, path: Path): Finding[] => {
  const [first, ...others] = contents.filter((name) => has(entry, name));
  return others.map((other) =>
    atKey([...path, other], `"${first}" says ${said} already`, 'keep one of them'),
  );
};

const doubledFieldFindings = ({ named }: FieldRules, entry: unknown, path: Path): Finding[] => {
  const body = valueAt(entry, ['body']);
  return Object.entries(named)
    .filter(([name, field]) => has(entry, name) && has(body, field))
    .map(([name, field]) =>
      atKey([...path, 'body', field], `"${name}" says this already`, 'keep one of them'),
    );
};

const systemFindings = (entry: unknown, path: Path): Finding[] => {
  if (!has(entry, 'system')) return [];
  const several = valueAt(entry, ['conversations']);
  const conversations: unknown[] = [
    valueAt(entry, ['messages']),
    ...(Array.isArray(several) ? Array.from<unknown>(several) : []),
  ];
  const message = 'a conversation of this entry begins with a system message already';
  return conversations.some((conversation) => valueAt(conversation, [0, 'role']) === 'system')
    ? [atKey([...path, 'system'], message, 'keep one of them')]
    : [];
};

/** Sources of clips that know what is said in them. */
const knowsItsText = (file: unknown): boolean =>
  file === 'bundled' || (typeof file === 'string' && file.endsWith('.json'));

const clipFindings = (entry: unknown, path: Path): Finding[] => {
  const clips = valueAt(entry, ['clips']);
  const placed: readonly { clip: unknown; at: Path }[] = Array.isArray(clips)
    ? clips.map((clip: unknown, index) => ({ clip, at: [...path, 'clips', index] }))
    : [{ clip: clips, at: [...path, 'clips'] }];
  const message = 'this names several clips, and what is said in each is known already';
  return placed
    .filter(({ clip }) => has(clip, 'text') && knowsItsText(valueAt(clip, ['file'])))
    .map(({ at }) => atKey([...at, 'text'], message, 'leave it out'));
};

const granularityFindings = (entry: unknown, path: Path): Finding[] => {
  const format = valueAt(entry, ['format']) ?? 'json';
  if (!has(entry, 'granularities') || format === 'verbose_json') return [];
  const message = `only the format "verbose_json" has time stamps to ask for`;
  const hint = 'set format: verbose_json, or leave "granularities" out';
  return [atKey([...path, 'granularities'], message, hint)];
};

const entryFindings = (entry: unknown, path: Path): Finding[] => {
  const kind = valueAt(entry, ['kind']);
  if (kind === 'transcription') {
    return [...clipFindings(entry, path), ...granularityFindings(entry, path)];
  }
  const rules = fieldRules.get(kind);
  if (rules === undefined) return [];
  return [
    ...contentFindings(rules, entry, path),
    ...bodyFindings(rules, valueAt(entry, ['body']), [...path, 'body']),
    ...doubledFieldFindings(rules, entry, path),
    ...systemFindings(entry, path),
  ];
};

const entriesAt = (scenario: unknown, path: Path): readonly PlacedEntry[] => {
  const list = valueAt(scenario, path);
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
  const stages = valueAt(scenario, ['stages']);
  const places: Path[] = [
    ['traffic'],
    ...(Array.isArray(stages) ? stages.map((_, index) => ['stages', index, 'traffic']) : []),
  ];
  return places.flatMap((path) => entriesAt(scenario, path));
};

/** What is wrong between the fields of the traffic entries, wherever these stand, and the common `body`. */
export const brokenTrafficRules = (scenario: unknown): readonly Finding[] => [
  ...bodyFindings(chatRules, valueAt(scenario, ['body']), ['body']),
  ...placedEntries(scenario).flatMap(({ entry, path }) => entryFindings(entry, path)),
];
