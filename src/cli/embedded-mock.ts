import type { Plan } from '../model/plan.ts';
import type { Traffic, TrafficKind, TrafficOf } from '../model/traffic.ts';
import { settingsSchema, type SettingsInput } from '../mock/settings.ts';

const entriesOf = <K extends TrafficKind>(plan: Plan, kind: K): readonly TrafficOf<K>[] =>
  plan.stages
    .flatMap(({ traffic }) => traffic)
    .filter((entry: Traffic): entry is TrafficOf<K> => entry.kind === kind);

const merged = (defaults: readonly string[], further: readonly string[]): string[] => [
  ...new Set([...defaults, ...further]),
];

/**
 * The settings of the reference gateway for a rehearsal of `plan`: it knows the plan's models,
 * voices and prices beside its own, so that any scenario can be tried on it.
 */
export const rehearsalSettings = (plan: Plan, keys: readonly string[]): SettingsInput => {
  const defaults = settingsSchema.parse({});
  const chats = [...entriesOf(plan, 'chat'), ...entriesOf(plan, 'chat-stream')];
  const speech = entriesOf(plan, 'speech');
  const [transcription] = entriesOf(plan, 'transcription');
  return {
    ...plan.mock,
    keys: [...keys],
    seed: plan.seed,
    models: merged(
      defaults.models,
      chats.map(({ model }) => model),
    ),
    speech: {
      model: speech[0]?.model ?? defaults.speech.model,
      voices: merged(
        defaults.speech.voices,
        speech.map(({ voice }) => voice),
      ),
    },
    transcription: { model: transcription?.model ?? defaults.transcription.model },
    prices: Object.fromEntries(
      chats.flatMap(({ model, price }) => (price === null ? [] : [[model, price]])),
    ),
  };
};
