import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { milliseconds } from '../model/quantity.ts';
import { isThere } from '../platform/files.ts';
import { Problem } from '../platform/problem.ts';
import { whyUnwritable } from '../platform/unreadable.ts';
import type { Subject } from '../probe/questions.ts';
import { firstScenario } from '../scenario/first-scenario.ts';
import { openWay } from './examine.ts';
import type { ExitName } from './exit-codes.ts';
import { readPlan } from './read-plan.ts';
import { toStderr, toStdout } from './streams.ts';
import { readyTarget } from './target.ts';

/** What `weir init` was asked. */
interface InitOrder {
  readonly target: string;
  readonly model: string | undefined;
  /** The name of the environment variable that holds the key. */
  readonly key: string;
  readonly out: string;
}

const inTheWay = (path: string): Problem =>
  new Problem(`${path} exists already, and is left as it is: name another file with --out FILE`);

/** What the target lists, told by its own key. */
const askTarget = async ({ target: address, model, key }: InitOrder): Promise<Subject> => {
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
  const target = await readyTarget(plan, folder);
  try {
    const way = await openWay(target, milliseconds(0), model);
    await way.close();
    return way.subject;
  } finally {
    await target.mock?.stop();
  }
};

/** Lets a person choose among the models for chats; with one of them, or without a terminal, there is nothing to choose. */
const chosen = async (
  { chat, speech, transcription, models }: Subject,
  { model }: InitOrder,
): Promise<string> => {
  const chats = models.filter((id) => id !== speech && id !== transcription);
  if (model !== undefined || chats.length < 2 || !process.stdin.isTTY) return chat;
  toStderr(`Models: ${chats.join(', ')}`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const said = (await lines.question(`Which one? [${chat}] `)).trim();
  lines.close();
  if (said === '' || chats.includes(said)) return said === '' ? chat : said;
  throw new Problem(`the target lists no model ${said}: expected one of ${chats.join(', ')}`);
};

/** Asks a target for its models and writes a first scenario, never over a file. */
export const init = async (order: InitOrder): Promise<ExitName> => {
  const { target, model, key, out } = order;
  if (await isThere(out)) throw inTheWay(out);
  const subject = await askTarget(order);
  if (model !== undefined && !subject.models.includes(model)) {
    throw new Problem(
      `the target lists no model ${model}: expected one of ${subject.models.join(', ')}`,
    );
  }
  const chat = await chosen(subject, order);
  const { speech, transcription } = subject;
  const text = firstScenario({ target, key, chat, speech, transcription }, basename(out));
  try {
    await writeFile(out, text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw inTheWay(out);
    throw new Problem(`${out} cannot be written: ${whyUnwritable(error)}`);
  }
  toStdout(
    `${out}: asks ${chat}. \`weir plan ${out}\` tells what it takes, \`weir run ${out}\` runs it.`,
  );
  return 'pass';
};
