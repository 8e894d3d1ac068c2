import { basename } from 'node:path';
import { createText, fileErrorCode } from '../../platform/files/plain-files.ts';
import { pathExists } from '../../platform/files/run-folder.ts';
import { Problem } from '../../platform/problem.ts';
import { whyUnwritable } from '../../platform/files/file-error-reasons.ts';
import type { ProbeModels } from '../limits/experiment/probe-requests.ts';
import { askForFirstToken, askForModel, askForTarget, unlistedModel } from './questions.ts';
import { pricesInFile, pricesInList } from './starter-prices.ts';
import { starterScenarioText, type StarterPrices, usualFirstToken } from './starter-scenario.ts';
import { openProbe } from '../limits/examination.ts';
import type { Host } from '../../run/input/host.ts';
import { schemaFor } from '../../run/input/schema-address.ts';
import { placeholderScenario, readPlan } from '../../run/input/read-plan.ts';
import { prepareTarget } from '../../run/target/prepare-target.ts';

interface InitRequest {
  /** The address of the gateway; if `undefined`, the user is asked for the address. */
  readonly target: string | undefined;
  readonly model: string | undefined;
  /** Whether to ask the target for its models even if `model` names a model. */
  readonly preflight: boolean;
  readonly key: string;
  /** A file with prices; if `undefined`, only the gateway's own list is used. */
  readonly prices: string | undefined;
  readonly out: string;
}

const fileExists = (path: string): Problem =>
  new Problem(`${path} exists already: name another file with --out FILE`);

/** Reads the models of a target. If the user named a model, a missing or unusable list is accepted. */
const readTargetModels = async (
  { target: address, model, preflight, key }: InitRequest & { readonly target: string },
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
    const probe = await openProbe(target, model);
    await probe.close();
    return probe.models;
  } finally {
    await target.mock?.stop();
  }
};

const chooseTarget = async ({ target }: InitRequest, host: Host): Promise<string> => {
  if (target !== undefined) return target;
  if (host.ask === null) throw new Problem('expected the base address of a gateway, got nothing');
  return askForTarget(host, host.ask);
};

const chooseChatModel = async (
  { chat, speech, transcription, listed }: ProbeModels,
  { model }: InitRequest,
  host: Host,
): Promise<string> => {
  const chats = listed.filter((id) => id !== speech && id !== transcription);
  if (model !== undefined || chats.length < 2 || host.ask === null) return chat;
  return askForModel(host, host.ask, chats, chat);
};

const chatPrices = (
  { prices: file }: InitRequest,
  chat: string,
  models: ProbeModels,
  { printer }: Host,
): StarterPrices | undefined => {
  if (file === undefined) return pricesInList(chat, models);
  const found = pricesInFile(file, chat, models);
  if (found?.models.some(([model]) => model === chat) !== true)
    printer.say(`${file} has no price of ${chat}: add it to the scenario.`);
  return found;
};

const writeNew = async (out: string, text: string): Promise<void> => {
  try {
    await createText(out, text);
  } catch (error) {
    if (fileErrorCode(error) === 'EEXIST') throw fileExists(out);
    throw new Problem(`${out} cannot be written: ${whyUnwritable(error)}`);
  }
};

/**
 * Reads the models of a target and writes a first scenario. At a terminal, the user gets at most three questions: the
 * address if none was given, the model if there are several, and the highest acceptable median time to first token. A
 * file is never overwritten. Resolves with the scenario's chat model.
 */
export const writeStarterScenario = async (request: InitRequest, host: Host): Promise<string> => {
  const { model, key, out } = request;
  if (await pathExists(out)) throw fileExists(out);
  const target = await chooseTarget(request, host);
  const models = await readTargetModels({ ...request, target }, host);
  if (model !== undefined && models.listed.length > 0 && !models.listed.includes(model))
    throw new Problem(unlistedModel(model, models.listed));
  const chat = await chooseChatModel(models, request, host);
  const prices = chatPrices(request, chat, models, host);
  const firstToken = host.ask === null ? usualFirstToken : await askForFirstToken(host, host.ask);
  const { speech, transcription, listed } = models;
  const { longer = [], ...declared } = models.declared ?? { requests: null, tokens: null };
  const others = listed.filter((id) => ![chat, speech, transcription].includes(id));
  const starter = { target, key, chat, speech, transcription, declared, longer, others, prices };
  const text = starterScenarioText(
    { ...starter, firstToken, schema: schemaFor(out) },
    basename(out),
  );
  await writeNew(out, text);
  return chat;
};
