import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { milliseconds } from '../../model/quantity.ts';
import { pathExists } from '../../platform/files/run-folder.ts';
import { Problem } from '../../platform/problem.ts';
import { whyUnwritable } from '../../platform/files/file-error-reasons.ts';
import type { ProbeModels } from '../../probe/probe-requests.ts';
import { starterScenarioText } from '../../scenario/starter-scenario.ts';
import { openProbe } from './examination.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { readPlan } from '../../run/input/read-plan.ts';
import { toStderr, toStdout } from '../../platform/standard-streams.ts';
import { prepareTarget } from '../../run/target/prepare-target.ts';

/** What `weir init` was asked. */
interface InitRequest {
  readonly target: string;
  readonly model: string | undefined;
  /** The name of the environment variable that holds the key. */
  readonly key: string;
  readonly out: string;
}

const fileExists = (path: string): Problem =>
  new Problem(`${path} exists already, and is left as it is: name another file with --out FILE`);

/** What the target lists, told by its own key. */
const readTargetModels = async ({
  target: address,
  model,
  key,
}: InitRequest): Promise<ProbeModels> => {
  const value = process.env[key];
  if (address !== 'mock' && address !== 'container' && (value === undefined || value === '')) {
    throw new Problem(
      `--key: expected the name of an environment variable that holds the gateway’s key; ${key} is not set: run \`export ${key}=…\` first, or name another with --key NAME`,
    );
  }
  const { plan, folder } = await readPlan({
    scenario: undefined,
    flags: { kind: 'models', rate: '1/s', duration: '1s' },
    set: [`keys=\${env:${key}}`],
    target: address,
  });
  const target = await prepareTarget(plan, folder);
  try {
    const probe = await openProbe(target, milliseconds(0), model);
    await probe.close();
    return probe.models;
  } finally {
    await target.mock?.stop();
  }
};

/** Lets a person choose among the models for chats; with one of them, or without a terminal, there is nothing to choose. */
const chooseChatModel = async (
  { chat, speech, transcription, listed }: ProbeModels,
  { model }: InitRequest,
): Promise<string> => {
  const chats = listed.filter((id) => id !== speech && id !== transcription);
  if (model !== undefined || chats.length < 2 || !process.stdin.isTTY) return chat;
  toStderr(`Models: ${chats.join(', ')}`);
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = (await prompt.question(`Which one? [${chat}] `)).trim();
  prompt.close();
  if (answer === '' || chats.includes(answer)) return answer === '' ? chat : answer;
  throw new Problem(`the target lists no model ${answer}: expected one of ${chats.join(', ')}`);
};

/** Asks a target for its models and writes a first scenario, never over a file. */
export const init = async (request: InitRequest): Promise<ExitName> => {
  const { target, model, key, out } = request;
  if (await pathExists(out)) throw fileExists(out);
  const models = await readTargetModels(request);
  if (model !== undefined && !models.listed.includes(model)) {
    throw new Problem(
      `the target lists no model ${model}: expected one of ${models.listed.join(', ')}`,
    );
  }
  const chat = await chooseChatModel(models, request);
  const { speech, transcription } = models;
  const text = starterScenarioText({ target, key, chat, speech, transcription }, basename(out));
  try {
    await writeFile(out, text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw fileExists(out);
    throw new Problem(`${out} cannot be written: ${whyUnwritable(error)}`);
  }
  toStdout(
    `${out}: asks ${chat}. \`weir plan ${out}\` tells what it takes, \`weir run ${out}\` runs it.`,
  );
  return 'pass';
};
