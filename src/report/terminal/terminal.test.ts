import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Result } from '../../model/result.ts';
import { sampleResult } from '../sample-result.ts';
import { degradedTrust, invalidTrust, validTrust } from '../sample-trust.ts';
import { columnsOf } from './columns.ts';
import { terminalReport } from './terminal.ts';

const result = sampleResult();
const plain = (width: number, trust = degradedTrust, of: Result = result): string =>
  terminalReport(of, trust, { colour: false, width });

describe('the terminal report', () => {
  it('says first whether to believe it, then what ran, then what came of it', () => {
    expect(plain(100)).toMatchInlineSnapshot(`
      "■ DEGRADED
        The generator was strained: read the figures with the evidence beside them.
        degraded: event-loop utilisation, 0.64 in second 41 (healthy: below 0.5)
          Spread the load over more workers, or lower the rate.

      What ran
        quickstart → http://127.0.0.1:8080/v1
        60 s scheduled, 61.2 s in all, the first 10 s warm-up; 2 keys: alpha, beta
        steady: 20/s for 40 s, Poisson; 78.4 % chat-stream (m-large), 19.6 % chat (m-large), 1.96 % models
        peak: 20/s → 60/s in 20 s; 100 % chat-stream (m-large)

      Arrivals
                   arrivals    share  after warm-up    share
        due           1,600  100.0 %          1,400  100.0 %
        sent          1,578   98.6 %          1,378   98.4 %
        completed     1,111   69.4 %            915   65.4 %
        limited         449   28.1 %            449   32.1 %
        refused           5    0.3 %              3    0.2 %
        malformed        12    0.8 %             10    0.7 %
        broken            1    0.1 %              1    0.1 %
        dropped          22    1.4 %             22    1.6 %

      Figures
                         unit           n          p50            p90            p95            p99    max
        chat-stream
          TTFT           ms           790          187            423            684         ~1,137  1,524
                                             [183–193]      [381–492]      [558–946]  [1,070–1,340]
          Chunk gap      ms        30,650         12.3           21.0           25.2           38.5    255
                                           [12.3–12.4]    [20.7–21.2]    [24.9–25.6]    [37.2–39.8]
          Longest stall  ms           788         29.5            191            195           ~208    255
                                           [28.8–30.8]      [190–192]      [193–197]      [203–224]
          TPOT           ms           788         12.9           17.4           18.6          ~21.3   24.9
                                           [12.8–13.1]    [17.1–17.8]    [18.2–19.0]    [20.2–21.9]
          Output speed   tokens/s     788         79.0           86.9           88.8          ~92.7   95.9
                                           [78.2–79.8]    [86.5–87.7]    [88.2–89.6]    [91.7–94.7]
          End to end     ms           790          779          1,185          1,413         ~1,912  2,272
                                             [761–794]  [1,133–1,264]  [1,303–1,534]  [1,695–2,150]
          Service time   ms           790          779          1,186          1,414         ~1,912  2,273
                                             [761–795]  [1,133–1,264]  [1,304–1,534]  [1,695–2,150]

        chat
          End to end     ms           116          662          1,100         ~1,293         ~1,555  1,656
                                             [618–733]    [969–1,293]  [1,100–1,555]      [1,324–…]
          Service time   ms           116          661          1,100         ~1,292         ~1,554  1,656
                                             [618–733]    [968–1,292]  [1,100–1,554]      [1,324–…]

        models
          End to end     ms             9        ~6.39          ~18.9          ~18.9          ~18.9   18.9
                                           [5.42–16.6]       [7.33–…]       [13.2–…]       [16.6–…]
          Service time   ms             9        ~6.10          ~18.6          ~18.6          ~18.6   18.6
                                           [5.20–16.3]       [7.07–…]       [12.9–…]       [16.3–…]

        generator
          Generator lag  ms         1,400         0.19           0.48           0.64           1.04   1.60
                                           [0.18–0.20]    [0.46–0.52]    [0.59–0.68]    [0.88–1.20]

        [low–high] is the 95 % confidence interval of a percentile, … where no sample bounds it; ~ marks a
        percentile with fewer than ten samples beyond it.

      Rates over the 50 s measured
        requests 28.0/s offered, 27.6/s sent, 18.3/s completed
        tokens 870/s in, 755/s out (counted by the server, 906 answers)

      Rate limits by key
        alpha: 429s 449, first at 44.2 s
          requests: 600/min as declared; lowest left 0, last 0
          tokens: 2,000,000/min as declared; lowest left 1,882,740, last 1,882,740
        beta: 429s none
          requests: 600/min as declared; lowest left 66, last 66
          tokens: 2,000,000/min as declared; lowest left 1,941,260, last 1,941,260

      Failures
        449 × limited chat-stream: 429 rate_limit_exceeded (28.1 % of arrivals, 44.2 s to 60.0 s)
          Rate limit exceeded for api_key: #fa#f. Limit type: requests. Current limit: #, Remaining: #.
          for example req-00901, server id srv-901
        22 × dropped chat-stream: saturated (1.4 % of arrivals, 58.1 s to 59.9 s)
          the cap on requests in flight was reached
          for example req-01491
        9 × malformed chat-stream: stream-error (0.6 % of arrivals, 5.5 s to 59.1 s)
          an error event after # tokens: CUDA out of memory
          for example req-00102, server id srv-102
        5 × refused chat-stream: 500 server_error (0.3 % of arrivals, 0.4 s to 58.9 s)
          worker # failed: </script><img src=x onerror=alert(#)>␛[#J�"quoted" & 'single' <b>bold</b>
          for example req-00002, server id srv-2
        3 × malformed chat: stream-error (0.2 % of arrivals, 5.2 s to 28.0 s)
          an error event after # tokens: CUDA out of memory
          for example req-00093, server id srv-93
        1 × broken chat-stream: reset (0.1 % of arrivals, at 55.0 s)
          the connection was reset
          for example req-01311

      Notes
        The target refused stream_options.include_usage: </script><img src=x
        onerror=alert(1)>␛[2J�"quoted" & 'single' <b>bold</b>
      "
    `);
  });

  it('puts confidence intervals beside their percentiles where there is room', () => {
    const lines = plain(140).split('\n');
    expect(lines.find((line) => line.includes('TTFT'))).toMatchInlineSnapshot(
      `"    TTFT           ms           790      187 [183–193]        423 [381–492]         684 [558–946]  ~1,137 [1,070–1,340]  1,524"`,
    );
  });

  it.each([60, 72, 80, 100, 120, 160])('is at most %d columns wide', (width) => {
    const longest = Math.max(...plain(width).split('\n').map(columnsOf));
    expect(longest).toBeLessThanOrEqual(width);
  });

  it('has the same text with colour, and no escape sequence without', () => {
    const coloured = terminalReport(result, degradedTrust, { colour: true, width: 100 });
    expect(coloured).toContain('\u001b[');
    expect(stripVTControlCharacters(coloured)).toBe(plain(100));
    expect(plain(100)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('names no evidence when all is well, and withholds gaps when nothing is', () => {
    expect(plain(100, validTrust)).not.toContain('healthy:');
    expect(plain(100, invalidTrust)).toMatch(/Chunk gap +ms +[\d,]+ +withheld/);
  });

  it('of an empty run still reads', () => {
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
