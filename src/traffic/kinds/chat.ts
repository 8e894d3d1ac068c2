import type { ChatAnswer, TokenCounts } from '../../model/observation/outcome.ts';
import { servedChatSchema } from '../../contract/chat.ts';
import type { Instant } from '../../model/quantity.ts';
import type { Expectation } from '../../model/workload/expectation.ts';
import type { Price } from '../../model/workload/price.ts';
import { chatRequest } from '../request/chat-request.ts';
import { type PromptFacts, withPrompt } from '../request/sent-prompts.ts';
import { tokenCost } from '../cost-of-tokens.ts';
import {
  finishOfChoice,
  isFailingFinish,
  isKnownFinish,
  finishOfDocument,
  shownFinish,
} from '../answer/finish-reasons.ts';
import { chatDocument } from '../answer/chat-document.ts';
import { readChatError } from '../answer/read-refusal.ts';
import { readUsage } from '../answer/read-usage.ts';
import { countedTokens } from '../answer/usage-classes.ts';
import { describeMiss, prepareExpectation } from '../answer/check-expectation.ts';
import { textsIn } from '../answer/texts-in.ts';
import { choicesOfCompletion } from '../answer/written-choices.ts';
import {
  type CompletionParts,
  CompletionTemplate,
  writtenIn,
} from '../answer/completion-template.ts';
import { withMost } from '../answer/written-bytes.ts';
import { type FailedAnswer, type JsonFormat, readJsonAnswer } from '../answer/whole-body.ts';
import type { ReadingContext, TargetMemory, TrafficHandler } from '../traffic-handler.ts';

/** Handles chat completions that are not streamed (interface, section 4.1). */
export const chat: TrafficHandler<'chat'> = {
  prepare: (traffic, prepareContext) => {
    const { prompt, prepared } = chatRequest(traffic, prepareContext);
    const { expect, price } = traffic;
    if (expect !== undefined) prepareExpectation(expect);
    return {
      ...prepared,
      read: (context) =>
        readJsonAnswer(
          context,
          // If a body equals an earlier body, the template does not read its text. An entry whose expectation needs the
          // text therefore uses no template.
          expect === undefined ? formatFor(context.targetMemory) : plainFormat,
          (completion, firstByte) => answerOf(completion, firstByte, { price, prompt, context }),
          expect === undefined ? null : (completion) => missIn(completion, expect, context),
        ),
    };
  },
};

const missIn = (
  { choices }: CompletionParts,
  expect: Expectation,
  { redact }: ReadingContext,
): string | null => {
  const [first] = choices;
  const finish = first === undefined ? null : finishOfChoice(first, first.message);
  const shown = finish === null ? null : shownFinish(finish, redact);
  return describeMiss(expect, choicesOfCompletion(choices), shown);
};

/** Returns the choices. A choice without a finish reason gets the finish reason of the document. */
const withFinish = <Choice extends Readonly<Record<string, unknown>>>(
  choices: readonly Choice[],
  reason: string | null,
): readonly Choice[] =>
  reason === null
    ? choices
    : choices.map((choice) =>
        finishOfChoice(choice, choice['message']) === null
          ? { ...choice, finish_reason: reason }
          : choice,
      );

const completionSchema = servedChatSchema.transform(({ choices, ...fields }) => ({
  // A finish reason at the top of the document applies to all choices without their own finish reason.
  choices: withFinish(choices, finishOfDocument(fields)),
  usage: readUsage({ ...fields, choices }),
}));

const plainFormat: JsonFormat<CompletionParts> = {
  name: 'a chat completion',
  schema: completionSchema,
  documentIn: chatDocument,
  errorIn: readChatError,
};

/**
 * The format of each slice of a run. Each slice has its own format, because a format learns a template from the
 * answers.
 */
const formats = new WeakMap<TargetMemory, JsonFormat<CompletionParts>>();

const formatFor = (memory: TargetMemory): JsonFormat<CompletionParts> => {
  const known = formats.get(memory);
  if (known !== undefined) return known;
  const made = { ...plainFormat, template: new CompletionTemplate() };
  formats.set(memory, made);
  return made;
};

interface AnswerTerms {
  readonly price: Price | null;
  readonly prompt: PromptFacts;
  readonly context: Pick<ReadingContext, 'fails' | 'redact'>;
}

type EndingsContext = Pick<ReadingContext, 'fails' | 'redact'>;

/**
 * Reads how the choices ended. The finish reason is that of the first failed choice. If no choice failed, it is the
 * first finish reason of any choice. It has the form that results store.
 */
const endingOf = ({ choices }: CompletionParts, { fails, redact }: EndingsContext) => {
  let first: string | null = null;
  let failed: string | null = null;
  let isKnown = true;
  let isOpen = false;
  // This code runs for each answer, so the loop creates no lists.
  for (const choice of choices) {
    const reason = finishOfChoice(choice, choice.message);
    if (reason === null) {
      isOpen = true;
      continue;
    }
    first ??= reason;
    isKnown &&= isKnownFinish(reason);
    if (failed === null && isFailingFinish(reason, fails)) failed = reason;
  }
  const reason = failed ?? first;
  const finish = reason === null ? null : shownFinish(reason, redact);
  return { finish, isFailed: failed !== null, isKnown, isOpen };
};

const noNotes: ChatAnswer['notes'] = [];

const notesOnUsage = (
  usage: CompletionParts['usage'],
  tokens: TokenCounts,
): ChatAnswer['notes'] => {
  const isOdd = usage?.isOdd === true;
  const isOff = usage?.isOff === true;
  const isZero = usage?.output === 0 && tokens.source !== 'usage';
  if (!isOdd && !isOff && !isZero) return noNotes;
  return [
    ...(isOff ? (['usage-total'] as const) : []),
    ...(isOdd ? (['usage-unreadable'] as const) : []),
    ...(isZero ? (['usage-zero'] as const) : []),
  ];
};

/** Returns notes about what is unusual in a completion, in alphabetical order. */
const notesOn = (
  completion: CompletionParts,
  { isKnown, isOpen }: ReturnType<typeof endingOf>,
  tokens: TokenCounts,
): ChatAnswer['notes'] => {
  const onUsage = notesOnUsage(completion.usage, tokens);
  const isEmpty = writtenIn(completion) === 0 && (tokens.reasoning ?? 0) === 0;
  if (isKnown && !isOpen && !isEmpty) return onUsage;
  return [
    ...(isKnown ? [] : (['finish-unknown'] as const)),
    ...(isEmpty ? (['no-content'] as const) : []),
    ...(isOpen ? (['no-finish'] as const) : []),
    ...onUsage,
  ];
};

const answerOf = (
  completion: CompletionParts,
  firstByte: Instant,
  { price, prompt, context }: AnswerTerms,
): ChatAnswer | FailedAnswer => {
  const ending = endingOf(completion, context);
  const { finish, isFailed } = ending;
  const tokens = withPrompt(tokensOf(completion), prompt, completion.usage?.isBeyondText);
  const notes = notesOn(completion, ending, tokens);
  const cost = tokenCost(tokens, price);
  const answer: ChatAnswer = { kind: 'chat', firstByte, tokens, finish, notes, cost };
  // An answer with a tool call, audio or an image is not empty, although its tokens are unknown. For such an answer,
  // `writtenIn` returns NaN.
  if (finish === null && tokens.output === 0 && writtenIn(completion) === 0) {
    const failure = 'the chat completion has neither a token nor a finish reason';
    return { issue: 'empty', failure, partial: answer };
  }
  if (!isFailed) return answer;
  const failure = `the chat completion ended with finish_reason ${JSON.stringify(finish)}`;
  return { issue: 'stream-error', failure, partial: answer };
};

const charactersPerToken = 4;

/** Returns the number of characters that the model wrote: text, reasoning, refusals and tool calls. */
const charactersOf = ({ choices }: CompletionParts): number => {
  const written = choices.flatMap(({ message }) =>
    ['reasoning', 'reasoning_content', 'thinking', 'refusal', 'tool_calls', 'function_call'].map(
      (name) => message[name] ?? '',
    ),
  );
  const texts = [
    ...written,
    ...choices.flatMap(({ message: { content } }) => [...textsIn(content)]),
  ];
  const lengths = texts.map(
    (part) => (typeof part === 'string' ? part : JSON.stringify(part)).length,
  );
  return lengths.reduce((sum, length) => sum + length, 0);
};

/**
 * Returns the token counts that the server reported. If it counted no output tokens for an answer with text, the number
 * of output tokens is estimated as a quarter of the number of characters.
 */
const tokensOf = (completion: CompletionParts): TokenCounts => {
  const { usage } = completion;
  const input = usage?.input ?? null;
  const reported = usage?.output ?? null;
  if (usage !== null && reported !== null && reported > 0)
    return withMost(
      countedTokens(input, reported, usage.classes),
      usage.isBeyondText === true ? Number.NaN : writtenIn(completion),
      completion.choices.length,
    );
  const characters = charactersOf(completion);
  return usage !== null && reported === 0 && characters === 0
    ? countedTokens(input, 0, usage.classes)
    : { input, output: Math.ceil(characters / charactersPerToken), source: 'characters' };
};
