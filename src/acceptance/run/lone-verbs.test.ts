import { expect, it } from 'vitest';
import { weir } from '../harness/weir-command.fixture.ts';

const launched = 'expected a launcher (k8s, slurm or swarm) and one scenario file, got nothing';

it.each([
  ['fairness', 'expected a scenario file with two populations, such as scenarios/neighbours.yaml'],
  ['compare', 'expected the runs to compare (result files, their folders, or the name of'],
  ['cache', 'expected a target to examine: --target https://host/v1, --target mock, or a scenario'],
  [
    'limits',
    'expected a target to examine: --target https://host/v1, --target mock, or a scenario',
  ],
  ['check', 'expected a target to examine: --target https://host/v1, --target mock, or a scenario'],
  ['capacity', 'expected a scenario file, --model for chats with a model, or --from with stored'],
  ['sweep', 'expected a scenario file, or --model with --rate and --duration (or --users) in its'],
  ['import', 'expected a file, - for standard input, or a command line behind --'],
  ['merge', 'expected the folder or result.json of each slice, got nothing'],
  ['init', 'expected the base address of a gateway, got nothing'],
  ['report', 'expected the result.json of a run, got nothing'],
  [
    'coordinate',
    '--rendezvous and --slices are missing: add them, as in weir coordinate evening.yaml',
  ],
  ['worker', '--rendezvous is missing: add it, as in weir worker --rendezvous nats://host:4222'],
  ['worker --rendezvous nats://h:1 --slice odd', '--slice: expected INDEX/COUNT'],
  ['worker --rendezvous nats://h:1 --wait odd', '--wait: expected '],
  ['coordinate s.yaml --rendezvous nats://h:1 --slices 0', '--slices: expected '],
  ['coordinate s.yaml --rendezvous nats://h:1 --slices 2 --silence 1s', '--silence: expected '],
  ['coordinate s.yaml --rendezvous nats://h:1 --slices 2 --wait odd', '--wait: expected '],
  ['capacity --from x --top 5/s', 'sends nothing: leave --top out'],
  ['capacity --from x --target mock --set prices={}', 'sends nothing: leave --target, --set out'],
  ['capacity --from x --rate 5/s --start 1/s', 'sends nothing: leave --rate, --start out'],
  [
    'capacity s.yaml --from x --workers 2 --allow-files',
    'sends nothing: leave the scenario s.yaml, --workers, --allow-files out',
  ],
  [
    'compare s.yaml --paired --with http://h:1 --key sk-1',
    '--key: expected the name of an environment variable',
  ],
  [
    'compare s.yaml --paired --with http://h:1 --key MINE --with-key sk-1',
    '--with-key: expected the name of an environment variable',
  ],
  ['history baseline a/b 1', 'baseline: expected a name of letters, digits, ., - and _'],
  ['history baseline main 1', 'no history is kept: WEIR_HISTORY is `off`'],
  ['history baseline --delete', 'expected the name of one baseline; got none'],
  ['history baseline main 1 --delete', 'expected the name of one baseline; got runs too'],
  ['emit', launched],
  ['emit k8s', launched],
  [
    'calibrate --streams x',
    '--streams: expected whole numbers from 1 to 20000, separated by commas',
  ],
  ['mock --port x', '--port: expected a whole number from 0 to 65535, got "x"'],
])('weir %s names what it expects, and exits with 2', async (words, message) => {
  const { code, stdout, stderr } = await weir(words.split(' '));
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
});
