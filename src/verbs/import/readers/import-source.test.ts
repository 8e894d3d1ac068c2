// @long 1 s
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readScenario, readVariables } from '../../../scenario/read-scenario.ts';
import { importText, recognise, importedText, insertObjectives } from './import-source.ts';
import { type Imported, ImportError, noteLine } from './imported.ts';
import { samples } from './samples.fixture.ts';
import type { VegetaAttack } from './vegeta.ts';

const environment = { WEIR_API_KEY: 'k' };
const attack: VegetaAttack = {
  rate: '50/s',
  duration: '30s',
  bodies: new Map(),
  canWriteFiles: true,
};

const scenarioWith = (text: string) => `target: mock
traffic: [{ kind: models }]
load: { kind: constant, rate: 1/s, duration: 1m }
${text}`;

const textOf = (imported: Imported): string => {
  const text = importedText(imported, 'a file', './schema.json');
  return imported.kind === 'objectives' ? scenarioWith(text) : text;
};

const problemsOf = (text: string): readonly unknown[] => {
  const source = { text, name: 'a.yaml', environment };
  const reading = readScenario(source);
  return [...(reading.ok ? [] : reading.problems), ...readVariables(source, []).problems];
};

describe('what is imported', () => {
  it.each(samples)('$name: recognised, valid, without a key, and nothing unnamed', (sample) => {
    expect(recognise(sample.text)).toBe(sample.kind);
    const imported = importText(sample.kind, sample.text, attack);
    const text = textOf(imported);
    expect(problemsOf(text)).toEqual([]);
    expect(text).not.toContain('sk-1');
    const left = imported.notes.filter(({ kind }) => kind === 'left').map(noteLine);
    expect(left, left.join('\n')).toHaveLength(sample.left);
    for (const note of imported.notes) expect(text).toContain(`#   ${noteLine(note)}\n`);
  });

  it.each(samples)('$name', (sample) => {
    const imported = importText(sample.kind, sample.text, attack);
    const text = importedText(imported, '', '');
    expect(text.replaceAll(/^(#.*)?\n/gm, '')).toBe(sample.made);
  });

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
          expect(problemsOf(textOf(imported))).toEqual([]);
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
          expect(problemsOf(textOf(imported))).toEqual([]);
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

describe('objectives in a scenario', () => {
  it.each([
    ['none yet', '', '\nobjectives:\n  - a < 1\n'],
    [
      'a list',
      'objectives:\n  - x < 1 # why\nseed: 2\n',
      'objectives:\n  - x < 1 # why\n  - a < 1\nseed: 2\n',
    ],
    ['a list at the margin', 'objectives:\n- x < 1', 'objectives:\n- x < 1\n- a < 1\n'],
    [
      'mappings',
      'objectives:\n  - objective: x < 1\n    severity: warn\n',
      'objectives:\n  - objective: x < 1\n    severity: warn\n  - a < 1\n',
    ],
  ])('with %s', (_, before, after) => {
    expect(insertObjectives(scenarioWith(before), ['a < 1'])).toBe(scenarioWith(after));
  });

  it.each(['{ a: 1 }', '- a', 'objectives: [a < 1]\nb: 1', 'a: [', ''])(
    'are refused in %j',
    (text) => {
      expect(() => insertObjectives(text, ['a < 1'])).toThrow('--into: expected');
    },
  );
});
