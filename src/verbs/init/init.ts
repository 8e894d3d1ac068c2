import { basename } from 'node:path';
import { milliseconds } from '../../model/quantity.ts';
import { createText, fileErrorCode } from '../../platform/files/plain-files.ts';
import { pathExists } from '../../platform/files/run-folder.ts';
import { Problem } from '../../platform/problem.ts';
import { whyUnwritable } from '../../platform/files/file-error-reasons.ts';
import type { ProbeModels } from '../limits/experiment/probe-requests.ts';
import { starterScenarioText } from './starter-scenario.ts';
import { openProbe } from '../limits/examination.ts';
import type { Host } from '../../run/input/host.ts';
import { schemaFor } from '../../run/input/schema-address.ts';
import { placeholderScenario, readPlan } from '../../run/input/read-plan.ts';
import { prepareTarget } from '../../run/target/prepare-target.ts';

interface InitRequest {
  readonly target: string;
  readonly model: string | undefined;
  /** Whether the target is asked for its models even if `model` names one. */
  readonly preflight: boolean;
  readonly key: string;
  readonly out: string;
}

const fileExists = (path: string): Problem =>
  new Problem(`${path} exists already: name another file with --out FILE`);

const unlistedModel = (model: string, listed: readonly string[]): Problem =>
  new Problem(`the target lists no model ${model}: expected one of ${listed.join(', ')}`);

/** Reads the models of a target. If the user named a model, the list may be left out or unusable. */
const readTargetModels = async (
  { target: address, model, preflight, key }: InitRequest,
  { environment, printer: { say } }: Host,
): Promise<ProbeModels> => {
  const value = environment[key];
  if (address !== 'mock' && address !== 'container' && (value === undefined || value === '')) {
    throw new Problem(
      `--key: expected the name of an environment variable that contains the gateway’s key; ${key} is not set: run \`export ${key}=…\` first, or name another with --key NAME`,
    );
  }
  const set = [`keys=\${env:${key}}`];
  const source = { scenario: undefined, flags: placeholderScenario, set, target: address };
  const target = await prepareTarget(await readPlan(source, environment), { preflight });
  try {
    const [warning] = target.warnings;
    if (warning !== undefined && model !== undefined) say(warning);
    if (warning !== undefined && target.listing !== 'answered' && model === undefined)
      throw new Problem(`${warning} Name a chat model with --model NAME`);
    const probe = await openProbe(target, milliseconds(0), model);
    await probe.close();
    return probe.models;
  } finally {
    await target.mock?.stop();
  }
};

const chooseChatModel = async (
  { chat, speech, transcription, listed }: ProbeModels,
  { model }: InitRequest,
  { printer, ask }: Host,
): Promise<string> => {
  const chats = listed.filter((id) => id !== speech && id !== transcription);
  if (model !== undefined || chats.length < 2 || ask === null) return chat;
  printer.say(`Models: ${chats.join(', ')}`);
  const answer = (await ask(`Which one? [${chat}] `)).trim() || chat;
  if (!chats.includes(answer)) throw unlistedModel(answer, chats);
  return answer;
};

/**
 * Reads the models of a target and writes a first scenario. It never overwrites a file. Resolves with the model that
 * the scenario uses for chats.
 */
export const writeStarterScenario = async (request: InitRequest, host: Host): Promise<string> => {
  const { target, model, key, out } = request;
  if (await pathExists(out)) throw fileExists(out);
  const models = await readTargetModels(request, host);
  if (model !== undefined && models.listed.length > 0 && !models.listed.includes(model))
    throw unlistedModel(model, models.listed);
  const chat = await chooseChatModel(models, request, host);
  const { speech, transcription } = models;
  const declared = models.declared ?? { requests: null, tokens: null };
  const starter = { target, key, chat, speech, transcription, declared, schema: schemaFor(out) };
  const text = starterScenarioText(starter, basename(out));
  try {
    await createText(out, text);
  } catch (error) {
    if (fileErrorCode(error) === 'EEXIST') throw fileExists(out);
    throw new Problem(`${out} cannot be written: ${whyUnwritable(error)}`);
  }
  return chat;
};
