import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { roomOf, wingFolders } from '../../../.oxlint/map.ts';
import { subcommands, verbs } from '../../cli/verb-table.ts';
import { program } from '../../cli/program.ts';
import { faultNames } from '../../model/gateway/mock-faults.ts';
import { limitBugs, mockLimiterClasses } from '../../model/gateway/mock-limits.ts';
import { mockSettingsSchema } from '../../model/gateway/mock-settings.ts';
import { limiterClassNames } from '../../model/limits/limit-log.ts';
import { measures } from '../../model/measures/measures.ts';
import { counts, rates, shares } from '../../model/measures/run-figures.ts';
import { workloadFiles } from '../../run/input/workload-files.ts';
import { exitCodes } from '../../run/output/exit-codes.ts';
import { readScenario } from '../../scenario/read-scenario.ts';
import { scenarioLoadSchema } from '../../scenario/schema/load-schema.ts';
import { scenarioJsonSchema, scenarioSchema } from '../../scenario/schema/scenario-schema.ts';
import { interfaceRows } from '../../verbs/check/model/interface-rows.ts';
import {
  type FencedBlock,
  blocksIn,
  codeSpans,
  currentPaths,
  documents,
  documentText,
  listFiles,
  pathInRoot,
  readText,
} from './documents.fixture.ts';

const texts = currentPaths.map((path) => [path, documentText(path)] as const);
const blocks = currentPaths.flatMap(blocksIn);

/** The lines of shell code without comments, continued lines joined; and the code spans of the prose. */
const shellLines: readonly { readonly path: string; readonly line: string }[] = [
  ...blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ path, text }) =>
      text
        .replaceAll(/\\\n\s*/g, '')
        .split('\n')
        .map((line) => ({ path, line: line.replace(/(^|\s)#.*/, '') })),
    ),
  ...texts.flatMap(([path, text]) => codeSpans(text).map((line) => ({ path, line }))),
];

const optionsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?<=^|[\s[(])--([a-z][\w-]*)/g)].map(([, name = '']) => name);

/** The options that a command's own help lists. */
const optionsInHelp = async (command: readonly string[]): Promise<readonly string[]> => {
  const printed: unknown[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line) => void printed.push(line));
  try {
    await program([...command, '--help']);
  } finally {
    log.mockRestore();
  }
  return [...printed.join('\n').matchAll(/^ +(?:-\w, )?--([\w-]+)/gm)].map(([, name = '']) => name);
};

const isListed = (option: string, listed: readonly string[]): boolean =>
  listed.includes(option) || listed.includes(option.replace(/^no-/, ''));

/** The first cells of the table rows of a text, code marks removed. */
const firstCells = (text: string): readonly string[] =>
  [...text.matchAll(/^\| (.+?) \|/gm)].map(([, cell = '']) => cell.replaceAll('`', ''));

describe('the commands of the READMEs', () => {
  const optionsOfCommand = new Map<string, readonly string[]>();
  beforeAll(async () => {
    const subcommandLines = Object.entries(subcommands).flatMap(([verb, names]) =>
      names.map((name) => [verb, name]),
    );
    for (const command of [...verbs.map((verb) => [verb]), ...subcommandLines]) {
      optionsOfCommand.set(command.join(' '), await optionsInHelp(command));
    }
  });

  const commands = shellLines.flatMap(({ path, line }) =>
    [...line.matchAll(/(?:^| -r 1 |cli\/|bin\/)weir(?:\.js)? ([a-z]+)([^|;&]*)/g)].map(
      ([, verb = '', rest = '']) => {
        const subcommand = (subcommands[verb] ?? []).find((name) => rest.startsWith(` ${name}`));
        const command = subcommand === undefined ? verb : `${verb} ${subcommand}`;
        // What follows “--” is the command of another program.
        return { path, command, options: optionsIn(rest.split(' -- ', 1)[0]!) };
      },
    ),
  );

  it('name verbs that exist', () => {
    expect(commands.length).toBeGreaterThan(60);
    expect(commands.filter(({ command }) => !optionsOfCommand.has(command))).toEqual([]);
  });

  it('name options that their help lists', () => {
    expect(optionsOfCommand.get('run')).toContain('observations');
    expect(commands.flatMap(({ options }) => options).length).toBeGreaterThan(40);
    const unknown = commands.flatMap(({ path, command, options }) =>
      options
        .filter((option) => !isListed(option, optionsOfCommand.get(command) ?? []))
        .map((option) => `${path}: weir ${command} --${option}`),
    );
    expect(unknown).toEqual([]);
  });

  it('name options in prose that some verb has', () => {
    const all = [...optionsOfCommand.values()].flat();
    const named = texts.flatMap(([path, text]) =>
      codeSpans(text)
        .filter((code) => code.startsWith('--'))
        .flatMap((code) => optionsIn(code).map((option) => ({ path, option }))),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(({ option }) => !isListed(option, all))).toEqual([]);
  });

  it('name every verb in the table of the root', () => {
    const rows = firstCells(documentText('README.md')).filter((cell) => cell.startsWith('weir '));
    expect(new Set(rows)).toEqual(
      new Set(verbs.filter((verb) => verb !== 'help').map((verb) => `weir ${verb}`)),
    );
  });

  it('name npm scripts and benches that exist', () => {
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: object };
    const benches = [...readText('src/bench/main.ts').matchAll(/^ {2}(\w+): '/gm)].map(
      ([, name = '']) => name,
    );
    expect(benches).toContain('soak');
    const named = shellLines.flatMap(({ path, line }) =>
      [...line.matchAll(/\bnpm run ([\w:]+)((?: [a-z]+)*)/g)].map(
        ([, script = '', words = '']) => ({ path, script, words: words.split(' ').slice(1) }),
      ),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(
      named.filter(
        ({ script, words }) =>
          !(script in scripts) ||
          (script === 'bench' && words.some((word) => !benches.includes(word))),
      ),
    ).toEqual([]);
  });
});

describe('the scenarios of the READMEs', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weir-readme-'));
    await writeFile(join(folder, 'prompts.jsonl'), '{"prompt":"What is a weir?"}\n');
    await writeFile(join(folder, 'chapter.txt'), 'The miller sleeps. The water does not.\n');
    await writeFile(
      join(folder, 'AzureLLMInferenceTrace_conv.csv'),
      'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n',
    );
  });
  afterAll(() => rm(folder, { recursive: true }));

  const yamlBlocks = blocks.filter(
    ({ language, mark }) => language === 'yaml' && mark !== 'workflow',
  );

  /** A part of a scenario, in a whole one. */
  const completed = ({ mark, text }: FencedBlock): string => {
    if (mark === 'scenario') return text;
    const traffic = 'traffic: [{ kind: chat-stream, model: a/b }, { kind: chat, model: a/b }]\n';
    const load = 'stages: [{ name: users, load: { kind: constant, rate: 1/s, duration: 9s } }]\n';
    return [
      /^traffic:/m.test(text) ? '' : traffic,
      /^(load|stages):/m.test(text) ? '' : load,
      text,
    ].join('');
  };

  it('are all marked as a whole scenario or as a part of one', () => {
    expect(yamlBlocks.filter(({ mark }) => mark !== 'scenario' && mark !== 'part')).toEqual([]);
  });

  it('are in the root and in the reference of scenarios', () => {
    const below = (path: string) => yamlBlocks.filter((block) => block.path.startsWith(path));
    expect(below('README.md').map(({ mark }) => mark)).toContain('scenario');
    expect(below('scenarios/').length).toBeGreaterThan(5);
    expect(below('src/mock/README.md').length).toBeGreaterThan(0);
  });

  const problemsOf = (text: string): readonly unknown[] => {
    const reading = readScenario({
      text,
      name: 'evening.yaml',
      environment: { BLUE_KEY: 'k', WEIR_API_KEY: 'k' },
      workload: workloadFiles(folder).files,
    });
    return reading.ok ? [] : reading.problems;
  };

  it.each(yamlBlocks)('are valid: $path, $mark: $text', (block) => {
    expect(block.text.trim()).not.toBe('');
    expect(problemsOf(completed(block))).toEqual([]);
  });

  it('are valid where the prose names a key with its value', () => {
    const keys = Object.keys(scenarioSchema.shape);
    const named = texts
      .flatMap(([, text]) => codeSpans(text))
      .filter((code) => keys.includes(/^(\w+): \S/.exec(code)?.[1] ?? ''));
    expect(named.length).toBeGreaterThan(10);
    const chat = 'traffic: [{ kind: chat, model: a/b, maxTokens: 9 }]\n';
    const load = 'load: { kind: constant, rate: 1/s, duration: 9s }\n';
    const wrong = named.flatMap((code) => {
      const text = `${chat}${code.startsWith('load:') ? '' : load}${code}`;
      const problems = problemsOf(text);
      return problems.length === 0 ? [] : [{ code, problems }];
    });
    expect(wrong).toEqual([]);
  });
});

describe('the tables of the READMEs', () => {
  const missingRows = (path: string, rows: readonly string[]): readonly string[] => {
    expect(rows.length).toBeGreaterThan(5);
    return rows.filter((row) => !documentText(path).includes(`\n${row}\n`));
  };
  const missingCells = (path: string, names: readonly string[]): readonly string[] => {
    expect(names.length).toBeGreaterThan(4);
    const cells = firstCells(documentText(path));
    return names.filter((name) => !cells.includes(name));
  };

  it('list every exit code in the order of precedence', () => {
    const rows = exitCodes.map(({ code, meaning }) => `| ${code} | ${meaning} |`);
    expect(documentText('README.md')).toContain(rows.join('\n'));
    expect(rows.length).toBeGreaterThan(5);
  });

  it('list every measure', () => {
    const rows = Object.entries(measures).map(
      ([name, { label, unit, definition }]) =>
        `| \`${name}\` | ${label} | ${unit} | ${definition} |`,
    );
    expect(missingRows('reports', rows)).toEqual([]);
  });

  it('list every figure of a run', () => {
    const units = { arrivals: counts, '%': shares, 'per second': rates };
    const rows = Object.entries(units).flatMap(([unit, figures]) =>
      Object.entries(figures).map(
        ([name, { definition }]) => `| \`${name}\` | ${unit} | ${definition} |`,
      ),
    );
    expect(rows).toHaveLength(20);
    expect(missingRows('reports', rows)).toEqual([]);
  });

  it('list every load', () => {
    const kinds = scenarioLoadSchema.options.map(({ shape }) => shape.kind.value);
    expect(missingCells('README.md', kinds)).toEqual([]);
    expect(missingCells('scenarios/load.md', kinds)).toEqual([]);
  });

  it('list every field of a load', () => {
    const rows = new Map(
      [...documentText('scenarios/load.md').matchAll(/^\| `([\w-]+)` \| (.*?) \|/gm)].map(
        ([, kind = '', cells = '']) => [kind, cells] as const,
      ),
    );
    const missing = scenarioLoadSchema.options.flatMap(({ shape }) =>
      Object.keys(shape)
        .filter((field) => field !== 'kind')
        .filter((field) => !new RegExp(`\`${field}\\b`).test(rows.get(shape.kind.value) ?? ''))
        .map((field) => `${shape.kind.value}: ${field}`),
    );
    expect(missing).toEqual([]);
  });

  it('list every key of a scenario and every example file', () => {
    const keys = Object.keys(scenarioSchema.shape).filter((key) => key !== '$schema');
    expect(missingCells('scenarios/keys.md', keys)).toEqual([]);
    const files = readdirSync(pathInRoot('scenarios')).filter((file) => !file.endsWith('.md'));
    expect(missingCells('scenarios/README.md', files)).toEqual([]);
  });

  it('name every nested field, with the text around them', () => {
    const { properties, definitions } = scenarioJsonSchema() as {
      properties: Record<string, unknown>;
      definitions: Record<string, unknown>;
    };
    /** The names of all properties in a JSON Schema, and in the definitions that it refers to. */
    const fieldsIn = (schema: unknown, seen = new Set<unknown>()): readonly string[] => {
      if (typeof schema !== 'object' || schema === null || seen.has(schema)) return [];
      seen.add(schema);
      const own = 'properties' in schema ? Object.keys(schema.properties ?? {}) : [];
      const reference = '$ref' in schema ? String(schema.$ref).replace('#/definitions/', '') : '';
      const inner = [...Object.values(schema), definitions[reference]];
      return [...own, ...inner.flatMap((part) => fieldsIn(part, seen))];
    };
    const { mock, $schema: _, ...others } = properties;
    const missing = (path: string, schema: unknown): readonly string[] => {
      const code = [
        ...codeSpans(documentText(path)),
        ...blocksIn(path).map(({ text }) => text),
      ].join('\n');
      const fields = [...new Set(fieldsIn(schema))];
      expect(fields.length).toBeGreaterThan(30);
      return fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(code));
    };
    expect(missing('scenarios', others)).toEqual([]);
    expect(missing('src/mock/README.md', mock)).toEqual([]);
  });

  it('list every setting, limiter, bug and fault of the reference gateway', () => {
    const settings = Object.keys(mockSettingsSchema.shape).filter((name) => name !== 'prices');
    expect(missingCells('src/mock/README.md', settings)).toEqual([]);
    const spans = codeSpans(documentText('src/mock/README.md'));
    const names = [...mockLimiterClasses, ...Object.keys(limitBugs), ...faultNames];
    expect(names.length).toBeGreaterThan(60);
    expect(names.filter((name) => !spans.includes(name))).toEqual([]);
  });

  it('name only figures of ours beside the words of other tools', () => {
    const [, section = ''] = /^## Figures of streamed(.*?)^## How/ms.exec(
      documentText('scenarios/words.md'),
    )!;
    const ours = firstCells(section)
      .map((cell) => /^\w+/.exec(cell)?.[0] ?? '')
      .filter((word) => /^[a-z]/.test(word) && word !== 'users');
    expect(ours.length).toBeGreaterThan(18);
    const names = Object.keys({ ...measures, ...counts, ...rates, ...shares });
    expect(ours.filter((name) => !names.includes(name))).toEqual([]);
  });

  it('say of each section of the interface that a check names what it promises', () => {
    const sections = new Set([...interfaceRows.values()].map(({ section }) => section));
    expect(sections.size).toBeGreaterThan(15);
    const headings = new Set(
      [...documentText('scenarios/interface.md').matchAll(/^##+ ([\d.]*\d)\.? /gm)].map(
        ([, number = '']) => number,
      ),
    );
    expect([...sections].filter((section) => !headings.has(section))).toEqual([]);
  });

  it('list every class of limiters that can be recognised', () => {
    expect(missingCells('src/verbs/limits/README.md', limiterClassNames)).toEqual([]);
  });
});

describe('the map in src/README.md', () => {
  const map = documentText('src/README.md');
  const sourceFolders = [
    ...new Set(
      listFiles('src/**/*.{ts,js,css,json}').map((path) => dirname(path).slice('src/'.length)),
    ),
  ].filter((folder) => roomOf(`${folder}/x`) !== null && !/^[a-z]+\/fixtures$/.test(folder));
  const rooms = [...new Set(sourceFolders.map((folder) => roomOf(`${folder}/x`)!))];
  const countWords = (text: string): number => text.trim().split(/\s+/).length;

  it('has at most 1,200 words', () => {
    expect(countWords(map)).toBeLessThanOrEqual(1200);
  });

  it('shows every room and every wing in its picture, and none that is gone', () => {
    const [picture] = blocksIn('src/README.md');
    const shown = [...picture!.text.matchAll(/^(?:\d| ) {2,5}([a-z-]+)\/? {2,}\S/gm)].map(
      ([, name = '']) => name,
    );
    const expected = rooms.map((room) => room.replace('verbs/', ''));
    expect(expected.length).toBeGreaterThan(25);
    expect(shown.toSorted()).toEqual([...expected, 'verbs'].toSorted());
  });

  it('has a row for every kind of sub-folder that wings have, and for no other', () => {
    const [, section = ''] = /^## Wings\n(.*?)^## /ms.exec(map) ?? [];
    const used = sourceFolders
      .filter((folder) => folder.startsWith('verbs/'))
      .map((folder) => folder.split('/')[2] ?? '.');
    const rows = firstCells(section).slice(2);
    expect(rows.toSorted()).toEqual([...new Set(used)].toSorted());
    expect(rows.toSorted()).toEqual(Object.keys(wingFolders).toSorted());
  });

  it('has a glossary of at most 40 nouns beside it', () => {
    const nouns = firstCells(documentText('src/GLOSSARY.md')).slice(2);
    expect(nouns).toContain('scenario');
    expect(nouns.length).toBeGreaterThan(20);
    expect(nouns.length).toBeLessThanOrEqual(40);
  });

  const mainRooms = rooms.filter((room) => !/^(verbs\/.*|acceptance|bench|proving)$/.test(room));

  it.each(mainRooms)('has a README for %s, with a row for each of its folders', (room) => {
    const inner = sourceFolders
      .filter((folder) => folder.startsWith(`${room}/`))
      .map((folder) => folder.slice(room.length + 1));
    const readme = documents.get(`src/${room}/README.md`);
    const [, table = ''] = /^\| folder \|.*\n\| --- .*\n((?:\|.*\n)*)/m.exec(readme ?? '') ?? [];
    const rows = firstCells(table).filter((row) => row !== '.');
    expect(rows.toSorted()).toEqual(inner.toSorted());
  });

  /** Pages for users, which say more than what a room is. */
  const manuals = ['library', 'mock'];
  const readmes = mainRooms.filter((room) => documents.has(`src/${room}/README.md`));

  it.each(readmes)('is followed by a README of %s that names files which exist', (room) => {
    const text = documentText(`src/${room}/README.md`);
    const files = listFiles(`src/${room}/**/*.*`).map((path) => path.split('/').at(-1));
    const named = codeSpans(text).filter((code) => /^[a-z-]+\.(ts|js)$/.test(code));
    expect(named.filter((file) => !files.includes(file))).toEqual([]);
    expect(countWords(text)).toBeLessThanOrEqual(manuals.includes(room) ? 3000 : 600);
  });
});

describe('the README of the root', () => {
  it('takes at most five minutes to read', () => {
    expect(documentText('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(250);
  });

  it('has no two sections of the same name', () => {
    const headings = [...documentText('README.md').matchAll(/^## (.+)$/gm)].map(
      ([, heading]) => heading,
    );
    expect(headings.length).toBeGreaterThan(5);
    expect(new Set(headings).size).toBe(headings.length);
  });
});
