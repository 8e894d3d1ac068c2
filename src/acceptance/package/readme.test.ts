import { existsSync, globSync, readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { roomOf } from '../../../.oxlint/map.ts';
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

const root = resolve(import.meta.dirname, '..', '..', '..');
const pathInRoot = (path: string): string => join(root, path);
const readText = (path: string): string => readFileSync(pathInRoot(path), 'utf8');

/** All READMEs, by their path in the repository. */
const readmes = new Map(
  globSync(['README.md', '{scenarios,reports,fixtures,src}/**/README.md', '.*/README.md'], {
    cwd: root,
  })
    .toSorted()
    .map((path) => [path, readText(path)] as const),
);
const readme = (path: string): string => readmes.get(path) ?? `there is no ${path}`;

const fence = /^```(\w*)(?: (\w+))?\n(.*?)^```$/gms;

interface Block {
  readonly path: string;
  readonly language: string;
  /** The word behind the language: `scenario` is a whole scenario, `part` some of its fields. */
  readonly mark: string;
  readonly text: string;
}

const blocks: readonly Block[] = [...readmes].flatMap(([path, readmeText]) =>
  [...readmeText.matchAll(fence)].map(([, language = '', mark = '', text = '']) => ({
    path,
    language,
    mark,
    text,
  })),
);

/** The code spans of a README's prose. */
const codeSpans = (readmeText: string): readonly string[] =>
  [...readmeText.replaceAll(fence, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

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
  ...[...readmes].flatMap(([path, readmeText]) =>
    codeSpans(readmeText).map((line) => ({ path, line })),
  ),
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

/** The first cells of the table rows of a README, code marks removed. */
const firstCells = (readmeText: string): readonly string[] =>
  [...readmeText.matchAll(/^\| (.+?) \|/gm)].map(([, cell = '']) => cell.replaceAll('`', ''));

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
    [...line.matchAll(/(?:^|npx |npx --no |cli\/|bin\/)weir(?:\.js)? ([a-z]+)([^|;&]*)/g)].map(
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
    const named = [...readmes].flatMap(([path, readmeText]) =>
      codeSpans(readmeText)
        .filter((code) => code.startsWith('--'))
        .flatMap((code) => optionsIn(code).map((option) => ({ path, option }))),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(({ option }) => !isListed(option, all))).toEqual([]);
  });

  it('name every verb in the table of the root', () => {
    const rows = firstCells(readme('README.md')).filter((cell) => cell.startsWith('weir '));
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

  const yamlBlocks = blocks.filter(({ language }) => language === 'yaml');

  /** A part of a scenario, in a whole one. */
  const completed = ({ mark, text }: Block): string => {
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
    const inFile = (path: string) => yamlBlocks.filter((block) => block.path === path);
    expect(inFile('README.md').map(({ mark }) => mark)).toContain('scenario');
    expect(inFile('scenarios/README.md').length).toBeGreaterThan(5);
    expect(inFile('src/mock/README.md').length).toBeGreaterThan(0);
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
    const named = [...readmes.values()]
      .flatMap(codeSpans)
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
    return rows.filter((row) => !readme(path).includes(`\n${row}\n`));
  };
  const missingCells = (path: string, names: readonly string[]): readonly string[] => {
    expect(names.length).toBeGreaterThan(4);
    const cells = firstCells(readme(path));
    return names.filter((name) => !cells.includes(name));
  };

  it('list every exit code in the order of precedence', () => {
    const rows = exitCodes.map(({ code, meaning }) => `| ${code} | ${meaning} |`);
    expect(readme('README.md')).toContain(rows.join('\n'));
    expect(rows.length).toBeGreaterThan(5);
  });

  it('list every measure', () => {
    const rows = Object.entries(measures).map(
      ([name, { label, unit, definition }]) =>
        `| \`${name}\` | ${label} | ${unit} | ${definition} |`,
    );
    expect(missingRows('reports/README.md', rows)).toEqual([]);
  });

  it('list every figure of a run', () => {
    const units = { arrivals: counts, '%': shares, 'per second': rates };
    const rows = Object.entries(units).flatMap(([unit, figures]) =>
      Object.entries(figures).map(
        ([name, { definition }]) => `| \`${name}\` | ${unit} | ${definition} |`,
      ),
    );
    expect(rows).toHaveLength(18);
    expect(missingRows('reports/README.md', rows)).toEqual([]);
  });

  it('list every load', () => {
    const kinds = scenarioLoadSchema.options.map(({ shape }) => shape.kind.value);
    expect(missingCells('README.md', kinds)).toEqual([]);
    expect(missingCells('scenarios/README.md', kinds)).toEqual([]);
  });

  it('list every field of a load', () => {
    const rows = new Map(
      [...readme('scenarios/README.md').matchAll(/^\| `([\w-]+)` \| (.*?) \|/gm)].map(
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
    expect(missingCells('scenarios/README.md', keys)).toEqual([]);
    const files = readdirSync(pathInRoot('scenarios')).filter((file) => file !== 'README.md');
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
        ...codeSpans(readme(path)),
        ...blocks.filter((block) => block.path === path).map(({ text }) => text),
      ].join('\n');
      const fields = [...new Set(fieldsIn(schema))];
      expect(fields.length).toBeGreaterThan(30);
      return fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(code));
    };
    expect(missing('scenarios/README.md', others)).toEqual([]);
    expect(missing('src/mock/README.md', mock)).toEqual([]);
  });

  it('list every setting, limiter, bug and fault of the reference gateway', () => {
    const settings = Object.keys(mockSettingsSchema.shape).filter((name) => name !== 'prices');
    expect(missingCells('src/mock/README.md', settings)).toEqual([]);
    const spans = codeSpans(readme('src/mock/README.md'));
    const names = [...mockLimiterClasses, ...Object.keys(limitBugs), ...faultNames];
    expect(names.length).toBeGreaterThan(60);
    expect(names.filter((name) => !spans.includes(name))).toEqual([]);
  });

  it('list every class of limiters that can be recognised', () => {
    expect(missingCells('src/verbs/limits/README.md', limiterClassNames)).toEqual([]);
  });
});

describe('the map in src/README.md', () => {
  const cells = firstCells(readme('src/README.md'));

  it('has a row for every folder of src, and no row for a folder that is gone', () => {
    const folders = globSync('src/**/*.{ts,js,css,json}', { cwd: root })
      .map((path) => dirname(path).slice('src/'.length))
      .filter((folder) => roomOf(`${folder}/x`) !== null)
      .filter((folder) => !/^(acceptance|bench|proving)\/|^report\/fixtures$/.test(folder));
    const rooms = folders.map((folder) => folder.split('/', 1)[0]!);
    const expected = new Set([...folders.filter((folder) => folder.includes('/')), ...rooms]);
    expect(expected.size).toBeGreaterThan(60);
    const rows = new Set(
      cells.filter((cell) => expected.has(cell) || /^[a-z]+\/[a-z/-]+$/.test(cell)),
    );
    expect([...expected].filter((folder) => !rows.has(folder))).toEqual([]);
    expect([...rows].filter((row) => !expected.has(row))).toEqual([]);
  });

  it('has a glossary of at most 40 nouns', () => {
    const [, glossary = ''] =
      /^## Glossary\n(.*?)(?=^## |$(?![^]))/ms.exec(readme('src/README.md')) ?? [];
    const nouns = firstCells(glossary).slice(2);
    expect(nouns).toContain('scenario');
    expect(nouns.length).toBeGreaterThan(20);
    expect(nouns.length).toBeLessThanOrEqual(40);
  });
});

describe('the links in the READMEs', () => {
  /** The anchor that GitHub makes of a heading. */
  const anchorOf = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
  const anchors = (path: string): readonly string[] =>
    [
      ...readText(path)
        .replaceAll(fence, '')
        .matchAll(/^#+ (.+)$/gm),
    ].map(([, heading = '']) => anchorOf(heading));

  it('lead to an existing target, for every relative link and its anchor', () => {
    const links = [...readmes].flatMap(([path, readmeText]) =>
      [...readmeText.replaceAll(fence, '').matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !link.includes('://'))
        .map((link) => ({ path, link })),
    );
    expect(links.length).toBeGreaterThan(20);
    const broken = links.filter(({ path, link }) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(pathInRoot(target))) return true;
      return anchor !== undefined && !anchors(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('lead to an existing file, for every file of the project that is named by its path', () => {
    const generated = /^(dist|node_modules|reports)\/|^(a|b)\//;
    const named = [...readmes].flatMap(([path, readmeText]) =>
      [
        ...codeSpans(readmeText),
        ...blocks
          .filter((block) => block.path === path && block.language === 'sh')
          .flatMap(({ text }) => text.split(/\s+/)),
      ]
        .flatMap(
          (code) =>
            code.match(/^[\w.-]+(?:\/[\w.-]+)+\.(?:ts|js|mjs|css|sh|ya?ml|json|txt|md)\b/g) ?? [],
        )
        .filter((file) => !generated.test(file))
        .map((file) => ({ path, file })),
    );
    expect(named.length).toBeGreaterThan(40);
    const missing = named.filter(
      ({ path, file }) =>
        !existsSync(pathInRoot(file)) && !existsSync(pathInRoot(join(dirname(path), file))),
    );
    expect(missing).toEqual([]);
  });

  it('ship with the package if the README that links to them does', () => {
    const { files } = JSON.parse(readText('package.json')) as { files: readonly string[] };
    const isShipped = (path: string): boolean =>
      ['README.md', 'LICENSE'].includes(path) ||
      files.some((place) => path === place || path.startsWith(`${place}/`));
    const shipped = [...readmes.keys()].filter(isShipped);
    expect(shipped).toContain('scenarios/README.md');
    const links = shipped.flatMap((path) =>
      // Of a picture, its text stays.
      [...readme(path).matchAll(/(?<!!)\[[^\]]*\]\(([^)#\s]+)/g)]
        .filter(([, link = '']) => !link.includes('://'))
        .map(([, link = '']) => ({ path, target: join(dirname(path), link) })),
    );
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter(({ target }) => !isShipped(target))).toEqual([]);
  });
});

describe('the README of the root', () => {
  it('takes at most five minutes to read', () => {
    expect(readme('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(250);
  });

  it('has no two sections of the same name', () => {
    const headings = [...readme('README.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings.length).toBeGreaterThan(5);
    expect(new Set(headings).size).toBe(headings.length);
  });
});
