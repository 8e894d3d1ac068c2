import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPlanWithFiles, readSweepVariables } from './read-plan.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'weir-plan-'));
});
afterAll(async () => {
  await rm(home, { recursive: true });
});

/** The message of reading a scenario, without its folder. */
const said = async (text: string, set: readonly string[] = []): Promise<string> => {
  const scenario = join(home, 's.yaml');
  await writeFile(scenario, text);
  const reading = readPlanWithFiles({ scenario, flags: {}, set, target: undefined }, {});
  return reading.then(
    () => 'valid',
    (error: unknown) => (error as Error).message.replaceAll(home, 'HOME'),
  );
};

describe('a scenario file that is not there', () => {
  it('is reported with the most similar name in its folder', async () => {
    await writeFile(join(home, 'quickstart.yaml'), 'load: {}');
    await writeFile(join(home, 'quickstart.md'), 'Read me.');
    const asked = (name: string): Promise<string> =>
      readPlanWithFiles(
        { scenario: join(home, name), flags: {}, set: [], target: undefined },
        {},
      ).then(
        () => 'valid',
        (error: unknown) => (error as Error).message.replaceAll(home, 'HOME'),
      );
    const meant = 'does not exist: did you mean HOME/quickstart.yaml? If not, give the path';
    expect(await asked('quikstart.yaml')).toContain(`HOME/quikstart.yaml ${meant}`);
    expect(await asked('quickstart')).toContain(meant);
    expect(await asked('other.yaml')).toContain('does not exist: give the path');
    expect(await asked('none/quickstart.yaml')).toContain('does not exist: give the path');
  });
});

it('variables of a sweep that cannot be read are named with their flag', async () => {
  const scenario = join(home, 'sweep.yaml');
  await writeFile(scenario, 'load: { kind: constant, rate: 1/s, duration: 5s }\n');
  const source = { scenario, flags: {}, set: [], target: undefined };
  const read = (flag: string) => readSweepVariables(source, [flag], {});
  expect(await read('load.rate=1/s,2/s')).toHaveLength(1);
  await expect(read('load.rate')).rejects.toThrow(/--vary/);
});

describe('a scenario and the files that it names', () => {
  it('are checked together, each problem with its place', async () => {
    const text = `
target: https://gateway.example/v1
keys:
  - { name: blue, key: '\${env:WEIR_TEST_NOT_SET}' }
  - { name: green, key: '\${secret:./green.key}' }
headers: { x-tenant: '\${secret:tenant}' }
traffic:
  - { kind: transcription, model: m, clips: none.wav, wieght: 2 }
  - { kind: transcription, model: m, clips: [one.wav, { file: two.txt, text: Two. }] }
load: { kind: constant, rate: 1/s, duration: 5s }
wire: { caFile: ca.pem }
`;
    expect(await said(text, ['traffic.1.oversized=maybe'])).toMatchInlineSnapshot(`
      "HOME/s.yaml:4:24: the environment variable WEIR_TEST_NOT_SET is not set; set it before the run, for example: export WEIR_TEST_NOT_SET=…
      HOME/s.yaml:5:25: the secret file HOME/green.key cannot be read: there is no such file
      HOME/s.yaml:6:22: the secret file /run/secrets/tenant cannot be read: there is no such file; write ./tenant for one in the scenario’s folder
      HOME/s.yaml:8:45: the clip HOME/none.wav cannot be read: there is no such file. Give a path from the scenario’s folder, or use \`bundled\` for the speech that comes with Weir
      HOME/s.yaml:8:55: "wieght" is not a key of the kind "transcription"; did you mean "weight"?
      HOME/s.yaml:9:46: the clip HOME/one.wav cannot be read: there is no such file. Give a path from the scenario’s folder, or use \`bundled\` for the speech that comes with Weir
      HOME/s.yaml:9:55: the clip HOME/two.txt cannot be uploaded: expected a file of type mp3, mp4, mpeg, mpga, m4a, wav, webm, ogg, or a manifest (.json); convert it first
      HOME/s.yaml:11:17: the certificate file HOME/ca.pem cannot be read: there is no such file
      --set traffic.1.oversized: expected true or false, got "maybe""
    `);
  });

  it('need no secrets for the reference gateway except those in headers', async () => {
    const text = `
keys: '\${secret:./none}'
traffic: [{ kind: transcription, model: m, clips: gate.wav }]
load: { kind: constant, rate: 1/s, duration: 5s }
`;
    await copyFile('fixtures/speech/gate.wav', join(home, 'gate.wav'));
    expect(await said(text)).toBe('valid');
    expect(await said(text, ['headers.x-a=${secret:./none}'])).toMatchInlineSnapshot(
      `"--set headers.x-a: the secret file HOME/none cannot be read: there is no such file"`,
    );
  });
});

describe('the files outside the folder of a scenario', () => {
  const text = `
target: https://gateway.example/v1
keys:
  - { name: far, key: '\${secret:../far.key}' }
  - { name: near, key: '\${secret:./near.key}' }
traffic:
  - { kind: chat, model: m, maxTokens: 5, prompt: { file: ../prompts.jsonl } }
load: { kind: constant, rate: 1/s, duration: 5s }
`;
  const readWith = async (more: object) => {
    const folder = await mkdtemp(join(home, 'own-'));
    await writeFile(join(home, 'far.key'), 'sk-far');
    await writeFile(join(home, 'prompts.jsonl'), '{"prompt":"one two"}\n');
    await writeFile(join(folder, 'near.key'), 'sk-near');
    await writeFile(join(folder, 's.yaml'), text);
    const source = { scenario: join(folder, 's.yaml'), flags: {}, set: [], target: undefined };
    return readPlanWithFiles({ ...source, ...more }, {});
  };

  it('are refused, each at its place', async () => {
    const message = await readWith({}).then(
      () => 'valid',
      (error: unknown) => (error as Error).message,
    );
    const lines = message.split('\n');
    expect(lines.map((line) => line.replace(/^.*s\.yaml/, ''))).toEqual([
      expect.stringMatching(/^:4:23: \.\.\/far\.key is outside the scenario’s folder: /),
      expect.stringMatching(/^:7:59: \.\.\/prompts\.jsonl is outside the scenario’s folder: /),
    ]);
  });

  it('are read if the scenario is trusted', async () => {
    const { plan } = await readWith({ allowFiles: true });
    expect(plan.keys.map(({ name }) => name)).toEqual(['far', 'near']);
  });
});

it('a value that is no scenario is refused without a place in a file', async () => {
  const source = { scenario: undefined, flags: {}, set: [], target: undefined };
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  await expect(readPlanWithFiles({ ...source, value: cyclic }, {})).rejects.toThrow(/^scenario/);
});
