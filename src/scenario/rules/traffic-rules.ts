import { templateProblem } from '../../model/plan/secret.ts';
import { chatBodyFields, chatContentFields } from '../schema/traffic-schema.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import {
  type Findings,
  placedEntries,
  type ScenarioEntry,
  type WholeScenario,
} from './placed-stages.ts';

interface FieldRules {
  /** The fields that can contain the content of an entry. An entry has at most one of these fields. */
  readonly contents: readonly string[];
  readonly contentMeaning: string;
  /**
   * The fields of a request that Weir sets itself. The value is the field of the entry that the user should write
   * instead, or `null`.
   */
  readonly reservedFields: Readonly<Record<string, string | null>>;
  /** The fields of an entry that have other names in the request body. The values are the names in the body. */
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

function* reservedFieldFindings(rules: FieldRules, body: ScenarioPart<unknown>): Findings {
  for (const [field, entryField] of Object.entries(rules.reservedFields)) {
    if (!body.names.includes(field)) continue;
    const hint = entryField === null ? 'leave it out' : `use the entry's field "${entryField}"`;
    yield body.at(field).keyFinding(`Weir sets the request field "${field}" itself`, hint);
  }
}

function* fieldFindings(rules: FieldRules, entry: ScenarioEntry): Findings {
  const body = entry.at('body');
  const keepOne = 'keep one of them';
  const [first, ...others] = rules.contents.filter((name) => entry.names.includes(name));
  for (const other of others) {
    yield entry.at(other).keyFinding(`"${first}" already says ${rules.contentMeaning}`, keepOne);
  }
  yield* reservedFieldFindings(rules, body);
  for (const [name, field] of Object.entries(rules.namedBodyFields)) {
    if (entry.names.includes(name) && body.names.includes(field)) {
      yield body.at(field).keyFinding(`"${name}" already sets this field`, keepOne);
    }
  }
  const conversations = [entry.at('messages'), ...entry.at('conversations').items];
  const roles = conversations.map((conversation) => conversation.items[0]?.at('role').text);
  if (entry.names.includes('system') && roles.includes('system')) {
    const message = 'a conversation of this entry already begins with a system message';
    yield entry.at('system').keyFinding(message, keepOne);
  }
}

/** Returns whether a clip source already contains the text of each of its clips. */
const hasKnownText = (file: string): boolean => file === 'bundled' || file.endsWith('.json');

function* transcriptionFindings(entry: ScenarioEntry): Findings {
  const clips: ScenarioPart<unknown> = entry.at('clips');
  const sources: readonly ScenarioPart<unknown>[] = clips.isList ? clips.items : [clips];
  for (const clip of sources) {
    if (!clip.names.includes('text') || !hasKnownText(clip.at('file').text ?? '')) continue;
    const message = 'this names several clips, each with its own text';
    yield clip.at('text').keyFinding(message, 'leave it out');
  }
  const format = entry.at('format').written ?? 'json';
  if (!entry.names.includes('granularities') || format === 'verbose_json') return;
  const message = 'only the format "verbose_json" has time stamps';
  const hint = 'set format: verbose_json, or leave "granularities" out';
  yield entry.at('granularities').keyFinding(message, hint);
}

/** Finds unknown references in the texts of a body. */
function* templateFindings(part: ScenarioPart<unknown>): Findings {
  const problem = part.text === null ? null : templateProblem(part.text);
  if (problem !== null) yield part.valueFinding(problem);
  for (const item of part.items) yield* templateFindings(item);
  for (const name of part.names)
    yield* templateFindings((part as ScenarioPart<Record<string, unknown>>).at(name));
}

export function* trafficRule(scenario: WholeScenario): Findings {
  yield* reservedFieldFindings(chatRules, scenario.at('body'));
  yield* templateFindings(scenario.at('body'));
  for (const entry of placedEntries(scenario)) {
    yield* templateFindings((entry as ScenarioPart<{ readonly body?: unknown }>).at('body'));
    const kind = entry.at('kind').text ?? '';
    const rules = fieldRules.get(kind);
    if (rules !== undefined) yield* fieldFindings(rules, entry);
    if (kind === 'transcription') yield* transcriptionFindings(entry);
  }
}
