import type { Finding } from './problem.ts';
import { isMapping, type Path, valueAt } from './tree.ts';

/** What the fields of a traffic entry demand of one another. */

/** Fields with a name of their own here, and what the request body calls them. */
export const namedFields = {
  maxTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
} as const;

/** Request fields that Weir writes itself. */
const ownFields = ['model', 'messages', 'stream'] as const;

/** The ways to say what is asked. */
const contents = ['prompt', 'prompts', 'messages', 'conversations'] as const;

const atKey = (path: Path, message: string, hint: string): Finding => ({
  path,
  part: 'key',
  message,
  hint,
});

const has = (holder: unknown, field: string): boolean =>
  isMapping(holder) && Object.hasOwn(holder, field);

const bodyFindings = (body: unknown, path: Path): Finding[] =>
  ownFields
    .filter((field) => has(body, field))
    .map((field) =>
      atKey([...path, field], `Weir writes the request field "${field}" itself`, 'leave it out'),
    );

const contentFindings = (entry: unknown, path: Path): Finding[] => {
  const [first, ...others] = contents.filter((name) => has(entry, name));
  return others.map((other) =>
    atKey([...path, other], `"${first}" says what is asked already`, 'keep one of them'),
  );
};

const doubledFieldFindings = (entry: unknown, path: Path): Finding[] => {
  const body = valueAt(entry, ['body']);
  return Object.entries(namedFields)
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

const entriesAt = (scenario: unknown, path: Path): readonly { entry: unknown; path: Path }[] => {
  const list = valueAt(scenario, path);
  return Array.isArray(list)
    ? list.map((entry: unknown, index) => ({ entry, path: [...path, index] }))
    : [];
};

/** What is wrong between the fields of the traffic entries, wherever these stand, and the common `body`. */
export const brokenTrafficRules = (scenario: unknown): readonly Finding[] => {
  const stages = valueAt(scenario, ['stages']);
  const places: Path[] = [
    ['traffic'],
    ...(Array.isArray(stages) ? stages.map((_, index) => ['stages', index, 'traffic']) : []),
  ];
  const entries = places.flatMap((path) => entriesAt(scenario, path));
  return [
    ...bodyFindings(valueAt(scenario, ['body']), ['body']),
    ...entries.flatMap(({ entry, path }) => [
      ...contentFindings(entry, path),
      ...bodyFindings(valueAt(entry, ['body']), [...path, 'body']),
      ...doubledFieldFindings(entry, path),
      ...systemFindings(entry, path),
    ]),
  ];
};
