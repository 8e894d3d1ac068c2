import { measures } from '../model/measures.ts';
import { isLowerBound } from '../model/objective.ts';
import { rates } from '../model/run-figures.ts';
import type { TrafficKind } from '../model/traffic.ts';
import {
  type Fault,
  type Parsed,
  parseObjective,
  parseRequestObjective,
  type Spoken,
} from './objective-grammar.ts';
import { keyNamesOf, modelsShown, type Offer, offersOf } from './offers.ts';
import type { Finding } from './problem.ts';
import { didYouMean } from './spelling.ts';
import { isMapping, type Path, pathKey, valueAt } from './tree.ts';

/** What is wrong with a scenario's objectives, found before anything is sent. */

/** An objective's text where it stands; `item` is the long form, if it is one. */
interface Placed {
  readonly text: string;
  readonly path: Path;
  readonly item: unknown;
}

const placed = (scenario: unknown, field: 'objectives' | 'perRequest'): readonly Placed[] => {
  const list = valueAt(scenario, [field]);
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown, index): Placed[] => {
    const path = [field, index];
    if (typeof item === 'string') return [{ text: item, path, item: null }];
    const text = valueAt(item, ['objective']);
    return typeof text === 'string' ? [{ text, path: [...path, 'objective'], item }] : [];
  });
};

type Label = Spoken['labels'][number]['label'];

const labelOf = ({ labels }: Spoken, label: Label): string | undefined =>
  labels.find((each) => each.label === label)?.value;

interface Context {
  readonly offers: readonly Offer[];
  readonly keys: readonly unknown[];
  readonly filled: ReadonlyMap<string, string>;
}

/** What each label can be in this scenario, and which of it may be proposed. */
const choicesOf = (
  label: Label,
  { offers, keys, filled }: Context,
): { readonly known: readonly unknown[]; readonly shown: readonly string[] } => {
  const texts = (all: readonly unknown[]): string[] => [
    ...new Set(all.filter((each) => typeof each === 'string')),
  ];
  const plain = (known: readonly unknown[]) => ({ known, shown: texts(known) });
  switch (label) {
    case 'traffic':
      return plain(offers.map(({ kind }) => kind));
    case 'model':
      return { known: offers.map(({ model }) => model), shown: modelsShown(offers, filled) };
    case 'key':
      return plain(keys);
    case 'stage':
      return plain(offers.flatMap(({ stage, names }) => [stage, ...names]));
  }
};

const labelFaults = (spoken: Spoken, context: Context): Fault[] =>
  spoken.labels.flatMap(({ label, value }): Fault[] => {
    const { known, shown } = choicesOf(label, context);
    if (known.length === 0 || known.includes(value)) return [];
    const listed = [...new Set(shown)].slice(0, 8).join(', ');
    return [
      {
        message: `no ${label} of this scenario is called ${JSON.stringify(value)}`,
        hint: didYouMean(value, shown) ?? (listed === '' ? null : `there is: ${listed}`),
      },
    ];
  });

/** Nothing will ever be measured for some combinations of sound labels. */
const emptyScope = (spoken: Spoken, { offers }: Context): Fault[] => {
  const [traffic, model, stage] = (['traffic', 'model', 'stage'] as const).map((label) =>
    labelOf(spoken, label),
  );
  const kinds: readonly TrafficKind[] | null =
    spoken.figure.kind === 'measure' ? measures[spoken.figure.name].traffic : null;
  const matches = (offer: Offer, alsoKind: boolean): boolean =>
    (traffic === undefined || offer.kind === traffic) &&
    (model === undefined || offer.model === model) &&
    (stage === undefined || offer.stage === stage || offer.names.includes(stage)) &&
    (!alsoKind || kinds === null || kinds.some((kind) => kind === offer.kind));
  if (offers.length === 0 || offers.some((offer) => matches(offer, true))) return [];
  if (!offers.some((offer) => matches(offer, false))) {
    return [{ message: 'no request of this scenario has all of these labels', hint: null }];
  }
  const message = `"${spoken.figure.name}" is measured of ${(kinds ?? []).join(', ')} only, and none of these requests is one`;
  return [{ message, hint: null }];
};

/** Rates are counted per second of the run, where few labels are kept apart. */
const rateFaults = ({ figure, labels }: Spoken): Fault[] => {
  if (figure.kind !== 'rate') return [];
  const allowed: readonly Label[] = rates[figure.name].byTraffic ? ['stage', 'traffic'] : ['stage'];
  return labels
    .filter(({ label }) => !allowed.includes(label))
    .map(({ label }) => ({
      message: `"${figure.name}" cannot be told apart by ${label}`,
      hint: `of labels it takes ${allowed.join(' and ')}`,
    }));
};

const goodputFaults = ({ figure }: Spoken, scenario: unknown): Fault[] => {
  const wanted = valueAt(scenario, ['perRequest']);
  return figure.name === 'goodput' && (!Array.isArray(wanted) || wanted.length === 0)
    ? [
        {
          message: '"goodput" is asked for, and nothing says what a good request is',
          hint: 'add for example perRequest: ["ttft < 500ms", "e2e < 5s"]',
        },
      ]
    : [];
};

const abortFault = ({ figure, comparison }: Spoken): string | null => {
  if (figure.kind === 'count' && isLowerBound(comparison)) {
    return 'a count that must be reached is not broken before the run is over';
  }
  return figure.kind === 'rate' && rates[figure.name].early === null
    ? `"${figure.name}" is known only when the run is over`
    : null;
};

/** What the long form's fields demand of the objective. */
const longFindings = (spoken: Spoken, { item, path }: Placed): Finding[] => {
  const holder = path.slice(0, -1);
  const findings: Finding[] = [];
  const wrong = (field: string, message: string, hint: string): void => {
    if (isMapping(item) && item[field] !== undefined) {
      findings.push({ path: [...holder, field], part: 'key', message, hint });
    }
  };
  const cannotAbort = abortFault(spoken);
  if (cannotAbort !== null) wrong('abort', cannotAbort, 'leave "abort" out');
  if (isMapping(item) && item['severity'] === 'warn') {
    wrong('abort', 'an objective that only warns cannot end the run', 'keep one of the two');
  }
  if (spoken.figure.kind === 'count' || spoken.figure.kind === 'rate') {
    wrong('minSamples', `"${spoken.figure.name}" has no samples`, 'leave "minSamples" out');
  }
  return findings;
};

/** A text that the environment gave is repeated to nobody. */
const discreet = ({ path }: Placed, { filled }: Context, { message, hint }: Fault): Finding => ({
  path,
  part: 'value',
  ...(filled.has(pathKey(path))
    ? { message: 'what the environment variable holds is no sound objective here', hint: null }
    : { message, hint }),
});

const findingsOf = (
  scenario: unknown,
  list: readonly Placed[],
  parse: (text: string) => Parsed<Spoken>,
  context: Context,
): Finding[] =>
  list.flatMap((each, index) => {
    const parsed = parse(each.text);
    if (!parsed.ok) return [discreet(each, context, parsed.fault)];
    const isSecond = list.findIndex(({ text }) => text === each.text) < index;
    const again = { message: 'the same objective stands here again', hint: 'keep one of them' };
    const rest = [...rateFaults(parsed.value), ...labelFaults(parsed.value, context)];
    const faults = [
      ...(isSecond ? [again] : []),
      ...goodputFaults(parsed.value, scenario),
      ...(rest.length > 0 ? rest : emptyScope(parsed.value, context)),
    ];
    return [
      ...faults.map((found) => discreet(each, context, found)),
      ...longFindings(parsed.value, each),
    ];
  });

/** `filled` has what the environment gave, by `pathKey`. */
export const brokenObjectiveRules = (
  scenario: unknown,
  filled: ReadonlyMap<string, string>,
): readonly Finding[] => {
  const context = { offers: offersOf(scenario), keys: keyNamesOf(scenario), filled };
  return [
    ...findingsOf(scenario, placed(scenario, 'objectives'), parseObjective, context),
    ...findingsOf(scenario, placed(scenario, 'perRequest'), parseRequestObjective, context),
  ];
};
