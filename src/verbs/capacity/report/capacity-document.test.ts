import { describe, expect, it } from 'vitest';
import { capacityReportSchema } from '../model/capacity.ts';
import { htmlPage } from '../../../report/document/html-page.ts';
import { terminalText } from '../../../report/document/terminal-writer.ts';
import { capacityDocument } from './capacity-document.ts';
import { capacityAnswerRows, serverReason } from './capacity-text.ts';
import { sampleCapacity } from './sample-capacity.fixture.ts';
import { perSecond } from '../../../model/quantity.ts';

const look = { colour: false, width: 100 };

describe('the page of a search for capacity', () => {
  const html = htmlPage(capacityDocument(sampleCapacity()), 'p { color: red }');

  it('allows nothing to be loaded or run', () => {
    expect(html).toMatch(/default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/);
    expect(html).not.toMatch(/<script|<link|<img|url\(|https?:\/\/(?!host\/v1)/);
  });

  it('shows every step with its verdict, both curves and the knee', () => {
    // Each is drawn twice: for wide and for narrow screens.
    expect(html.match(/<circle/g)).toHaveLength(2 * 7);
    expect(html).toContain('the knee is at 7.00/s');
    expect(html).toContain('Throughput against requests in flight');
    expect(html).toContain('start lag');
  });

  it('escapes names from files and servers', () => {
    const hostile = sampleCapacity({ name: '<b onclick=x>', notes: ['<script>alert(1)</script>'] });
    expect(htmlPage(capacityDocument(hostile), '')).not.toMatch(/<b onclick|<script/);
  });

  it('draws the steps if none was kept and no law fits', () => {
    const { steps } = sampleCapacity();
    const poor = sampleCapacity({ answer: null, fit: null, steps: steps.slice(2, 3) });
    const page = htmlPage(capacityDocument(poor), '');
    expect(page).toContain('No rate tried keeps the objectives');
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
    const empty = htmlPage(
      capacityDocument(sampleCapacity({ answer: null, fit: null, steps: [] })),
      '',
    );
    expect(empty).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe('what the server says in the answer', () => {
  const withServer = (kept: number, broken: number) =>
    sampleCapacity({
      steps: sampleCapacity().steps.map((step) => ({
        ...step,
        server: { waiting: step.verdict === 'kept' ? kept : broken, running: 4 },
      })),
    });

  it.each([
    [0.1, 30, ': its own queue grows, so it is full'],
    [0, 0.2, ': its own queue stays short, so what bends is before it'],
    [40, 30, ''],
  ])(
    'is quoted at the highest kept and the lowest broken rate: %d and %d wait',
    (kept, broken, meaning) => {
      const said = serverReason(withServer(kept, broken))!;
      expect(said).toMatch(
        /^at 8.00\/s [\d.]+ waiting, 4.00 running; at 16.0\/s [\d.]+ waiting, 4.00 running/,
      );
      expect(said.endsWith(`running${meaning}`)).toBe(true);
    },
  );

  it('is nothing where it was not asked', () => {
    expect(serverReason(sampleCapacity())).toBeNull();
  });
});

describe('the terminal form of a search for capacity', () => {
  it('answers in users, keys and money', () => {
    const text = terminalText(capacityDocument(sampleCapacity()), look);
    expect(text).toContain('Up to 11.0/s: 227 users');
    expect(text).toContain('11.0/s (90 % interval 10.8–11.3/s), 660 a minute');
    expect(text).toContain('11 keys for 60 requests a minute each, 1 key for 2,000,000 tokens');
    expect(text).toContain('0.792 currency units an hour');
    expect(text.split('\n').every((line) => line.length <= 100)).toBe(true);
  });

  it('has a row for each step in 80 columns, and its reason below it', () => {
    const lines = terminalText(capacityDocument(sampleCapacity()), { ...look, width: 80 }).split(
      '\n',
    );
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    const heads = lines.findIndex((line) => line.startsWith('  Step '));
    expect(lines[heads]).toMatch(/Offered .* Verdict .* Completed .* p95 ms .* Goodput$/);
    expect(lines[heads + 3]).toMatch(/^ {2}step-16 +16.0\/s .* broken/);
    expect(lines[heads + 4]).toMatch(/^ {6}requests in flight grew/);
    expect(lines[heads + 5]).toMatch(/^ {2}step-12 +12.0\/s .* excluded/);
  });

  it('says that a highest rate tried which is not sure is only probable', () => {
    const answer = sampleCapacity().answer!;
    const open = { ...answer, binding: 'none', proved: false } as const;
    const sayOf = (low: number) =>
      terminalText(
        capacityDocument(
          sampleCapacity({ answer: { ...open, rate: { ...answer.rate, low, high: 11 } } }),
        ),
        look,
      );
    expect(sayOf(10.5)).toContain(
      'Probably 11.0/s: 227 users (90 % interval 10.5–11.0/s, not proved)',
    );
    expect(sayOf(10.5)).toMatch(/660 a minute;\s+not\s+proved\s+to\s+the\s+requested\s+precision/);
    expect(sayOf(11)).toContain('At least 11.0/s: 227 users');
  });

  it('says what to declare if 429s bind first, of which nothing says that they are those of the key', () => {
    const { terms, answer } = sampleCapacity();
    const sayOf = (requestsPerMinute: number | null, tokensPerMinute: number | null = null) =>
      capacityAnswerRows(
        { ...answer!, binding: 'refusals' },
        sampleCapacity({ terms: { ...terms, requestsPerMinute, tokensPerMinute } }),
      ).find(([name]) => name === 'First limit')![1];
    expect(sayOf(null)).toMatch(/^refusals \(429\)\. If .* --set limits\.requestsPerMinute=…$/);
    expect(sayOf(600)).toMatch(/ --set limits\.tokensPerMinute=…$/);
    expect(sayOf(600, 100_000)).toBe('refusals (429)');
  });

  it('names a range instead of a rate where the search came no closer, and whether any rate may keep the objectives', () => {
    const answer = { ...sampleCapacity().answer!, proved: false };
    const sayOf = (low: number) =>
      terminalText(
        capacityDocument(
          sampleCapacity({ answer: { ...answer, rate: { value: 11, low, high: 17 } } }),
        ),
        look,
      );
    expect(sayOf(5)).toContain(
      'Between 5.00 and 17.0/s: the search came no closer (90 % interval)',
    );
    expect(sayOf(5)).toMatch(
      /Highest rate\s+Between 5\.00 and 17\.0\/s \(90 % interval\);\s+the\s+rows/,
    );
    expect(sayOf(0.1)).toMatch(/Highest rate\s+At most 17\.0\/s, if any/);
    // 227 users are of 11/s, the median; nobody saw that rate kept.
    expect(sayOf(0.1)).toMatch(/Users +at most 350 at 17\.0\/s, who think/);
    expect(sayOf(5)).toMatch(/Users +227 who think/);
    expect(sayOf(0.1)).toContain('At most 17.0/s, if any: the search came no closer');
    expect(sayOf(12)).toContain('Up to 11.0/s: 227 users');
  });

  it('names no lower end that only an excluded step tried', () => {
    const { steps, answer } = sampleCapacity();
    const unfit = { ...steps[3]!, rate: perSecond(3) };
    const open = { ...answer!, proved: false, rate: { value: 6, low: 3.5, high: 17 } };
    expect(
      terminalText(
        capacityDocument(sampleCapacity({ steps: [unfit, ...steps], answer: open })),
        look,
      ),
    ).toContain('At most 17.0/s, if any: the search came no closer');
  });

  it('names a declared limit below every rate that was tried and kept', () => {
    const { steps, answer } = sampleCapacity();
    const kept = steps.filter(({ verdict }) => verdict === 'kept');
    const capped = {
      ...answer!,
      proved: false,
      binding: 'requests',
      rate: { value: 1, low: 1, high: 1 },
    } as const;
    const text = terminalText(
      capacityDocument(sampleCapacity({ steps: kept, answer: capped })),
      look,
    );
    expect(Math.min(...kept.map(({ rate }) => rate))).toBeGreaterThan(1);
    expect(text).toContain('Up to 1.00/s: 227 users');
    expect(text).not.toContain('if any');
  });

  it('does not call a narrow interval wide that no kept step proves', () => {
    const answer = { ...sampleCapacity().answer!, proved: false };
    const text = terminalText(capacityDocument(sampleCapacity({ answer })), look);
    expect(text).toContain('(90 % interval 10.8–11.3/s, not proved)');
    // The precision is 5 %, so an interval is narrow up to 7.5 %.
    const wide = (low: number, high: number): string =>
      terminalText(
        capacityDocument(sampleCapacity({ answer: { ...answer, rate: { value: 11, low, high } } })),
        look,
      );
    expect(wide(10.4, 11.18)).toContain(', not proved)');
    expect(wide(10.4, 11.181)).toContain(', wider than requested)');
  });

  it('says for how long the rates near the answer were kept up', () => {
    const { steps } = sampleCapacity();
    const [kept] = steps;
    const at = (rate: number, seconds: number, verdict: 'kept' | 'broken' | 'unfit') =>
      ({ ...kept!, rate: perSecond(rate), seconds, arrivals: 100, verdict }) as const;
    const textOf = (...near: readonly ReturnType<typeof at>[]) => {
      const report = sampleCapacity({ steps: [...steps.slice(0, 3), ...near] });
      return terminalText(capacityDocument(report), { ...look, width: 200 });
    };
    const near = [at(11.4, 90, 'broken'), at(11.1, 300, 'unfit')];
    // Neither a step that broke nor one that is excluded shows for how long the rate can be kept up.
    const text = textOf(at(10.8, 20, 'kept'), ...near);
    expect(text).toMatch(/How sure .*; for at most \d+ s at a time/);
    expect(text).toMatch(
      /200 requests in 2 steps within 15 % of it; .*; for at most 40 s at a time/,
    );
    expect(textOf(...near)).toMatch(/100 requests in 1 step .*; none of them was kept/);
  });

  it('is a report that its schema accepts', () => {
    expect(capacityReportSchema.safeParse(sampleCapacity()).success).toBe(true);
  });
});

it('a caption explains the question mark of a step that is kept, but not surely, and of no other', () => {
  const { steps } = sampleCapacity();
  const captionOf = (change: object): boolean =>
    htmlPage(
      capacityDocument(sampleCapacity({ steps: steps.map((step) => ({ ...step, ...change })) })),
      '',
    ).includes('“kept?” looked well');
  expect(captionOf({ sure: false, verdict: 'kept' })).toBe(true);
  expect(captionOf({ sure: true, verdict: 'kept' })).toBe(false);
  expect(captionOf({ sure: false, verdict: 'broken' })).toBe(false);
});
