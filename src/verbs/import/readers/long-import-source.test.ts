// @gate 1 s
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importText, insertObjectives } from './import-source.ts';
import { ImportError } from './imported.ts';
import { attack, problemsOf, textOfImport } from './imported-text.fixture.ts';

describe('what is imported', () => {
  const word = fc.constantFrom(
    ...`--concurrency --request-rate --isl --osl --isl-stddev --request-count --benchmark-duration --warmup-duration
    --warmup-request-count --streaming --arrival-pattern gamma constant 1 0 20 0.5 1,2,4 $N 'a_b' --goodput
    request_latency:5 --search-space -H a:b cookie:x --ui=none --osl-stddev --num-prefix-prompts
    --prefix-prompt-length --extra-inputs '{"a":1}'`.split(/\s+/),
  );

  it('is valid whatever the options of AIPerf are, or refused with a reason', () => {
    let valid = 0;
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const script = `aiperf profile -m a/b ${words.join(' ')}`;
        try {
          const imported = importText('aiperf', script, attack);
          expect(problemsOf(textOfImport(imported))).toEqual([]);
          valid += 1;
          // Each option is taken over, or there is a line that names it.
          if (words.includes('--search-space')) {
            expect(imported.notes.map(({ place }) => place)).toContain('--search-space');
          }
        } catch (error) {
          if (!(error instanceof ImportError)) throw error;
        }
      }),
      { numRuns: 60 },
    );
    expect(valid).toBeGreaterThan(5);
  });

  const guide = fc.constantFrom(
    ...`--rate-type concurrent; --rate-type constant; --profile kind=poisson,rate=3; --rate 1; --rate 0; --rate 2,8;
    --max-seconds 10; --max-requests 5; --warmup 0.5; --rampup 3; --cooldown 1; --data x.jsonl; --model; --profile sweep;
    --profile knee; --data prompt_tokens=5,output_tokens=0; --constraint kind=max_duration,seconds=3;
    --data '{"prompt_tokens": 9, "prompt_tokens_max": 4, "delay": 2}'`.split(/;\s+/),
  );

  it('is valid whatever the options of GuideLLM are, or refused with a reason', () => {
    let valid = 0;
    fc.assert(
      fc.property(fc.array(guide, { maxLength: 8 }), (words) => {
        const script = `guidellm benchmark --target http://h ${words.join(' ')}`;
        try {
          const imported = importText('guidellm', script, attack);
          expect(problemsOf(textOfImport(imported))).toEqual([]);
          valid += 1;
        } catch (error) {
          if (!(error instanceof ImportError)) throw error;
        }
      }),
      { numRuns: 60 },
    );
    expect(valid).toBeGreaterThan(5);
  });
});

describe('a command', () => {
  it('of AIPerf with twenty thousand models is refused in three seconds', () => {
    const script = `aiperf profile -u http://h --request-rate 5 -m ${'a '.repeat(20_000)}`;
    const began = process.cpuUsage();
    expect(() => importText('aiperf', script, attack)).toThrow('more than 1000 traffic entries');
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1e6).toBeLessThan(3);
  });
});

describe('objectives in a scenario', () => {
  it('are refused in a second where a hundred thousand brackets are open', () => {
    const text = `load: ${'['.repeat(100_000)}\n`;
    const began = process.cpuUsage();
    expect(() => insertObjectives(text, ['a < 1'])).toThrow('--into: expected');
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1e6).toBeLessThan(5);
  });
});
