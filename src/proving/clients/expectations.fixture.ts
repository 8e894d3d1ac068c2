import type { Client } from './run-driver.ts';

/** What clients of others are expected to see of the reference gateway. */

/** What every client that has the feature sees; an error is its class and status. */
const common = {
  models: ['weir/small', 'weir/large', 'weir-tts', 'weir/whisper'],
  model: 'weir/large',
  chat: [12, 'length', 12],
  stream: [12, 12],
  tools: ['weather', 'string'],
  structured: ['string', true],
  choices: 3,
  logprobs: 4,
  image: 4,
  speech: 'RIFF',
  transcription: 'The gate is open.',
  wrongKey: ['AuthenticationError', 401],
  badRequest: ['BadRequestError', 400],
  unknownModel: ['NotFoundError', 404],
  limited: ['RateLimitError', 429],
} as const;

export type Feature = keyof typeof common;
export const features = Object.keys(common) as readonly Feature[];

/** What a client sees instead, or why it has nothing to see. */
type Difference = { readonly sees: unknown; readonly because: string } | { readonly lacks: string };

export interface ExpectedClient extends Client {
  readonly name: string;
  readonly differences: Partial<Readonly<Record<Feature, Difference>>>;
}

const noModels = { lacks: 'has no list of models' };
const noAudio = { lacks: 'has no audio' };

/** The statuses of the four errors, each with one class of a client's own. */
const errorsNamed = (
  names: Readonly<Record<'wrongKey' | 'badRequest' | 'unknownModel' | 'limited', string>>,
  because: string,
): ExpectedClient['differences'] => ({
  wrongKey: { sees: [names.wrongKey, 401], because },
  badRequest: { sees: [names.badRequest, 400], because },
  unknownModel: { sees: [names.unknownModel, 404], because },
  limited: { sees: [names.limited, 429], because },
});

const sameName = (name: string) => ({
  wrongKey: name,
  badRequest: name,
  unknownModel: name,
  limited: name,
});

export const expectedClients: readonly ExpectedClient[] = [
  {
    name: 'openai (Node) 7.57.0',
    driver: 'openai-node.mjs',
    requirements: null,
    differences: {},
  },
  {
    name: 'openai (Python) 3.54.0',
    driver: 'openai_python.py',
    requirements: 'langchain.txt',
    differences: {},
  },
  {
    name: 'ai 7.0.173',
    driver: 'ai-sdk.mjs',
    requirements: null,
    differences: {
      models: noModels,
      model: noModels,
      choices: { lacks: 'asks for one choice only' },
      logprobs: { lacks: 'does not ask for them of a compatible provider' },
      transcription: {
        sees: ['APICallError', 200, 'The gate is open.'],
        because:
          'demands segments with nine fields of OpenAI’s, where the interface (2.7) has three, and reads those of `responseFormat: "verbose_json"`',
      },
      ...errorsNamed(sameName('APICallError'), 'has one class for all statuses'),
    },
  },
  {
    name: 'langchain-openai 1.7.3',
    driver: 'langchain_python.py',
    requirements: 'langchain.txt',
    differences: {
      models: noModels,
      model: noModels,
      speech: noAudio,
      transcription: noAudio,
      ...errorsNamed(
        {
          wrongKey: 'OpenAIAuthenticationError',
          badRequest: 'OpenAIInvalidRequestError',
          unknownModel: 'OpenAIModelNotFoundError',
          limited: 'OpenAIRateLimitError',
        },
        'has its own error classes',
      ),
    },
  },
  {
    name: 'litellm (SDK) 1.83.14',
    driver: 'litellm_python.py',
    requirements: 'litellm.txt',
    differences: { models: noModels, model: noModels },
  },
  {
    name: 'instructor 1.17.0',
    driver: 'instructor_python.py',
    requirements: 'instructor.txt',
    differences: {
      models: noModels,
      model: noModels,
      chat: { lacks: 'answers by models of pydantic only' },
      stream: { sees: ['string', true], because: 'streams parts of a model' },
      tools: { sees: ['string', true], because: 'reads the arguments as a model' },
      choices: { lacks: 'reads one choice only' },
      logprobs: { lacks: 'answers by models of pydantic only' },
      image: { lacks: 'sends images as openai does' },
      speech: noAudio,
      transcription: noAudio,
      ...errorsNamed(sameName('InstructorRetryException'), 'wraps what the client threw'),
    },
  },
];

/** What a client is expected to see of a feature; undefined if it lacks it. */
export const expectedOf = ({ differences }: ExpectedClient, feature: Feature): unknown => {
  const difference = differences[feature];
  if (difference === undefined) return common[feature];
  return 'lacks' in difference ? undefined : difference.sees;
};
