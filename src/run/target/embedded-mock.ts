import type { Plan } from '../../model/plan/plan.ts';
import { type SettingsInput, testKey } from '../../mock/settings/settings.ts';

const merged = (defaults: readonly string[], further: readonly string[]): string[] => [
  ...new Set([...defaults, ...further]),
];

/** Returns the test keys that the gateway accepts: at least three, and at least as many as the plan has. */
export const defaultMockKeys = ({ keys }: Plan): readonly string[] =>
  Array.from({ length: Math.max(3, keys.length) }, (_, index) => testKey(index));

/**
 * Returns the settings of the reference gateway for a trial of `plan`. The gateway then also knows the models, voices
 * and prices of the plan, so any scenario can be tried on the gateway.
 */
export const embeddedMockSettings = (plan: Plan, keys: readonly string[]): SettingsInput => {
  const { mock } = plan;
  const entries = plan.stages.flatMap(({ traffic }) => traffic);
  const chats = [
    ...entries.filter((entry) => entry.kind === 'chat'),
    ...entries.filter((entry) => entry.kind === 'chat-stream'),
  ];
  const speech = entries.filter((entry) => entry.kind === 'speech');
  const transcription = entries.find((entry) => entry.kind === 'transcription');
  return {
    ...mock,
    keys: [...keys],
    ...(plan.auth === undefined ? {} : { keyHeader: plan.auth.header }),
    seed: plan.seed,
    models: merged(
      mock.models,
      chats.map(({ model }) => model),
    ),
    speech: {
      ...mock.speech,
      model: speech[0]?.model ?? mock.speech.model,
      voices: merged(
        mock.speech.voices,
        speech.map(({ voice }) => voice),
      ),
    },
    transcription: {
      ...mock.transcription,
      model: transcription?.model ?? mock.transcription.model,
    },
    prices: Object.fromEntries(
      chats.flatMap(({ model, price }) =>
        price === null ? [] : [[model, { input: price.input, output: price.output }]],
      ),
    ),
  };
};
