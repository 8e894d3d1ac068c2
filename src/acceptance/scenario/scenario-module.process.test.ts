import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tempFolder, cleanUpAfterEach, weirProcess } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** A user's project, where modules are CommonJS unless their names say otherwise, as after `npm init`. */
const projectWith = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const folder = await tempFolder();
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
};

/** The output of `weir validate` for one file, without the folder's path. */
const validate = async (name: string, files: Readonly<Record<string, string>>) => {
  const folder = await projectWith(files);
  const { code, stdout, stderr } = await weirProcess(['validate', join(folder, name)]);
  return { code, output: `${stdout}${stderr}`.replaceAll(`${folder}/`, '').trim() };
};

const load = "{ kind: 'constant', rate: '5/s', duration: '30s' }";

describe('a scenario file that is a module', () => {
  it('may be TypeScript, import Weir and other modules, and export an async function', async () => {
    const folder = await projectWith({
      'prompts.ts': 'export const prompts: string[] = ["a", "b"];',
      'evening.ts': `
        import { defineScenario, type ScenarioInput } from 'weir-bench';
        import { prompts } from './prompts.ts';
        const load: ScenarioInput['load'] = ${load};
        export default async () =>
          defineScenario({ traffic: [{ kind: 'chat', model: 'm', prompts }], load });`,
    });
    const path = join(folder, 'evening.ts');
    const { code, stdout, stderr } = await weirProcess([
      'validate',
      path,
      '--json',
      '--set',
      'warmUp=5s',
    ]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const conversations = ['a', 'b'].map((content) => [{ role: 'user', content }]);
    expect(z.looseObject({}).parse(JSON.parse(stdout))).toMatchObject({
      name: 'evening',
      warmUp: 5000,
      stages: [{ traffic: [{ conversations }] }],
    });
  });

  it.each(['s.js', 's.mjs', 's.mts'])('can be named %s', async (name) => {
    const text = `export default { traffic: [{ kind: 'models' }], load: ${load} };`;
    const { code, output } = await validate(name, { [name]: text });
    expect(output).toBe(`${name} is valid: plan “s”, 1 stage, 30 s`);
    expect(code).toBe(0);
  });

  it.each(['weir-bench', 'weir'])(
    'imports the running Weir as %s, even if another is installed',
    async (name) => {
      const { output } = await validate('s.ts', {
        's.ts': `
        import { defineScenario } from '${name}';
        export default defineScenario({ traffic: [{ kind: 'models' }], load: ${load} });`,
        [`node_modules/${name}/package.json`]: '{ "type": "module", "exports": "./weir.js" }',
        [`node_modules/${name}/weir.js`]: 'throw new Error("another Weir");',
      });
      expect(output).toContain('s.ts is valid');
    },
  );

  it('must be copied out of node_modules first', async () => {
    const name = 'node_modules/weir/scenarios/s.ts';
    const { code, output } = await validate(name, { [name]: 'export default {};' });
    expect(output).toBe(
      `weir: ${name}: Node.js does not read TypeScript below node_modules: copy the scenario to another folder`,
    );
    expect(code).toBe(2);
  });

  it.each([
    [
      'has a problem',
      `export default { traffic: [{ kind: 'models' }], load: { ...${load}, rate: 5 } };`,
      'weir: s.ts: load.rate: expected a rate such as 20/s, 60/min or 3600/h, got the number 5; a number needs its unit: 5/s, 5/min or 5/h',
    ],
    [
      'cannot be read',
      'export default {\n  load: 1,,\n};',
      'weir: s.ts:2: the scenario file cannot be loaded: ',
    ],
    [
      'throws',
      '\nconst shift = (): never => {\n  throw new Error("no shift today");\n};\nexport default () => shift();',
      's.ts:3:9: the scenario file cannot be loaded: no shift today',
    ],
    [
      'imports what is not there',
      "import 'no-such-package'; export default {};",
      "weir: s.ts: the scenario file cannot be loaded: Cannot find package 'no-such-package' imported from s.ts",
    ],
    [
      'exports nothing',
      'export const scenario = {};',
      'weir: s.ts exports no scenario: end it with export default defineScenario({…}), or with a function that returns one',
    ],
  ])('that %s is refused in one line that names the place', async (_, text, sentence) => {
    const { code, output } = await validate('s.ts', { 's.ts': text });
    expect(output.slice(0, sentence.length)).toBe(sentence);
    expect(output).not.toContain('\n');
    expect(code).toBe(2);
  });
});
