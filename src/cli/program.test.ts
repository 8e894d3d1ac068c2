import { expect, it } from 'vitest';
import { program } from './program.ts';

const said = (line: string): Promise<string> =>
  program(line.split(' ')).then(
    () => 'nothing',
    (error: unknown) => (error as Error).message,
  );

it.each([
  ['run -model a --rate 5/s', '-model: an option begins with two dashes: write --model'],
  ['run —model=a --rate 5/s', '—model=a: an option begins with two dashes: write --model'],
  ['run –-model a –rate 5/s', '–-model: an option begins with two dashes: write --model'],
  ['run -x a', 'unknown option -x: write --set wire.proxy=a'],
  // Two letters are two options for the parser, and what follows -- is another program's.
  ['run -qx a', /^unexpected word "q": /],
  ['import -- -model', /^the command line: nothing that weir import knows/],
  [
    'evening.yaml',
    /^unknown verb "evening\.yaml": did you mean `weir run evening\.yaml`\? If not, expected init, /,
  ],
  ['a.cts', /did you mean `weir run a\.cts`\?/],
  ['a.json', /did you mean `weir run a\.json`\?/],
  ['HTTPS://h/v1', /^unknown verb .*: did you mean `weir run --target HTTPS:\/\/h\/v1 …`\?/],
  ['attack', /^unknown verb "attack": did you mean `weir run`\?/],
  ['lint', /did you mean `weir validate`\?/],
  ['diff', /did you mean `weir compare`\?/],
  ['server', /did you mean `weir mock`\?/],
  ['usage', /did you mean `weir --help`\?/],
  ['frobnicate', /^unknown verb "frobnicate": expected init/],
  [
    'run a rate = 5/s',
    /^unexpected word "rate": .*\nunexpected word "=": .*; a value has no blanks/,
  ],
  ['run a --rate 5 per second', /a value has no blanks: --rate 5\/s, --set load\.rate=5\/s/],
  ['run a b', 'unexpected word "b": weir run takes one scenario file, and options'],
  ['run a --capture some', '--capture: expected "failed" or "all", got "some"'],
  ['run a --bogus', 'unknown option --bogus: expected one that `weir run --help` lists'],
  [
    'run a --duratio 3s',
    'unknown option --duratio: did you mean --duration? If not, expected one that `weir run --help` lists',
  ],
  ['run a --maxTokns=3', /^unknown option --maxTokns: did you mean --max-tokens\?/],
  ['run a --vus 3', 'unknown option --vus: write --set load.users=3'],
  ['run --vus=3', 'unknown option --vus: write --users 3: so many wait for their answers at once'],
  [
    'run --dry-run',
    'unknown option --dry-run: write `weir plan` in place of `weir run`: it sends nothing',
  ],
  ['run --dry', /^unknown option --dry: write `weir plan`/],
  ['capacity a --max-rate 100', 'unknown option --max-rate: write --top 100/s'],
  ['calibrate --fast', 'unknown option --fast: write --quick'],
  ['limits --dry-run', 'unknown option --dry-run: expected one that `weir limits --help` lists'],
  ['run a -c 3', 'unknown option -c: write --set load.users=3'],
  [
    'run -c 3 -n 9',
    /^unknown option -c: write --users 3: .*\nunknown option -n: write --iterations 9: so many requests, which the --users share/,
  ],
  ['run a --qps 5/s', 'unknown option --qps: write --set load.rate=5/s'],
  ['run a --qps 5', 'unknown option --qps: write --set load.rate=5/s'],
  ['run --request_rate 5', 'unknown option --request_rate: write --rate 5/s'],
  ['run -d 30', 'unknown option -d: write --duration 30s'],
  [
    'run a -H X-Team:red',
    "unknown option -H: headers belong to the scenario: write --set 'headers.X-Team=red'",
  ],
  ['run a --header Authorization:x', /^unknown option --header: the key comes from the env/],
  ['run a --insecure', 'unknown option --insecure: write --set wire.verifyTls=false'],
  ['run a --api-key sk-1', /^unknown option --api-key: a key on a command line can be read/],
  ['run a --timeout 5', /^unknown option --timeout: write --set deadlines.total=5s/],
  ['run --isl 100', /becomes a scenario by `weir import/],
  ['mock --concurrency 3', /^unknown option --concurrency: expected one that/],
  ['compare a b --qps 5', /^unknown option --qps: expected one that/],
  ['validate a --x=1 b', /^unknown option --x: .*\nunexpected word "b": weir validate/],
  [
    'run --no-histroy a',
    'unknown option --no-histroy: did you mean --no-history? If not, expected one that `weir run --help` lists',
  ],
  ['run a --no-targt', /^unknown option --no-targt: expected one that/],
  ['run a --no-target', '--no-target: not supported; write --target with a value, or leave it out'],
  [
    'run a --no-canary',
    'unknown option --no-canary: it is a field of scenarios: write --set canary=false',
  ],
  [
    'validate a --canary=false',
    'unknown option --canary: it is a field of scenarios: write --set canary=false',
  ],
  [
    'plan a --warm-up 5s',
    'unknown option --warm-up: it is a field of scenarios: write --set warmUp=5s',
  ],
  ['mock --canary=false', /^unknown option --canary: expected one that `weir mock --help` lists/],
  ['run a --target mock --target b', '--target: expected one value, got 2: keep one'],
  ['mock --host a --host b --host c', '--host: expected one value, got 3: keep one'],
  [
    'compare',
    'weir compare: expected the runs to compare (result files, their folders, or the name of a baseline), or a scenario with --paired, got nothing',
  ],
  ['calibrate extra', 'unexpected word "extra": weir calibrate takes options only'],
  ['history foo', 'unexpected word "foo": weir history takes the verb baseline, and options'],
  ['history basline', /^unexpected word "basline": did you mean "baseline"\? If not, weir history/],
  ['hlep', /^unknown verb "hlep": did you mean "help"\? If not, expected init, plan, run/],
  ['version', /^unknown verb "version": did you mean `weir --version`\?/],
  ['help run extra', 'unexpected word "extra": weir help takes at most one verb'],
  ['help bogus', /^unknown verb "bogus": expected init,.*, schema, completion or help$/],
  ['capacity', /^expected a scenario file, --model .* or --from .*; got nothing$/],
  ['capacity --from a --rate 5/s --top 9/s', /^--from .* sends nothing: leave --rate, --top out$/],
  ['limits --key sk-abc123', /^--key: expected the name .*; got something else \(9 characters/],
  ['limits --second-key sk-abc123', /^--second-key: expected the name/],
  ['limits --same-team', /^--same-team: expected with the second key of the team/],
  ['limits --tokens full --second-key OTHER', /^--second-key: expected with --same-team where/],
  ['limits --unit input-tokens', /^--unit: expected with --tokens/],
  [
    'limits --second-key WEIR_API_KEY',
    '--second-key: expected another key than the first, got WEIR_API_KEY for both',
  ],
  ['limits --quick --checks even', /^--quick and --checks: expected one of them, got both/],
  ['run a --repeat 3 --slice 1/2', /^--slice: expected one run, got several/],
  ['run a --repeat 3 --live', /^--live: expected one run, got several: it belongs to one run/],
  ['run a --repeat 3 --open', /^--open: expected one run, got several/],
  ['run a --repeat 3 --start-at 2099-01-01T00:00:00Z', /^--start-at: expected one run, got/],
  ['mock --insecure', 'unknown option --insecure: expected one that `weir mock --help` lists'],
  ['run a --run-id é', /^--run-id: expected 1 to 128 visible ASCII characters/],
  [
    'validate --model a --duration 1s --rate -5/s',
    /^--rate: expected a rate above 0\/s and at most 1000000\/s, got "-5\/s"$/,
  ],
  ['run a --history=maybe', '--history: expected no value (--history, or --no-history), got maybe'],
  [
    'run a --csv x.txt --junit ./x.txt',
    '--junit and --csv: expected two files, got x.txt for both: give one another name',
  ],
  [
    'run a --csv x.txt --observations x.txt',
    '--observations and --csv: expected two files, got x.txt for both: give one another name',
  ],
  [
    'run a --csv x.csv --requests ./x.csv',
    '--requests and --csv: expected two files, got x.csv for both: give one another name',
  ],
  [
    'report a --requests x.csv --observations x.csv',
    '--observations and --requests: expected two files, got x.csv for both: give one another name',
  ],
  [
    'report a --requests x.csv',
    /^--requests: a result has .* expected the observations of the run/,
  ],
  ['report a --observations x', /^--observations: nothing is made of them without --requests/],
  ['run a --repeat 3 --requests x.csv', /^--requests: expected one run, .* got several/],
  [
    'run a --out o --csv o/result.json',
    '--csv: the run writes o/result.json itself: give another name',
  ],
  [
    'run a --out o --observations ./o/../o/checkpoint.jsonl',
    /^--observations: the run writes .* itself/,
  ],
  ['report o --csv o/result.json', /^--csv: the run writes .* itself/],
  ['report o/result.json --junit o/report.html', /^--junit: the run writes .* itself/],
  ['merge a b --out o --summary o/result.json', /^--summary: the run writes .* itself/],
  ['report a --csv x.txt --summary x.txt', /^--csv and --summary: expected two files/],
  ['merge a --out b --csv x.txt --junit x.txt', /^--junit and --csv: expected two files/],
  ['report', 'weir report: expected the result.json of a run, got nothing'],
  ['merge', 'weir merge: expected the folder or result.json of each slice, got nothing'],
  ['merge a', '--out is missing: add it, as in weir merge slice-0 slice-1 --out whole'],
  [
    'emit k8s a.yaml',
    '--slices is missing: add it, as in weir emit k8s evening.yaml --slices 3 > evening.k8s.yaml',
  ],
  [
    'coordinate a.yaml',
    '--rendezvous and --slices are missing: add them, as in weir coordinate evening.yaml --slices 3 --rendezvous nats://host:4222',
  ],
  [
    'run a --set',
    /^--set: expected a value, got nothing\. It is: Override a field of the scenario: /,
  ],
  ['run a --out', /^--out: expected a value, got nothing\. It is: Folder for result\.json /],
  ['mock --second-key', /^unknown option --second-key/],
  [
    'schema other',
    'subject: expected "scenario" or "result" or "check" or "sweep" or "capacity" or "cache" or "fairness" or "recovery" or "pairs", got "other"',
  ],
  ['mock --port x', '--port: expected a whole number from 0 to 65535, got "x"'],
  [
    'mock --control-port 65536',
    '--control-port: expected a whole number from 0 to 65535, got "65536"',
  ],
  ['mock --seed 1.5', '--seed: expected a whole number from 0 to 9007199254740991, got "1.5"'],
  ['mock --lifetime soon', /^--lifetime: expected a length of time such as .*; got soon$/],
])('`weir %s` reports what was expected and what was given', async (line, expected) => {
  const message = await said(line);
  if (typeof expected === 'string') expect(message).toBe(expected);
  else expect(message).toMatch(expected);
});
