import type { Plan } from './plan.ts';
import { redactedTemplate } from './secret.ts';
import type { Expectation } from '../workload/expectation.ts';
import { mapContent } from '../workload/message.ts';
import type { Traffic, TrafficOf } from '../workload/traffic.ts';

const lengthMarker = (text: string): string => {
  const { length } = Array.from(text);
  return `[${length} character${length === 1 ? '' : 's'}]`;
};

/**
 * The maximum length of a text that is not replaced. Names, formats and flags are shorter; tools, schemas and examples
 * are longer.
 */
const longestKept = 40;

/** Returns JSON in which a marker replaces each text of more than 40 characters. */
const withoutLongTexts = <Json>(json: Json): Json =>
  JSON.parse(JSON.stringify(json), (_, value: unknown) =>
    typeof value === 'string' && value.length > longestKept ? lengthMarker(value) : value,
  ) as Json;

const withoutMessages = (
  conversations: TrafficOf<'chat'>['conversations'],
): TrafficOf<'chat'>['conversations'] => {
  if (Array.isArray(conversations)) {
    return conversations.map((messages) =>
      messages.map(({ role, content }) => ({ role, content: mapContent(content, lengthMarker) })),
    );
  }
  const { system } = conversations;
  return { ...conversations, system: system === null ? null : lengthMarker(system) };
};

const withoutLongExpectation = ({ expect }: { readonly expect?: Expectation | undefined }) =>
  expect === undefined ? {} : { expect: withoutLongTexts(expect) };

const withoutTexts = (traffic: Traffic): Traffic => {
  switch (traffic.kind) {
    case 'chat':
    case 'chat-stream': {
      const conversations = withoutMessages(traffic.conversations);
      const body = withoutLongTexts(traffic.body);
      return { ...traffic, conversations, body, ...withoutLongExpectation(traffic) };
    }
    case 'speech': {
      const texts = traffic.texts.map(lengthMarker);
      return { ...traffic, texts, body: withoutLongTexts(traffic.body) };
    }
    case 'transcription': {
      const clips = traffic.clips.map(({ file, text }) => ({
        file,
        text: text === null ? null : lengthMarker(text),
      }));
      return { ...traffic, clips, ...withoutLongExpectation(traffic) };
    }
    case 'models':
      return traffic;
  }
};

const redactedHeaders = (headers: Plan['headers']): Plan['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, template]) => [name, redactedTemplate(template)]),
  );

/**
 * Returns a plan without prompts and secrets, for results and reports. The returned plan is valid, but its hash differs
 * from the hash of the original plan. Messages, spoken texts, texts of clips and long texts in a body become markers
 * such as `[54 characters]`. Of headers and keys, only references remain.
 */
export const withoutPrompts = (plan: Plan): Plan => ({
  ...plan,
  keys: plan.keys.map((key) => ({ ...key, template: redactedTemplate(key.template) })),
  headers: redactedHeaders(plan.headers),
  ...(plan.targets === undefined
    ? {}
    : {
        targets: plan.targets.map((target) => ({
          ...target,
          headers: redactedHeaders(target.headers),
        })),
      }),
  stages: plan.stages.map((stage) => ({ ...stage, traffic: stage.traffic.map(withoutTexts) })),
});
