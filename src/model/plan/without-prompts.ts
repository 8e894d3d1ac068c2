import type { z } from 'zod';
import type { Plan } from './plan.ts';
import { redactedTemplate } from './secret.ts';
import type { Expectation } from '../workload/expectation.ts';
import { mapContent } from '../workload/message.ts';
import type { Traffic, TrafficOf } from '../workload/traffic.ts';

const lengthMarker = (text: string): string => {
  const { length } = Array.from(text);
  return `[${length} character${length === 1 ? '' : 's'}]`;
};

/** Names, formats and flags of a request body are shorter; tools, schemas and examples are not. */
const longestKept = 40;

type Json = z.infer<ReturnType<typeof z.json>>;

const withoutLongTexts = (value: Json): Json => {
  if (typeof value === 'string') return value.length > longestKept ? lengthMarker(value) : value;
  if (Array.isArray(value)) return value.map(withoutLongTexts);
  if (typeof value !== 'object' || value === null) return value;
  return withoutLongFields(value);
};

const withoutLongFields = (fields: Readonly<Record<string, Json>>): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, withoutLongTexts(value)]),
  );

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

/** A schema or pattern may be private. */
const withoutLongExpectation = ({ expect }: { readonly expect?: Expectation | undefined }) => {
  if (expect === undefined) return {};
  const { schema, matches } = expect;
  return {
    expect: {
      ...expect,
      ...(matches === undefined ? {} : { matches: withoutLongTexts(matches) as string }),
      ...(schema === undefined ? {} : { schema: withoutLongTexts(schema) as typeof schema }),
    },
  };
};

const withoutTexts = (traffic: Traffic): Traffic => {
  switch (traffic.kind) {
    case 'chat':
    case 'chat-stream': {
      const conversations = withoutMessages(traffic.conversations);
      const body = withoutLongFields(traffic.body);
      return { ...traffic, conversations, body, ...withoutLongExpectation(traffic) };
    }
    case 'speech': {
      const texts = traffic.texts.map(lengthMarker);
      return { ...traffic, texts, body: withoutLongFields(traffic.body) };
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

/**
 * The plan without prompts and secrets, for results and reports; still a valid plan. Each message,
 * spoken text and clip text, and each text of more than 40 characters in a body, becomes a marker such
 * as `[54 characters]`; headers and keys keep only their references. Its hash differs from the plan's.
 */
export const withoutPrompts = (plan: Plan): Plan => ({
  ...plan,
  keys: plan.keys.map((key) => ({ ...key, template: redactedTemplate(key.template) })),
  headers: Object.fromEntries(
    Object.entries(plan.headers).map(([name, template]) => [name, redactedTemplate(template)]),
  ),
  stages: plan.stages.map((stage) => ({ ...stage, traffic: stage.traffic.map(withoutTexts) })),
});
