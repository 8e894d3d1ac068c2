import { describe, expect, it } from 'vitest';
import { runFiguresCsv } from '../figures-csv.ts';
import { blockMarkup } from '../document/html-writer.ts';
import { terminalText } from '../document/terminal-writer.ts';
import { runJunit } from '../junit/run-junit.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { degradedTrust, invalidTrust, validTrust } from '../fixtures/sample-trust.fixture.ts';
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
      'name="the run is complete and its figures count" time="0"><failure message="Invalid" type="run-invalid">',
    );
    const invalid = runJunit(held, invalidTrust);
    expect(invalid).toContain('start lag: p99 480 ms (healthy: p99 up to 100 ms)');
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
    expect(stepSummary(undecided, validTrust)).toContain(words);
  });
});

describe('the step summary', () => {
  it('begins with the verdict, then come tables', () => {
    const lines = stepSummary(held, degradedTrust).split('\n');
    expect(lines.slice(0, 26).join('\n')).toMatchInlineSnapshot(`
      "## ❌ Weir: quickstart

      **Degraded**

      All five kinds of traffic against the reference gateway.

      The load generator can have moved 1 of 4 headline figures by more than 5 % or 1 ms, and out of the confidence interval: chat-stream Chunk gap p95.

      - The target refused stream&#95;options.include&#95;usage: &#60;/script&#62;&#60;img src=x onerror=alert(1)&#62;␛&#91;2J�"quoted" &#38; 'single' &#60;b&#62;bold&#60;/b&#62;

      - degraded: measurement error, 1 of 4 headline figures is uncertain: chat-stream Chunk gap p95 of 25.3 ms can be up to 1.4 ms too high or 2.8 ms too low. Spread the load over more workers, or lower the rate.
      - Possible causes: event loop (busy for 64 % on average), CPU wait (2.6 % of the time on average), garbage collection (the longest pause took 12 ms).

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
    expect(sign(kept, degradedTrust)).toBe('⚠️');
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
    expect(row?.split(' | ')[2]).toBe('188<br>&#91;184–194&#93; −1');
  });
});

describe('the CSV', () => {
  const rows = runFiguresCsv(sampleRunResult(), validTrust).split('\r\n');

  it('has one value in each row, first of all traffic, then by kind, then by group', () => {
    expect(rows.slice(0, 3)).toMatchInlineSnapshot(`
      [
        "traffic,model,key,stage,figure,statistic,value,unit,n,low,high,entry,error_low,error_high",
        ",,,,due,count,1400,arrivals,1400,,,,,",
        ",,,,sent,count,1378,arrivals,1400,,,,,",
      ]
    `);
    expect(rows.filter((row) => row.startsWith('chat-stream,,,,ttft,'))).toMatchInlineSnapshot(`
      [
        "chat-stream,,,,ttft,mean,259.6855552631579,ms,760,,,,,",
        "chat-stream,,,,ttft,min,140.342,ms,760,,,,,",
        "chat-stream,,,,ttft,max,1523.958,ms,760,,,,,",
        "chat-stream,,,,ttft,p50,188.031,ms,760,183.935,194.175,,187.42,188.031",
        "chat-stream,,,,ttft,p90,427.007,ms,760,383.487,510.975,,,",
        "chat-stream,,,,ttft,p95,683.519,ms,760,566.271,945.663,,680.1,683.519",
        "chat-stream,,,,ttft,p99,1136.639,ms,760,1086.463,1340.415,,,",
      ]
    `);
    const [stall] = rows.filter((row) => row.startsWith('chat-stream,,,,stall,p50,'));
    expect(stall).toMatch(/,,0,$/);
    expect(rows.at(-1)).toBe('');
    expect(new Set(rows.slice(1, -1).map((row) => row.split(',').length))).toEqual(new Set([14]));
  });

  it('distinguishes named entries of one kind and model', () => {
    const result = sampleRunResult();
    const [group] = result.groups.filter(({ labels }) => !labels.warmUp);
    const groups = ['short', 'long'].map((entry) => ({
      ...group!,
      labels: { ...group!.labels, entry },
    }));
    const due = runFiguresCsv({ ...result, groups }, validTrust)
      .split('\r\n')
      .filter((row) => row.includes(',due,'))
      .map((row) => row.split(',')[11]);
    expect(due.filter((entry) => entry !== '')).toEqual(['short', 'long']);
  });

  it('quotes what needs it, and never begins a cell with a formula', () => {
    const result = sampleRunResult();
    const groups = result.groups.map((group) => ({
      ...group,
      labels: { ...group.labels, model: '=HYPERLINK("x"),\n' },
    }));
    const text = runFiguresCsv({ ...result, groups }, validTrust);
    expect(text).toContain(`,"'=HYPERLINK(""x""),\n",`);
  });

  it('leaves out figures withheld because of the generator', () => {
    const spoiled = /,gap,[^]*,stall,/;
    expect(runFiguresCsv(sampleRunResult(), validTrust)).toMatch(spoiled);
    expect(runFiguresCsv(sampleRunResult(), invalidTrust)).not.toMatch(/,(gap|stall),/);
  });
});
