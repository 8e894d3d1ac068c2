// @gate 1 s
import { describe, expect, it } from 'vitest';
import { runFiguresCsv } from '../figures-csv.ts';
import { blockMarkup } from '../document/html-page.ts';
import { terminalText } from '../document/terminal-writer.ts';
import { runJunit } from '../junit/run-junit.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import {
  degradedTrust,
  invalidTrust,
  uncertainGap,
  validTrust,
} from '../fixtures/sample-trust.fixture.ts';
import { sampleVerdict } from '../fixtures/sample-verdict.fixture.ts';
import { runDocument, stepSummary } from './run-document.ts';
import { objectivesSection } from './verdict.ts';

const broken = sampleVerdict({
  text: 'errorRate < 1%',
  ruling: 'fail',
  grounds: 'broken',
  observed: 35,
  unit: '%',
  low: 31.6,
  high: 38.5,
});
const held = { ...sampleRunResult(), verdicts: [sampleVerdict(), broken] };
const look = { colour: false, width: 100 };

describe('objectives come right after the verdict on the run', () => {
  it('in the terminal', () => {
    const [, lines = ''] = terminalText(runDocument(held, validTrust), look).split(
      '\n\nObjectives\n',
    );
    expect(lines.split('\n').slice(0, 5).join('\n')).toMatchInlineSnapshot(`
      "  1 of 2 objectives kept, 1 broken.
        Objective                     Verdict   Observed     95 % interval    n
        ttft.p95{stage=peak} < 800ms  ✓ kept      684 ms  566 ms to 746 ms  760
        errorRate < 1%                ✗ broken    35.0 %  31.6 % to 38.5 %  760
      "
    `);
  });

  it('in HTML, with the scenario’s own words as text', () => {
    const verdicts = [sampleVerdict({ text: '<img src=x onerror=alert(1)>' })];
    const html = blockMarkup(objectivesSection({ ...held, verdicts }))?.markup ?? '';
    expect(html).toContain('&lt;img src=x');
    expect(html).not.toContain('<img');
    expect(blockMarkup(objectivesSection(sampleRunResult()))).toBeNull();
  });
});

describe('JUnit', () => {
  it('has a case for the run and one for each objective', () => {
    expect(runJunit(held, validTrust).match(/<testcase.*/g)).toMatchInlineSnapshot(`
      [
        "<testcase classname="run" name="the run is complete and its figures count" time="0"></testcase>",
        "<testcase classname="objectives" name="ttft.p95{stage=peak} &lt; 800ms" time="0"></testcase>",
        "<testcase classname="objectives" name="errorRate &lt; 1%" time="0"><failure message="expected errorRate &lt; 1%, got 35.0 % (95 %: 31.6 % to 38.5 %), n 760" type="objective-broken">expected errorRate &lt; 1%, got 35.0 % (95 %: 31.6 % to 38.5 %), n 760</failure></testcase>",
      ]
    `);
  });

  it('fails the case of the run if the run does not count', () => {
    expect(runJunit(held, invalidTrust)).toContain(
      'name="the run is complete and its figures count" time="0"><failure message="Load not as planned" type="run-invalid">',
    );
    const invalid = runJunit(held, invalidTrust);
    expect(invalid).toContain(
      'start lag: p99 480 ms (healthy: at most 1 % of the starts later than 100 ms (one always may be))',
    );
    const cause = { ...degradedTrust.evidence[0]!, signal: 'a cause' };
    const caused = { ...invalidTrust, evidence: [...invalidTrust.evidence, cause] };
    expect(runJunit(held, caused)).toBe(invalid);
    expect(runJunit(held, degradedTrust)).not.toContain('run-invalid');
  });

  it('says where the measurement error leaves an objective undecided', () => {
    const within = sampleVerdict({
      ruling: 'inconclusive',
      grounds: 'within-error',
      error: { low: 672, high: 684 },
    });
    const undecided = { ...sampleRunResult(), verdicts: [within] };
    const words = 'undecided: the measurement error of up to 12.0 ms spans the bound';
    expect(runJunit(undecided, validTrust)).toMatch(new RegExp(`<skipped message="[^"]*${words}"`));
    // In the table, the verdict stands beside its reason.
    expect(stepSummary(undecided, validTrust)).toContain(words.replace('undecided: ', ''));
    expect(runJunit(undecided, validTrust, true)).toMatch(
      new RegExp(`<failure message="[^"]*${words}[^"]*" type="undecided"`),
    );
  });

  it('fails an objective that is not sure, if strict', () => {
    const unsure = sampleVerdict({ ruling: 'inconclusive', grounds: 'unsure', sure: null });
    const words = 'not sure: the run is too short for an interval" type="undecided"';
    expect(runJunit({ ...sampleRunResult(), verdicts: [unsure] }, validTrust, true)).toContain(
      words,
    );
  });
});

describe('the step summary', () => {
  it('begins with the verdict, then come tables', () => {
    const lines = stepSummary(held, degradedTrust).split('\n');
    expect(lines.slice(0, 28).join('\n')).toMatchInlineSnapshot(`
      "## ❌ Weir: quickstart

      **1 of 2 objectives kept, 1 broken; load as planned; 1 figure approximate**

      All five kinds of traffic against the reference gateway.

      Approximate, since the load generator can have moved it: chat-stream Chunk gap p95 25.3 ms (up to 1.4 too high or 2.8 too low).

      - The target refused stream&#95;options.include&#95;usage: &#60;/script&#62;&#60;img src=x onerror=alert(1)&#62;␛&#91;2J�"quoted" &#38; 'single' &#60;b&#62;bold&#60;/b&#62;

      - For exact figures: spread the load over more workers, or lower the rate.
      - Possible causes: event loop (busy for 64 % on average), CPU wait (2.6 % of the time on average), garbage collection (the longest pause took 12 ms).

      What now: reports/what-now.md.

      - quickstart → http&#58;//127.0.0.1:8080/v1
      - 60 s of load, 61.2 s in total, 10 s of warm-up; 2 keys: alpha, beta
      - steady: 20/s for 40 s, Poisson; 72 % chat-stream (m-large), 18 % chat (m-large), 5 % speech (m-voice), 4 % transcription (m-ear), 1 % models
      - peak: 20/s → 60/s in 20 s; 100 % chat-stream (m-large)

      ### Objectives

      **❌ 1 of 2 objectives kept, 1 broken.**

      | Objective | Verdict | Observed | 95 % interval | n |
      | --- | --- | ---: | ---: | ---: |
      | ttft.p95{stage=peak} &#60; 800ms | ✅ kept | 684 ms | 566 ms to 746 ms | 760 |
      | errorRate &#60; 1% | ❌ broken | 35.0 % | 31.6 % to 38.5 % | 760 |"
    `);
  });

  it('has a sign for the worst verdict', () => {
    const sign = (...given: Parameters<typeof stepSummary>) => stepSummary(...given).slice(3, 5);
    const kept = { ...held, verdicts: [sampleVerdict()] };
    expect(sign(kept, validTrust)).toBe('✅ ');
    expect(sign(kept, degradedTrust)).toBe('✅ ');
    const coarse = { ...degradedTrust, figures: [{ ...uncertainGap, high: 32 }] };
    expect(sign(kept, coarse)).toBe('⚠️');
    expect(sign(kept, invalidTrust)).toBe('❌ ');
    expect(sign(held, validTrust)).toBe('❌ ');
  });

  it('stays below 1 MiB and keeps other people’s text plain, for any server message', () => {
    const hostile = `| <script>alert(1)</script> [x](https://evil.example) @team ![](www.evil.example) ${'`*_~#'.repeat(2000)}`;
    const failures = Array.from({ length: 5000 }, (_, i) => ({
      ...held.failures[0]!,
      cause: hostile,
      message: hostile,
      count: 5000 - i,
      example: { requestId: hostile, serverId: hostile, text: hostile },
    }));
    const verdicts = Array.from({ length: 200 }, () => sampleVerdict({ text: hostile }));
    const notes = Array.from({ length: 5000 }, () => hostile);
    const plan = { ...held.plan, name: hostile, description: hostile };
    const text = stepSummary({ ...held, plan, failures, verdicts, notes }, validTrust);
    expect(Buffer.byteLength(text)).toBeLessThan(1024 * 1024);
    for (const live of ['<script', '](', '@team', 'https://evil', 'www.evil']) {
      expect(text).not.toContain(live);
    }
  });
});

describe('the figures of the step summary', () => {
  it('have their measurement errors next to their intervals', () => {
    const [row] = /\| chat-stream TTFT.*/.exec(stepSummary(held, validTrust)) ?? [];
    expect(row?.split(' | ')[2]).toBe('188&#42;<br>&#91;160–259&#93; −1');
  });
});

describe('the CSV', () => {
  const table = (text: string) => {
    const [head = '', ...rows] = text.trimEnd().split('\r\n');
    const names = head.split(',');
    return rows.map((row) =>
      Object.fromEntries(row.split(',').map((value, at) => [names[at]!, value])),
    );
  };
  const rows = table(runFiguresCsv(sampleRunResult(), validTrust));

  it('has the rates, then a row for each kind of traffic and what matters most of it', () => {
    expect(rows.length).toBeLessThanOrEqual(20);
    expect(rows.map(({ traffic, measure }) => `${traffic} ${measure}`)).toMatchInlineSnapshot(`
      [
        "all offered",
        "all sent",
        "all completed",
        "all inputTokens",
        "all outputTokens",
        "chat-stream ttft",
        "chat-stream gap",
        "chat-stream endToEnd",
        "chat endToEnd",
        "speech firstAudio",
        "speech speechFactor",
        "speech endToEnd",
        "transcription endToEnd",
        "transcription transcriptionFactor",
        "transcription wordErrorRate",
        "models endToEnd",
      ]
    `);
    expect(rows.find(({ measure }) => measure === 'ttft')).toMatchInlineSnapshot(`
      {
        "completed": "760",
        "due": "1243",
        "entry": "",
        "failed": "483",
        "limited": "449",
        "max": "1524",
        "mean": "259.7",
        "measure": "ttft",
        "n": "760",
        "p50": "188",
        "p90": "427",
        "p95": "683.5",
        "p95_error_high": "683.5",
        "p95_error_low": "680.1",
        "p95_high": "",
        "p95_low": "351",
        "p99": "1137",
        "traffic": "chat-stream",
        "unit": "ms",
      }
    `);
    expect(rows[0]).toMatchInlineSnapshot(`
      {
        "completed": "913",
        "due": "1400",
        "entry": "",
        "failed": "487",
        "limited": "449",
        "max": "",
        "mean": "28",
        "measure": "offered",
        "n": "",
        "p50": "",
        "p90": "",
        "p95": "",
        "p95_error_high": "",
        "p95_error_low": "",
        "p95_high": "",
        "p95_low": "",
        "p99": "",
        "traffic": "all",
        "unit": "/s",
      }
    `);
  });

  it('has a row for each of several named entries of a kind, and no text that begins like a formula', () => {
    const result = sampleRunResult();
    const group = result.groups.find(({ labels }) => !labels.warmUp && labels.traffic === 'chat')!;
    const groups = ['=1+1', 'a "long" one'].map((entry) => ({
      ...group,
      labels: { ...group.labels, entry },
    }));
    const text = runFiguresCsv({ ...result, groups }, validTrust);
    expect(text).toContain(`\r\nchat,'=1+1,endToEnd,`);
    expect(text).toContain(`\r\nchat,"a ""long"" one",endToEnd,`);
  });

  it('leaves out figures withheld because of the generator', () => {
    expect(runFiguresCsv(sampleRunResult(), validTrust)).toContain(',gap,');
    expect(runFiguresCsv(sampleRunResult(), invalidTrust)).not.toContain(',gap,');
  });
});
