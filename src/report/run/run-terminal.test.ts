// @gate 1 s
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { degradedTrust, invalidTrust, validTrust } from '../fixtures/sample-trust.fixture.ts';
import { displayWidth } from '../text/display-width.ts';
import { terminalText } from '../document/terminal-writer.ts';
import { runDocument } from './run-document.ts';

const result = sampleRunResult();
const plain = (width: number, trust = degradedTrust, of: Result = result): string =>
  terminalText(runDocument(of, trust), { colour: false, width });

describe('the terminal report', () => {
  it('of a run is never shorter than its load, even if the last answer came earlier', () => {
    const early = { ...result, ended: milliseconds(59_700) };
    expect(plain(100, degradedTrust, early)).toContain('60 s of load, 60 s in total');
    expect(plain(100, degradedTrust, early)).toContain('Over the whole run of 60 s: ');
  });

  it('says first whether to trust it, then what ran, then the outcome', () => {
    expect(plain(100)).toMatchInlineSnapshot(`
      "Load as planned; 1 figure approximate
        All five kinds of traffic against the reference gateway.
        Approximate, since the load generator can have moved it: chat-stream Chunk gap p95 25.3 ms (up to
        1.4 too high or 2.8 too low).
        The target refused stream_options.include_usage: </script><img src=x
        onerror=alert(1)>␛[2J�"quoted" & 'single' <b>bold</b>
        For exact figures: spread the load over more workers, or lower the rate.
        Possible causes: event loop (busy for 64 % on average), CPU wait (2.6 % of the time on average),
        garbage collection (the longest pause took 12 ms).
        What now: reports/what-now.md.

      quickstart → http://127.0.0.1:8080/v1
      60 s of load, 61.2 s in total, 10 s of warm-up; 2 keys: alpha, beta
      steady: 20/s for 40 s, Poisson; 72 % chat-stream (m-large), 18 % chat (m-large), 5 % speech
      (m-voice), 4 % transcription (m-ear), 1 % models
      peak: 20/s → 60/s in 20 s; 100 % chat-stream (m-large)

      How fast?
                                  n              p50          p90              p95          p99        max
        chat-stream
          TTFT ms               760          188* −1        ~427*         ~684* −3      ~1,137*      1,524
                            of 61 %        [160–259]      [259–…]          [351–…]      [692–…]
          Chunk gap ms       29,527        12.3 ±0.2         21.1  ~25.3 −1.4 +2.8        ~38.6        255
                                         [11.6–13.4]  [17.8–29.6]       [21.0–255]     [27.7–…]
          Longest stall ms      758  29.6* unbounded        ~191*            ~195*        ~208*        255
                            of 61 %      [25.4–40.4]     [39.3–…]         [60.2–…]      [195–…]
          TPOT ms               758            13.0*       ~17.4*           ~18.7*       ~21.3*       24.9
                            of 61 %      [12.4–15.6]     [15.4–…]         [16.8–…]     [18.6–…]
          Output speed to…      758             77.1    p10 ~57.4         p5 ~53.7     p1 ~46.9       92.9
                                         [67.0–81.5]     […–68.5]         […–62.0]     […–57.4]
          End to end ms         760             781*      ~1,190*          ~1,413*      ~1,912*      2,272
                            of 61 %        [668–939]      [930–…]        [1,066–…]    [1,413–…]
          Service time ms       760             781*      ~1,191*          ~1,414*      ~1,912*      2,273
                            of 61 %        [669–940]      [931–…]        [1,067–…]    [1,414–…]

        chat
          End to end ms          92              656       ~1,091           ~1,293      ~1,555*      1,555
                            of 97 %        [585–765]  [859–1,555]          [969–…]    [1,180–…]
          Service time ms        92              655       ~1,091           ~1,292      ~1,554*      1,554
                            of 97 %        [585–765]  [859–1,554]          [968–…]    [1,180–…]

        speech
          First audio ms         28              141         ~278            ~328*        ~419*        419
                            of 93 %        [110–200]      [194–…]          [212–…]      [278–…]
          End to end ms          28              579         ~809            ~833*      ~1,190*      1,190
                            of 93 %        [431–720]      [700–…]          [762–…]      [809–…]
          RTF speech ms/s        28      66.0 0.066×   ~135 0.14×       ~136 0.14×   ~181 0.18×  181 0.18×
                                         [59.0–86.0]     [75.1–…]         [89.2–…]      [135–…]
          Characters/s ch…       28              218     p10 ~107          p5 ~107     p1 ~79.9        318
                                           [169–246]      […–194]          […–169]      […–146]

        transcription
          End to end ms          24             ~948       ~1,165           ~1,211       ~1,260      1,260
                                         [682–1,165]    [1,007–…]        [1,054–…]    [1,137–…]
          RTF transcr. ms…       12       ~114 0.11×   ~124 0.12×       ~124 0.12×   ~124 0.12×  124 0.12×
                                                          [117–…]          [118–…]      [118–…]
          Word errors %          12            ~4.55        ~6.25            ~7.14        ~7.14       7.14
                                                         [5.00–…]         [5.56–…]     [5.56–…]

        models
          End to end ms           9            ~6.39        ~18.9            ~18.9        ~18.9       18.9
          Service time ms         9            ~6.10        ~18.6            ~18.6        ~18.6       18.6

        generator
          Generator lag ms    1,400             0.19         0.48             0.64         1.04       1.60
                                         [0.18–0.20]  [0.46–0.52]      [0.59–0.68]  [0.88–1.20]
        Word error rate: 4.32 % on average over 12 answers to clips with a known text (12 others have
        none). It is the mean of the rates of single answers, so a short clip counts as much as a long
        one.
        [low–high] is the 95 % confidence interval of a percentile, … where no sample bounds it. It allows
        for requests that depend on each other, unless their dependence lasts longer than the run. −, + or
        ± is its measurement error: by how much the load generator can have made it too high, too low, or
        either. ~ marks a percentile with fewer than ten independent samples beyond it. * marks one that
        would be higher, or infinite, if failures counted as infinitely slow; the share of arrivals that
        completed is below n.

      Breakdown by stage, after the warm-up
                         first p50    p95  end p50      p95  Arrivals  Completed     429
        steady
          chat-stream          170    305      712    1,025       443     99.5 %   0.0 %
          chat                   –      –      656   ~1,293        94     97.9 %   0.0 %
          speech               141  ~328*      579    ~833*        30     93.3 %   0.0 %
          transcription          –      –     ~948   ~1,211        24    100.0 %   0.0 %
          models                 –      –    ~6.39    ~18.9         9    100.0 %   0.0 %
        peak
          chat-stream         238*  ~859*     911*  ~1,546*       800     39.9 %  56.1 %

      How much?
        Over the 50 s measured: 28.0/s offered, 27.6/s sent, 18.3/s completed (chat-stream 15.2/s, chat
        1.84/s, speech 0.56/s, transcription 0.48/s, models 0.18/s); tokens 814/s in, 707/s out (counted
        by the server).
        Over the whole run of 61.2 s: 25.8/s sent, 18.1/s completed; tokens 806/s in, 699/s out (counted
        by the server, 1,028 answers).

      What failed?
        Outcome    Whole run    Share  After warm-up    Share
        due            1,600  100.0 %          1,400  100.0 %
        sent           1,578   98.6 %          1,378   98.4 %
        completed      1,108   69.3 %            913   65.2 %
        limited          449   28.1 %            449   32.1 %
        refused            5    0.3 %              3    0.2 %
        malformed         15    0.9 %             12    0.9 %
        broken             1    0.1 %              1    0.1 %
        dropped           22    1.4 %             22    1.6 %

      Outcomes by kind of traffic
        Outcome      All  chat-stream  chat  speech  transcription  models
        due        1,600        1,391   126      39             32      12
        sent       1,578        1,369   126      39             32      12
        completed  1,108          905   123      36             32      12
        limited      449          449     0       0              0       0
        refused        5            5     0       0              0       0
        malformed     15            9     3       3              0       0
        broken         1            1     0       0              0       0
        dropped       22           22     0       0              0       0

      Failures
        Outcome                Count   Share  Cause                     First    Last
        limited chat-stream      449  28.1 %  429 rate_limit_exceeded  44.2 s  60.0 s
            Rate limit exceeded for api_key: 3fa85f. Limit type: requests. Current limit: 600, Remaining:
            0. (for example req-00901, server id srv-901)
        dropped chat-stream       22   1.4 %  saturated                58.1 s  59.9 s
            the cap on requests in flight was reached (for example req-01491)
        malformed chat-stream      9   0.6 %  stream-error              5.5 s  59.1 s
            an error event after # tokens: CUDA out of memory (for example req-00102, server id srv-102)
        refused chat-stream        5   0.3 %  500 server_error          0.4 s  58.9 s
            worker # failed: </script><img src=x onerror=alert(#)>␛[#J�"quoted" & 'single' <b>bold</b>
            (for example req-00002, server id srv-2)
        malformed speech           3   0.2 %  audio-truncated           2.1 s  36.5 s
            the MP# file ends # bytes early (for example req-00027, server id srv-27)
        malformed chat             3   0.2 %  stream-error              5.2 s  28.0 s
            an error event after # tokens: CUDA out of memory (for example req-00093, server id srv-93)
        broken chat-stream         1   0.1 %  reset                    55.0 s  55.0 s
            the connection was reset (for example req-01311)

      Tolerated deviations
        Kind           Deviation    Answers   Share  Meaning
        chat-stream    no-done           20   2.2 %  The stream ended without [DONE].
        speech         mislabelled        6  16.7 %  The content type named another format than that of
                                                     the body.
        transcription  no-segments        8  25.0 %  verbose_json with segments was requested, and the
                                                     transcript had none.

      What did the limits do?
        alpha: 1,049 answers, 429s: 449, first at 44.2 s
          requests: 600/min as declared; lowest remaining 0
          tokens: 2,000,000/min as the interface says; lowest remaining 1,882,740
        beta: 528 answers, 429s: none
          requests: 600/min as declared; lowest remaining 66
          tokens: 2,000,000/min as the interface says; lowest remaining 1,941,260

      What did it cost?
        1,096 completed answers cost at least 0.107747 currency units; the cost of 136 of them is unknown.
        Kind and model                           Cost      n  received                sent  Characters
        chat-stream (m-large)                0.029287    905         –                   –           –
        chat (m-large)                        unknown    123         –                   –           –
        speech (m-voice)                     0.063930     36     294 s                   –       4,262
        transcription (m-ear)   0.014530 + 13 unknown     32         –  145 s + 13 unknown           –
        All                    0.107747 + 136 unknown  1,096     294 s  145 s + 13 unknown       4,262
        Per second of the 50 s measured: 4.95 s of audio received, 2.10 s of audio sent, 71.8 characters
        spoken.
        Completed answers of the whole run including the warm-up, with the interface’s constants and the
        scenario’s prices, each answer rounded to a millionth of a currency unit. A cost is unknown if the
        scenario names no price, or none for so long a prompt, the server reports no usage, or the length
        of a clip cannot be read. What failed answers and attempts before a retry cost is added up apart,
        as far as the server reported it; refused requests cost nothing."
    `);
  });

  it('puts confidence intervals and errors next to their percentiles if there is room', () => {
    const lines = plain(160).split('\n');
    expect(lines.find((line) => line.includes('TTFT'))).toMatchInlineSnapshot(
      `"    TTFT ms                760 of 61 %            188* [160–259] −1        ~427* [259–…]            ~684* [351–…] −3     ~1,137* [692–…]      1,524"`,
    );
  });

  it.each([60, 72, 80, 100, 120, 160])('is at most %d columns wide', (width) => {
    const longest = Math.max(...plain(width).split('\n').map(displayWidth));
    expect(longest).toBeLessThanOrEqual(width);
  });

  it('has the same text with colour, and no escape sequences without', () => {
    const coloured = terminalText(runDocument(result, degradedTrust), { colour: true, width: 100 });
    expect(coloured).toContain('\u001b[');
    expect(stripVTControlCharacters(coloured)).toBe(plain(100));
    expect(plain(100)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('writes each row of a table as a sentence where columns have no room', () => {
    expect(plain(60)).toContain('  malformed: All 15, chat-stream 9, chat 3, speech 3');
    expect(plain(72)).toMatch(/completed +1,108 +905 +123 +36 +32 +12\n/);
  });

  it('says in one sentence that no cost is known, where none is', () => {
    const groups = result.groups.filter(({ labels }) => labels.traffic === 'chat');
    const [, said] = plain(100, validTrust, { ...result, groups }).split('What did it cost?\n');
    expect(said?.split('\n\n')[0]).toMatchInlineSnapshot(`
      "  The cost of 123 completed answers is unknown: set a price in the scenario, and make the server
        report usage."
    `);
  });

  it('names no evidence if everything is healthy, and withholds gaps if invalid', () => {
    expect(plain(100, validTrust)).not.toMatch(/healthy:|Possible causes|Self-test/);
    expect(plain(100, invalidTrust)).toMatch(/Chunk gap +ms +[\d,]+ +withheld/);
  });

  it('marks figures whose measurement error is not small', () => {
    const coloured = terminalText(runDocument(result, degradedTrust), { colour: true, width: 160 });
    expect(coloured).toMatch(/\u001b\[33m *~25\.3 \[21\.0–255\] −1\.4 \+2\.8/);
    expect(coloured).toMatch(/\u001b\[1m *188\* \[160–259\] −1/);
  });

  it('explains errors only where there are some', () => {
    expect(plain(100, validTrust)).toContain('is its measurement error');
    const exact = { ...validTrust, figures: [] };
    expect(plain(100, exact)).not.toContain('measurement error');
  });

  it('says below the figures which tokens they leave out', () => {
    const tokens = [
      { source: 'events' as const, answers: 2, answersWithInput: 0, input: 0, output: 40 },
    ];
    const groups = result.groups.map((group) => ({ ...group, tokens }));
    expect(plain(100, validTrust, { ...result, groups })).toContain(
      'chat-stream: The server did not count the tokens of every answer; left out of',
    );
  });

  it('of an empty run is complete', () => {
    const empty: Result = {
      ...result,
      groups: [],
      timeline: [],
      failures: [],
      ledger: [],
      notes: [],
    };
    expect(plain(100, validTrust, empty)).toContain('No request was due.');
  });
});
