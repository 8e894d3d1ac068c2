import {
  type CheckProfile,
  checkProfiles,
  checkTopics,
  namedTopics,
} from './model/check-choices.ts';
import { headerFamilyNames } from '../../traffic/limits/header-families.ts';
import { Problem } from '../../platform/problem.ts';
import { isFree, checkTable, requestsFor } from './suite/check-table.ts';
import type { Check, CheckRequest } from './reading/check-case.ts';
import { namedChecks } from './suite/named-checks.ts';
import { durationNotation } from '../../scenario/schema/notation.ts';
import { didYouMean } from '../../scenario/text/spelling.ts';
import { bounded, readOption } from '../../run/input/read-option.ts';
import type { TargetRequest } from '../../run/target/target-plan.ts';

export interface CheckSettings extends Omit<TargetRequest, 'secondKey'> {
  readonly model: string | undefined;
  readonly voice: string | undefined;
  readonly speechModel: string | undefined;
  readonly transcriptionModel: string | undefined;
  readonly profile: string | undefined;
  /** The family of rate-limit headers that the gateway sends instead of the documented `x-ratelimit-api_key-*`. */
  readonly headerFamily?: string | undefined;
  /** Whether the target is checked before anything else is sent; true by default. */
  readonly preflight?: boolean | undefined;
  /** The names of the checks or topics to perform, separated by commas. */
  readonly only: string | undefined;
  readonly skip: string | undefined;
  /** The tokenizer of the chat model: an encoding of OpenAI or the path of a `tokenizer.json`. */
  readonly tokenizer?: string | undefined;
  /**
   * The base address of the model without the gateway, the environment variable with the key for this address, and the
   * model's name there.
   */
  readonly direct?: string | undefined;
  readonly directKey?: string | undefined;
  readonly directModel?: string | undefined;
  /** Whether to send only requests that should cost nothing. */
  readonly noCost: boolean;
  readonly timeout: string | undefined;
}

export interface CheckSelection {
  readonly profile: CheckProfile;
  readonly checks: readonly Check[];
  readonly requests: readonly CheckRequest[];
  /** The maximum time for one answer, in ms. */
  readonly timeout: number;
}

const topics: readonly string[] = [...checkTopics, ...namedTopics];
const everyCheck: readonly Check[] = [...checkTable, ...namedChecks];
const names: readonly string[] = [...topics, ...everyCheck.map(({ id }) => id)];

/** Reads the names of checks and topics. The name of a request means all checks of its answer. */
const readNames = (option: string, text: string): ReadonlySet<string> => {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const [unknown] = words.filter((word) => !names.includes(word));
  if (words.length === 0 || unknown !== undefined) {
    const near = unknown === undefined ? null : didYouMean(unknown, names);
    throw new Problem(
      `--${option}: expected checks or topics, separated by commas (topics: ${topics.join(', ')}); got ${unknown ?? 'none'}${near === null ? '' : `; ${near}`}`,
    );
  }
  return new Set(words);
};

const profileOf = (text: string | undefined): CheckProfile => {
  const profile = checkProfiles.find((each) => each === (text ?? 'spec'));
  if (profile !== undefined) return profile;
  const near = didYouMean(text ?? '', checkProfiles);
  throw new Problem(
    `--profile: expected one of ${checkProfiles.join(', ')}; got ${text}${near === null ? '' : `; ${near}`}`,
  );
};

const rejectUnknownFamily = (family: string | undefined): void => {
  if (family === undefined || headerFamilyNames.includes(family)) return;
  const near = didYouMean(family, headerFamilyNames);
  throw new Problem(
    `--header-family: expected one of ${headerFamilyNames.join(', ')}; got ${family}${near === null ? '' : `; ${near}`}`,
  );
};

/** The notation of durations from 100 ms to 10 minutes. */
const timeoutNotation = bounded(durationNotation, (length) => length >= 100 && length <= 600_000);

/** Reads the options. Throws a `Problem` if an option is wrong. */
export const selectChecks = ({
  profile,
  headerFamily,
  only,
  skip,
  noCost,
  timeout,
}: Pick<
  CheckSettings,
  'profile' | 'headerFamily' | 'only' | 'skip' | 'noCost' | 'timeout'
>): CheckSelection => {
  rejectUnknownFamily(headerFamily);
  const wanted = only === undefined ? null : readNames('only', only);
  const left = skip === undefined ? null : readNames('skip', skip);
  const chosen = (wanted === null ? checkTable : everyCheck).filter(({ id, topic }) => {
    const isAmong = (named: ReadonlySet<string>): boolean => named.has(id) || named.has(topic);
    return (wanted === null || isAmong(wanted)) && (left === null || !isAmong(left));
  });
  const all = requestsFor(chosen);
  const requests = noCost ? all.filter(isFree) : all;
  const sent = new Set(requests.map(({ id }) => id));
  const isSendable = ({ needs, uses }: Check): boolean =>
    needs.every((id) => sent.has(id)) && (uses.length === 0 || uses.some((id) => sent.has(id)));
  const checks = noCost ? chosen.filter(isSendable) : chosen;
  if (checks.length === 0) {
    throw new Problem(
      `--only, --skip and --no-cost leave no check: expected at least one of ${checkTopics.join(', ')}`,
    );
  }
  return {
    profile: profileOf(profile),
    checks,
    requests,
    timeout: readOption('timeout', timeout ?? '45s', timeoutNotation),
  };
};
