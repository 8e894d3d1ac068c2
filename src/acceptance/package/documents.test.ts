import { existsSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  blocksIn,
  codeSpans,
  currentPaths,
  documents,
  documentText,
  fence,
  listFiles,
  pagesIn,
  pathInRoot,
  readText,
} from './documents.fixture.ts';

const paths = [...documents.keys()];

/** The relative links of a document, without those in fenced blocks and code spans. */
const linksIn = (path: string): readonly string[] =>
  [
    ...documentText(path)
      .replaceAll(fence, '')
      .replaceAll(/`[^`\n]+`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ]
    .map(([, link = '']) => link)
    .filter((link) => !link.includes('://'));

describe('the pages for users', () => {
  const folders = ['scenarios', 'reports'];
  const mostWords = 1500;

  it.each(folders)('are several in %s, each of at most 1,500 words', (folder) => {
    expect(pagesIn(folder).length).toBeGreaterThan(8);
    const words = pagesIn(folder).map((path) => ({
      path,
      words: documentText(path).trim().split(/\s+/).length,
    }));
    expect(words.filter((page) => page.words > mostWords)).toEqual([]);
  });

  it.each(folders)('are all in the table of %s/README.md, which is a short index', (folder) => {
    const index = `${folder}/README.md`;
    const linked = new Set(linksIn(index).map((link) => join(folder, link.split('#', 1)[0]!)));
    const missing = pagesIn(folder).filter((path) => path !== index && !linked.has(path));
    expect(missing).toEqual([]);
    expect(documentText(index).trim().split(/\s+/).length).toBeLessThan(900);
  });

  it('say on one page how to contribute', () => {
    expect(documentText('.github/CONTRIBUTING.md').split(/\s+/).length).toBeLessThan(1000);
  });

  it.each(folders)('begin with a title in %s, and have no section twice', (folder) => {
    for (const path of pagesIn(folder)) {
      const headings = [
        ...documentText(path)
          .replaceAll(fence, '')
          .matchAll(/^#+ .+$/gm),
      ];
      const names = headings.map(([heading]) => heading);
      expect(names[0], path).toMatch(/^# /);
      expect(
        names.filter((name) => name.startsWith('# ')),
        path,
      ).toHaveLength(1);
      expect(new Set(names).size, path).toBe(names.length);
    }
  });
});

describe('the links in the documents', () => {
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
    const links = paths.flatMap((path) => linksIn(path).map((link) => ({ path, link })));
    expect(links.length).toBeGreaterThan(100);
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
    const named = currentPaths.flatMap((path) =>
      [
        ...codeSpans(documentText(path)),
        ...blocksIn(path)
          .filter(({ language }) => language === 'sh')
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

  it('lead to an existing page, for every page that a message of the program names', () => {
    const sources = listFiles('src/**/*.ts').filter((path) => !/\.(test|fixture)\.ts$/.test(path));
    const named = sources.flatMap((path) =>
      [...readText(path).matchAll(/\b(?:scenarios|reports)\/[\w-]+\.md\b/g)].map(([page]) => page),
    );
    expect(named).toContain('reports/figures.md');
    expect(named.filter((page) => !documents.has(page))).toEqual([]);
  });

  it('ship with the package if the README that links to them does', () => {
    const { files } = JSON.parse(readText('package.json')) as { files: readonly string[] };
    const isShipped = (path: string): boolean =>
      ['README.md', 'LICENSE'].includes(path) ||
      files.some((place) => matchesGlob(path, place) || path.startsWith(`${place}/`));
    const shipped = paths.filter(isShipped);
    expect(shipped).toEqual(
      expect.arrayContaining([...pagesIn('scenarios'), ...pagesIn('reports')]),
    );
    const links = shipped.flatMap((path) =>
      // Of a picture, its text stays.
      [...documentText(path).matchAll(/(?<!!)\[[^\]]*\]\(([^)#\s]+)/g)]
        .filter(([, link = '']) => !link.includes('://'))
        .map(([, link = '']) => ({ path, target: join(dirname(path), link) })),
    );
    expect(links.length).toBeGreaterThan(40);
    expect(links.filter(({ target }) => !isShipped(target))).toEqual([]);
  });
});
