import type { ReadResult, WorkloadFiles } from '../../model/workload/workload.ts';
import { inexactHint, inexactNumberIn } from '../../model/exact-numbers.ts';
import { withMedia } from '../../model/workload/media.ts';
import type { WrittenPart } from '../../model/workload/message.ts';
import { splitText } from '../compile/split-text.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import { isMapping } from '../text/scenario-tree.ts';
import {
  type Findings,
  placedEntries,
  type ScenarioEntry,
  type WholeScenario,
} from './placed-stages.ts';

const syntheticFields = ['tokens', 'turns', 'prefix', 'cache', 'tokenizer', 'calibration'] as const;

function* fileFindings<T>(
  file: ScenarioPart<unknown>,
  lookUp: (name: string) => ReadResult<T>,
  judge: (content: T) => Findings = () => [],
): Findings {
  if (file.validValue === undefined || file.text === null || file.text === '') return;
  const found = lookUp(file.text);
  if (found.ok) yield* judge(found.value);
  else yield file.valueFinding(found.problem);
}

function* promptFindings(entry: ScenarioEntry, files: WorkloadFiles): Findings {
  const prompt = entry.at('prompt');
  const strays = syntheticFields.filter((name) => prompt.at(name).isPresent);
  if (prompt.at('file').isPresent) {
    for (const name of strays) {
      const message = `"${name}" is for generated prompts, and "file" names a file of prompts`;
      yield prompt.at(name).keyFinding(message, 'keep one of them');
    }
  } else if (!prompt.at('tokens').isPresent) {
    const message = 'expected "tokens" for generated prompts, or "file" for prompts from a file';
    yield prompt.keyFinding(message, 'for example {tokens: 500} or {file: prompts.jsonl}');
  }
  yield* fileFindings(prompt.at('file'), (name) => files.dataset(name));
  yield* fileFindings(prompt.at('tokenizer'), (name) => files.tokenizer(name));
}

function* splitFindings(
  part: ScenarioPart<unknown>,
  text: string,
  maxCharacters: number | undefined,
): Findings {
  if (maxCharacters === undefined) return;
  const split = splitText(text, maxCharacters);
  if (!split.ok) {
    const hint = 'raise "characters" of "split", or end a sentence earlier';
    yield part.valueFinding(split.problem, hint);
  } else if (split.value.length === 0) {
    yield part.valueFinding('expected a text with at least one word to split');
  }
}

function* speechFindings(entry: ScenarioEntry, files: WorkloadFiles): Findings {
  const maxCharacters = entry.at('split').validValue?.characters;
  const texts: readonly ScenarioPart<unknown>[] = [entry.at('text'), ...entry.at('texts').items];
  for (const part of texts) {
    const file = part.at('file');
    if (part.text !== null) yield* splitFindings(part, part.text, maxCharacters);
    yield* fileFindings(
      file,
      (name) => files.text(name),
      (text) => splitFindings(file, text, maxCharacters),
    );
  }
}

/** Matches a word that is the name of a file and not an address. */
const fileName = /^(?!\w+:)\S+\.(?:jsonl?|csv|tsv|txt)$/i;

/** The advice for a field that contains the name of a file. The keys are the names of the fields. */
const repairs = {
  prompt: (name: string) =>
    /\.(?:jsonl?|csv)$/i.test(name)
      ? `write prompt: {file: ${name}}`
      : 'write prompt: {file: prompts.jsonl}, a file with a line {"prompt": "…"} for each prompt',
  text: (name: string) => `write {file: ${name}}`,
  system: () => 'put here what the file says',
};

/** Finds names of files in fields that expect a text. Without this check, the name itself would be sent as the text. */
function* fileNameFindings(entry: ScenarioEntry): Findings {
  const texts = {
    prompt: [entry.at('prompt'), ...entry.at('prompts').items],
    text: [entry.at('text'), ...entry.at('texts').items],
    system: [entry.at('system')],
  };
  for (const field of ['prompt', 'text', 'system'] as const)
    for (const part of texts[field])
      if (part.text !== null && fileName.test(part.text))
        yield part.valueFinding(
          `the name of a file, "${part.text}", would be sent as the text itself`,
          repairs[field](part.text),
        );
}

function* partFindings(content: ScenarioPart<unknown>, files: WorkloadFiles): Findings {
  for (const item of content.items) {
    const part = item.validValue as WrittenPart | undefined;
    if (part === undefined || part.type === 'text') continue;
    const found = withMedia(part, (reference) => files.media(reference));
    const field = part.type === 'image_url' ? 'url' : 'data';
    if (!found.ok) yield item.at(part.type).at(field).valueFinding(found.problem);
  }
}

function* mediaFindings(entry: ScenarioEntry, files: WorkloadFiles): Findings {
  const prompts: readonly ScenarioPart<unknown>[] = [
    entry.at('prompt'),
    ...entry.at('prompts').items,
  ];
  const conversations: readonly ScenarioPart<unknown>[] = [
    entry.at('messages'),
    ...entry.at('conversations').items,
  ];
  const messages = conversations.flatMap(({ items }) => items);
  for (const content of [...prompts, ...messages.map((message) => message.at('content'))])
    yield* partFindings(content, files);
}

/**
 * Finds whole numbers of 2^53 or more in a body. Such a number may have lost digits, so another number could be sent.
 */
function* numberFindings(entry: ScenarioEntry): Findings {
  const body = entry.at('body');
  const path = inexactNumberIn(body.written);
  if (path !== null)
    yield body.valueFinding(`the number "${path}" cannot be sent as it is`, inexactHint);
}

export function* contentRule(scenario: WholeScenario, files: WorkloadFiles): Findings {
  const entries = placedEntries(scenario);
  for (const entry of entries) {
    if (isMapping(entry.at('prompt').written)) yield* promptFindings(entry, files);
    yield* fileNameFindings(entry);
    yield* mediaFindings(entry, files);
    yield* numberFindings(entry);
  }
  for (const entry of entries) {
    if (entry.at('kind').text === 'speech') yield* speechFindings(entry, files);
  }
}
