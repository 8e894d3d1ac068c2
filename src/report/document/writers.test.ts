import { describe, expect, it } from 'vitest';
import {
  type Block,
  column,
  facts,
  fold,
  isShown,
  list,
  only,
  picture,
  type ReportDocument,
  section,
  table,
  text,
} from './document.ts';
import { htmlPage } from './html-page.ts';
import { markdownText } from './markdown-writer.ts';
import { terminalText } from './terminal-writer.ts';

interface Planet {
  readonly name: string;
  readonly kind: string;
  readonly moons: number;
}

const planets: readonly Planet[] = [
  { name: 'Earth', kind: 'inner', moons: 1 },
  { name: 'Jupiter', kind: 'outer', moons: 97 },
];

const document: ReportDocument = {
  weir: '0.1.0',
  title: 'Planets <of the sun>',
  description: ['Two of eight'],
  verdict: { text: 'All found', tone: 'good' },
  introduction: [],
  blocks: [
    section('Moons', [
      table(
        'Moons of planets',
        [
          {
            title: 'Planet',
            holds: 'name',
            cell: ({ name }) => ({ text: name, note: 'a planet' }),
          },
          { title: 'Moons', holds: 'number', cell: ({ moons }) => String(moons) },
          {
            title: 'Many',
            holds: 'verdict',
            cell: ({ moons }) =>
              moons > 9 ? { text: 'many', tone: 'good' } : { text: 'few', tone: 'bad' },
          },
          {
            title: 'How they were found and by whom, in the year in which it happened',
            holds: 'text',
            media: ['terminal'],
            cell: ({ moons }) => (moons > 9 ? 'telescope' : 'eye'),
          },
        ],
        planets,
        { groupOf: ({ kind }) => kind },
      ),
      only(['html'], text('Only on a page.')),
    ]),
    section('Empty', [text('')]),
  ],
  footer: 'The end.',
};

describe('a document', () => {
  it('is a table with a sign for each verdict on a terminal', () => {
    expect(terminalText(document, { colour: false, width: 110 })).toMatchInlineSnapshot(`
      "✓ All found
        Two of eight

      Moons
                   Moons  Many    How they were found and by whom, in the year in which it happened
        inner
          Earth        1  ✗ few   eye
        outer
          Jupiter     97  ✓ many  telescope"
    `);
  });

  it('writes each row as a sentence where a terminal has no room for the columns', () => {
    expect(terminalText(document, { colour: false, width: 60 })).toMatchInlineSnapshot(`
      "✓ All found
        Two of eight

      Moons
        inner
          Earth: Moons 1, Many ✗ few, How they were found and by
          whom, in the year in which it happened eye
        outer
          Jupiter: Moons 97, Many ✓ many, How they were found and
          by whom, in the year in which it happened telescope"
    `);
  });

  it('is a table under headings in Markdown, and text stays text', () => {
    expect(markdownText(document)).toMatchInlineSnapshot(`
      "## ✅ Weir: Planets &#60;of the sun&#62;

      **All found**

      Two of eight

      ### Moons

      | Planet | Moons | Many |
      | --- | ---: | --- |
      | inner Earth | 1 | ❌ few |
      | outer Jupiter | 97 | ✅ many |

      "
    `);
  });

  it('has a caption, scopes and only the sections with content in HTML', () => {
    const page = htmlPage(document, '');
    expect(page.slice(page.indexOf('<main>'), page.indexOf('</main>'))).toMatchInlineSnapshot(`
      "<main>
      <section id="verdict" class="verdict valid" aria-labelledby="verdict-title"><h2 id="verdict-title"><span class="glyph" aria-hidden="true">✓</span>All found</h2></section>

      <section id="moons" aria-labelledby="moons-title"><h2 id="moons-title">Moons</h2><div class="scroll" role="group" aria-label="Moons of planets" tabindex="0"><table>
      <caption>Moons of planets</caption>
      <thead><tr><th scope="col" class="name">Planet</th><th scope="col" class="number">Moons</th><th scope="col" class="verdict">Many</th></tr></thead>
      <tbody><tr><th scope="rowgroup" colspan="3">inner</th></tr>
      <tr><th scope="row">Earth <small>a planet</small></th><td class="number">1</td><td class="invalid"><span class="level"><span aria-hidden="true">✗</span> few</span></td></tr>
      </tbody><tbody><tr><th scope="rowgroup" colspan="3">outer</th></tr>
      <tr><th scope="row">Jupiter <small>a planet</small></th><td class="number">97</td><td class="valid"><span class="level"><span aria-hidden="true">✓</span> many</span></td></tr>
      </tbody></table></div><p>Only on a page.</p></section>
      "
    `);
    expect(page).toContain('<h1>Planets &lt;of the sun&gt;</h1>');
    expect(page).not.toContain('Empty');
  });

  it('counts the rows for which Markdown has no room', () => {
    const many = Array.from({ length: 5000 }, (_, i) => `row ${i} ${'x'.repeat(1000)}`);
    const columns = [{ title: 'Row', holds: 'name', cell: (row: string) => row }] as const;
    const long = { ...document, blocks: [table('Rows', columns, many)] };
    const written = markdownText(long);
    expect(written.length).toBeLessThan(60_000);
    expect(written).toMatch(/And 4,8\d\d more\./);
  });
});

describe('the error of a figure on a terminal', () => {
  const distance = column.number<string>('Distance from the sun', (planet) => ({
    text: planet === 'Earth' ? '149.6' : '778.5',
    unit: 'million km',
    note: '[147.1 – 152.1]',
    error: planet === 'Earth' ? { text: '−2.5 +2.5', tone: 'warning' } : undefined,
  }));
  const distances = table(
    'Distances of planets',
    [column.name<string>('Planet', (planet) => planet), distance, distance],
    ['Earth', 'Jupiter'],
    { showsNotes: true },
  );
  const shown = (width: number) =>
    terminalText({ ...document, blocks: [distances] }, { colour: false, width }).split('\n\n')[1];

  it('stands after the interval, or else after the figure', () => {
    expect(shown(120)).toContain('149.6 million km [147.1 – 152.1] −2.5 +2.5');
    expect(shown(70)?.split('\n').slice(1, 3)).toEqual([
      '  Earth    149.6 million km −2.5 +2.5  149.6 million km −2.5 +2.5',
      '                      [147.1 – 152.1]             [147.1 – 152.1]',
    ]);
  });

  it('has its own line where both do not fit, and no line without errors', () => {
    expect(shown(60)?.split('\n').slice(1)).toEqual([
      '  Earth         149.6 million km       149.6 million km',
      '                 [147.1 – 152.1]        [147.1 – 152.1]',
      '                       −2.5 +2.5              −2.5 +2.5',
      '  Jupiter       778.5 million km       778.5 million km',
      '                 [147.1 – 152.1]        [147.1 – 152.1]',
    ]);
  });
});

it('a block is shown where it has something to show, in its medium', () => {
  const some = text('some');
  const blocks: readonly (readonly [Block, boolean])[] = [
    [some, true],
    [text(''), false],
    [list(['a']), true],
    [list([]), false],
    [facts([['name', 'text']]), true],
    [facts([]), false],
    [section('Title', [some]), true],
    [section('Title', [text(''), list([])]), false],
    [fold('Title', [text(''), some]), true],
    [fold('Title', []), false],
  ];
  for (const medium of ['html', 'markdown', 'terminal'] as const)
    expect(blocks.map(([block]) => isShown(block, medium))).toEqual(
      blocks.map(([, hasSomething]) => hasSomething),
    );
  const drawn = picture(() => null);
  expect((['html', 'markdown', 'terminal'] as const).map((each) => isShown(drawn, each))).toEqual([
    true,
    false,
    false,
  ]);
});
