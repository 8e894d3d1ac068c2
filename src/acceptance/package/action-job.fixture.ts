import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { startProgram, tempFolder } from '../harness/weir-process.fixture.ts';

/**
 * A job of GitHub that uses the action: its `run` steps are run as they stand, by the shell and with the variables that a
 * runner gives them; a cache and an artifact store in folders stand in for the actions of GitHub.
 */

const actionFolder = resolve(import.meta.dirname, '../../../.github/actions/weir');

const stepSchema = z.strictObject({
  name: z.string().optional(),
  id: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  shell: z.literal('bash').optional(),
  env: z.record(z.string(), z.string()).optional(),
  run: z.string().optional(),
});
type Step = z.infer<typeof stepSchema>;

export const action = z
  .object({
    inputs: z.record(
      z.string(),
      z.strictObject({
        description: z.string(),
        required: z.boolean().optional(),
        default: z.string().optional(),
      }),
    ),
    outputs: z.record(z.string(), z.strictObject({ description: z.string(), value: z.string() })),
    runs: z.strictObject({ using: z.literal('composite'), steps: z.array(stepSchema) }),
  })
  .parse(parse(await readFile(join(actionFolder, 'action.yml'), 'utf8')));

interface StepState {
  outcome: 'success' | 'failure' | 'skipped';
  readonly outputs: Record<string, string>;
}

/** What a job leaves. */
export interface FinishedJob {
  readonly ok: boolean;
  readonly log: string;
  /** The job's page. */
  readonly page: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** The names of the files of the artifact. */
  readonly artifact: readonly string[];
}

/** What outlives a job. */
export interface Repository {
  /** The checked-out files, where steps run. */
  readonly workspace: string;
  /** The cache: a folder for each key, in the order in which they were saved. */
  readonly cache: Map<string, string>;
}

export const emptyRepository = async (): Promise<Repository> => ({
  workspace: await tempFolder(),
  cache: new Map(),
});

/** Evaluates the few forms of expressions that the action uses; throws for any other. */
class Expressions {
  readonly #values: (path: string) => string;
  readonly #workspace: string;

  constructor(workspace: string, values: (path: string) => string) {
    this.#workspace = workspace;
    this.#values = values;
  }

  async #term(term: string): Promise<string> {
    const text = term.trim();
    const [, hashed] = /^hashFiles\(([\w.-]+)\)$/.exec(text) ?? [];
    if (hashed !== undefined) {
      const content = await readFile(join(this.#workspace, this.#values(hashed)));
      return createHash('sha256').update(content).digest('hex');
    }
    const [, literal] = /^'([^']*)'$/.exec(text) ?? [];
    if (literal !== undefined) return literal;
    if (/^[a-z][\w-]*(\.[\w-]+)+$/.test(text)) return this.#values(text);
    throw new Error(`This form of expression is not known here: ${text}`);
  }

  async #comparison(text: string): Promise<string> {
    const [, left, operator, right] = /^(.+?)(==|!=)(.+)$/.exec(text) ?? [];
    if (left === undefined || right === undefined) return this.#term(text);
    const isEqual = (await this.#term(left)) === (await this.#term(right));
    return String(isEqual === (operator === '=='));
  }

  /** A text with expressions in it. */
  async text(template: string): Promise<string> {
    let result = '';
    for (const [index, part] of template.split(/\$\{\{(.+?)\}\}/).entries())
      result += index % 2 === 0 ? part : await this.#comparison(part);
    return result;
  }

  /** The condition of a step: without `always()` it needs that none before has failed. */
  async holds(condition: string | undefined, failed: boolean): Promise<boolean> {
    const parts = (condition ?? '').split('&&').map((part) => part.trim());
    if (failed && !parts.includes('always()')) return false;
    for (const part of parts.filter((each) => each !== '' && each !== 'always()'))
      if ((await this.#comparison(part)) !== 'true') return false;
    return true;
  }
}

/** The actions of GitHub that the steps use, by name and full version. */
const standIns: Readonly<
  Record<string, (words: Record<string, string>, place: JobPlace) => Promise<void>>
> = {
  // The Node that runs the tests comes first on the path.
  'actions/setup-node': async () => undefined,
  'actions/cache/restore': async ({ path, key, 'restore-keys': prefix }, place) => {
    const keys = [...place.repository.cache.keys()];
    const found = keys.includes(key!) ? key : keys.findLast((each) => each.startsWith(prefix!));
    if (found === undefined) return;
    const saved = place.repository.cache.get(found)!;
    await cp(saved, join(place.repository.workspace, path!), { recursive: true });
  },
  'actions/cache/save': async ({ path, key }, { repository }) => {
    if (repository.cache.has(key!)) throw new Error('a cache is never written over');
    const saved = await tempFolder();
    await cp(join(repository.workspace, path!), saved, { recursive: true });
    repository.cache.set(key!, saved);
  },
  'actions/upload-artifact': async (words, { repository, artifact }) => {
    const source = join(repository.workspace, words['path']!);
    if (!existsSync(source) && words['if-no-files-found'] === 'ignore') return;
    await cp(source, artifact, { recursive: true });
  },
};

interface JobPlace {
  readonly repository: Repository;
  readonly artifact: string;
}

/** `name=value` lines of a file that a step has written. */
const outputsIn = async (path: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await readFile(path, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

/** Runs the steps of the action with `inputs`, on a branch, as the `number`th run of the workflow. */
export const runJob = async (
  repository: Repository,
  inputs: Readonly<Record<string, string>>,
  { branch, number }: { readonly branch: string; readonly number: number },
): Promise<FinishedJob> => {
  const scratch = await tempFolder();
  const place = { repository, artifact: join(scratch, 'artifact') };
  await mkdir(place.artifact);
  const states = new Map<string, StepState>();
  const given = new Map<string, string>();
  const github: Readonly<Record<string, string>> = {
    run_id: String(number),
    run_attempt: '1',
    ref_name: branch,
    'event.repository.default_branch': 'main',
  };
  const expressions = new Expressions(repository.workspace, (path) => {
    const [context, ...rest] = path.split('.');
    const name = rest.join('.');
    if (context === 'inputs') return given.get(name) ?? '';
    if (context === 'github' && name in github) return github[name]!;
    const state = states.get(rest[0] ?? '');
    if (context === 'steps' && rest[1] === 'outcome') return state?.outcome ?? '';
    if (context === 'steps' && rest[1] === 'outputs') return state?.outputs[rest[2]!] ?? '';
    throw new Error(`No such value: ${path}`);
  });
  for (const [name, input] of Object.entries(action.inputs)) {
    const value = inputs[name] ?? input.default;
    if (value === undefined) throw new Error(`the input ${name} is required`);
    given.set(name, await expressions.text(value));
  }
  let log = '';
  let page = '';
  let failed = false;

  const runScript = async (step: Step, index: number): Promise<StepState> => {
    const files = { GITHUB_OUTPUT: 'outputs', GITHUB_STEP_SUMMARY: 'page', GITHUB_ENV: 'env' };
    const env: Record<string, string> = {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      GITHUB_ACTIONS: 'true',
      CI: 'true',
      GITHUB_ACTION_PATH: actionFolder,
      GITHUB_WORKSPACE: repository.workspace,
      RUNNER_TEMP: scratch,
      HOME: scratch,
      WEIR_HISTORY: 'off',
      // Of the published test keys, as a workflow sets a secret.
      WEIR_API_KEY: 'sk-weir-test',
    };
    for (const [name, file] of Object.entries(files)) {
      const path = join(scratch, `${file}-${index}`);
      await writeFile(path, '');
      env[name] = path;
    }
    for (const [name, value] of Object.entries(step.env ?? {}))
      env[name] = await expressions.text(value);
    const script = join(scratch, `step-${index}.sh`);
    // A runner puts expressions into the script before the shell reads it.
    await writeFile(script, await expressions.text(step.run!));
    const shell = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', script] as const;
    const { code, stdout, stderr } = await startProgram(shell, env, repository.workspace).ended;
    log += `${stdout}${stderr}`;
    page += await readFile(env['GITHUB_STEP_SUMMARY']!, 'utf8');
    const outputs = await outputsIn(env['GITHUB_OUTPUT']!);
    return { outcome: code === 0 ? 'success' : 'failure', outputs };
  };

  const use = async (step: Step): Promise<StepState> => {
    const words: Record<string, string> = {};
    for (const [name, value] of Object.entries(step.with ?? {}))
      words[name] = await expressions.text(String(value));
    const standIn = standIns[step.uses!.replace(/@.*/, '')];
    if (standIn === undefined) throw new Error(`Nothing stands in for ${step.uses}.`);
    await standIn(words, place);
    return { outcome: 'success', outputs: {} };
  };

  for (const [index, step] of action.runs.steps.entries()) {
    const runs = await expressions.holds(step.if, failed);
    const ended: StepState = !runs
      ? { outcome: 'skipped', outputs: {} }
      : step.run === undefined
        ? await use(step)
        : await runScript(step, index);
    if (ended.outcome === 'failure') failed = true;
    if (step.id !== undefined) states.set(step.id, ended);
  }
  const outputs: Record<string, string> = {};
  for (const [name, { value }] of Object.entries(action.outputs))
    outputs[name] = await expressions.text(value);
  const artifact = await readdir(place.artifact, { recursive: true });
  return { ok: !failed, log, page, outputs, artifact };
};
