import {
  defineVerb,
  inGroup,
  listOption,
  positionals,
  preflightOption,
  switchOption,
  textOption,
  UsageProblem,
} from '../../../cli/options/define-verb.ts';
import { checkKeyName } from '../../../cli/options/key-name.ts';
import { outputOptions } from '../../../cli/options/output-options.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

/** The options that only one of the two examinations has. */
const ofRequests = ['class', 'checks', 'quick', 'explain'] as const;
const ofTokens = ['context', 'unit', 'yesTokens'] as const;

const asFlag = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Rejects an option that only the other examination uses, since the chosen examination would ignore it. */
const rejectMixedOptions = (given: Readonly<Record<string, unknown>>): void => {
  const hasTokens = given['tokens'] !== undefined;
  const isGiven = (name: string): boolean => given[name] !== undefined && given[name] !== false;
  const idle = (hasTokens ? ofRequests : ofTokens).find(isGiven);
  if (idle === undefined) return;
  throw new UsageProblem(
    hasTokens
      ? `${asFlag(idle)}: expected without --tokens, since it is of the examination of requests. Leave out one of the two${idle === 'quick' ? ' (--tokens quick is the shorter examination of tokens)' : ''}`
      : `${asFlag(idle)}: expected with --tokens, since it is of the examination of tokens. Add --tokens, or leave it out`,
  );
};

/**
 * Rejects `--same-team` without a second key. Also rejects a second key that an examination of tokens would not use.
 */
const rejectLoneTeam = (given: {
  readonly sameTeam: boolean;
  readonly secondKey: string | undefined;
  readonly tokens: string | undefined;
}): void => {
  const { sameTeam, secondKey, tokens } = given;
  if (sameTeam && secondKey === undefined)
    throw new UsageProblem(
      '--same-team: expected with the second key of the team. Add --second-key NAME, or leave it out',
    );
  if (tokens !== undefined && secondKey !== undefined && !sameTeam)
    throw new UsageProblem(
      '--second-key: expected with --same-team where --tokens examines the limit of a team; without it only the examination of requests uses another key. Add --same-team, or leave one of the two out',
    );
};

export const limitsVerb = defineVerb({
  options: {
    ...outputOptions,
    ...inGroup('Examination:', {
      window: textOption('Length of the window of the limits [60s]'),
      class: textOption('Compliant limiters, separated by commas [all]'),
      checks: textOption(
        'Parts of the examination: counting, even, provocation, sustained, concurrency, exhausted [all]',
      ),
      sustain: textOption(
        'Windows of load above the limit: 3 prove a rate 40 % too high, 10 one 20 % too high or 40 % too low [3, with --tokens 0]',
      ),
      quick: switchOption('Only identify the limiter'),
      explain: switchOption(
        'Show which decisions distinguish the named limiter from the next best',
      ),
      tokens: textOption(
        'Examine the limit of tokens instead: full (13 min and 7 times the limit), or quick (6 min, half of that)',
      ),
      context: textOption('Context of the model in tokens, for --tokens [as the list says]'),
      unit: textOption(
        'What the limit of tokens counts: tokens, input-tokens or output-tokens [tokens]',
      ),
      'yes-tokens': switchOption(
        'Nobody else uses the key and usage is what is charged: decides what headers leave open, also if what remains falls by up to twice what was used',
      ),
      price: textOption(
        'Price of a million tokens, INPUT/OUTPUT[/CACHED], for the budget: 0.15/0.60',
      ),
      yes: switchOption('Spend the budget without asking'),
    }),
    ...inGroup(positionals, {
      scenario: textOption('Take target, keys, headers and limits from this scenario file'),
    }),
    ...inGroup('Target:', {
      target: textOption(
        'Base address (https://host/v1), or `mock` for the embedded reference gateway',
      ),
      key: textOption('Environment variable with the key to examine [WEIR_API_KEY]'),
      'second-key': textOption(
        'Environment variable with another idle key, to see whether they are independent',
      ),
      'same-team': switchOption(
        'The limit is that of a team with both keys, which are used in turn',
      ),
      model: textOption('Model for the chats [the first of the list, with --tokens the cheapest]'),
      ...preflightOption,
      set: listOption(
        'Override a field of the scenario: --set limits.requestsPerMinute=120 --set mock.limits.profile=litellm',
      ),
      'allow-files': switchOption('Let the scenario name files outside its folder'),
    }),
    ...inGroup('Output:', {
      out: textOption(
        'Folder for limits.json, limits.html and limits.junit.xml [reports/TIME-limits]',
      ),
    }),
  },
  run: async (given) => {
    rejectMixedOptions(given);
    const { quick, checks, scenario, key, secondKey } = given;
    if (quick && checks !== undefined) {
      throw new UsageProblem(
        `--quick and --checks: expected one of them, got both: --quick chooses the checks itself`,
      );
    }
    checkKeyName('key', key);
    checkKeyName('second-key', secondKey);
    // A scenario names its own key, so only a target without a scenario has a default key.
    const first = key ?? (scenario === undefined ? 'WEIR_API_KEY' : undefined);
    if (secondKey !== undefined && secondKey === first) {
      throw new UsageProblem(
        `--second-key: expected another key than the first, got ${secondKey} for both`,
      );
    }
    rejectLoneTeam(given);
    if (given.tokens !== undefined) {
      const { examineTokenLimit } = await import('../token-limits.ts');
      return examineTokenLimit({ ...given, tokens: given.tokens }, terminalHost(given));
    }
    const { examineLimits } = await import('../limits.ts');
    return examineLimits({ ...given, permitted: given.class }, terminalHost(given));
  },
});
