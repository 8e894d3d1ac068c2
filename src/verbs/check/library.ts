import { type RunOptions, withWeirErrors } from '../../run/input/library-host.ts';
import { silentHost } from '../../run/input/silent-host.ts';
import type { CheckProfile } from './model/check-choices.ts';
import type { CheckReport } from './model/check-report.ts';

/** This part of the library checks an interface. Other modules are imported only when a function is called. */

export interface CheckOptions extends Pick<
  RunOptions,
  'signal' | 'set' | 'allowFiles' | 'environment'
> {
  /** A scenario file from which the target, the key and the headers are taken. */
  readonly scenario?: string | undefined;
  /** The name of the environment variable with the key; `WEIR_API_KEY` by default. */
  readonly key?: string | undefined;
  readonly model?: string | undefined;
  readonly voice?: string | undefined;
  readonly speechModel?: string | undefined;
  readonly transcriptionModel?: string | undefined;
  /** The server whose known gaps are not reported as violations. The default, `spec`, has no known gaps. */
  readonly profile?: CheckProfile | undefined;
  /** The family of rate-limit headers that the gateway sends, such as `openai`; by default `x-ratelimit-api_key-*`. */
  readonly headerFamily?: string | undefined;
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  /**
   * The tokenizer of the chat model, for the audit of usage: an encoding of OpenAI or the path of a `tokenizer.json`.
   */
  readonly tokenizer?: string | undefined;
  /** The model's base address without the gateway. */
  readonly direct?: string | undefined;
  /** The environment variable with the key of `direct`. */
  readonly directKey?: string | undefined;
  /** The model's name at `direct`. */
  readonly directModel?: string | undefined;
  /** Whether to send only requests that should cost nothing. */
  readonly noCost?: boolean | undefined;
  /** The maximum time for one answer, for example `45s`. */
  readonly timeout?: string | undefined;
}

/**
 * Checks whether a gateway (`https://host/v1`, or `mock`) keeps the interface. Resolves with the report, whatever the
 * findings are. The function does not ask before it spends the budget: some 65 requests, 1,600 tokens, 300 characters
 * of speech and 80 seconds of audio. Rejects with a `WeirError` if nothing can be checked.
 */
export const check = (
  target: string | undefined,
  options: CheckOptions = {},
): Promise<CheckReport> =>
  withWeirErrors(async () => {
    const { signal, environment, set = [], allowFiles, only, skip, noCost = false } = options;
    const { scenario, key, model, voice, speechModel, transcriptionModel } = options;
    const { profile, headerFamily, timeout, tokenizer } = options;
    const { direct, directKey, directModel } = options;
    signal?.throwIfAborted();
    const { performCheck } = await import('./perform-check.ts');
    const host = silentHost(environment, signal ?? new AbortController().signal, []);
    const where = { scenario, target, set, allowFiles, key };
    const models = { model, voice, speechModel, transcriptionModel };
    const which = {
      profile,
      headerFamily,
      only: only?.join(','),
      skip: skip?.join(','),
      noCost,
      timeout,
    };
    const audit = { tokenizer, direct, directKey, directModel };
    const request = { ...where, ...models, ...which, ...audit };
    return (await performCheck(request, host, async () => undefined)).report;
  });
