import { atMost, type BenchPart, benchRow } from '../harness/bench.ts';
import { type FaultyRound, hasNats, runFaultyRound } from './faulty-round.ts';

const rounds = 50;

/** Whether runs on several processes report true results, whatever happens to them. */
export const measureRendezvousFaults: BenchPart = async (say) => {
  if (!hasNats) say('nats-server is not installed: all rounds meet in a folder.');
  const ended: FaultyRound[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const one = await runFaultyRound(round);
    ended.push(one);
    say(`round ${round}, ${one.text}${one.isWrong ? ', WRONG' : ''}`);
  }
  const count = (is: (round: FaultyRound) => boolean): number => ended.filter(is).length;
  return [
    benchRow(
      `runs that say they are complete and are not, of ${rounds} with random faults`,
      '',
      count(({ isWrong }) => isWrong),
      atMost(0),
    ),
    benchRow(
      'requests after the end of a run',
      '',
      ended.reduce((sum, { late }) => sum + late, 0),
      atMost(0),
    ),
    benchRow(
      'runs that had not ended 45 s after the last fault',
      '',
      count(({ isHanging }) => isHanging),
      atMost(0),
    ),
    benchRow(
      'runs that were complete in spite of the faults',
      '',
      count(({ isComplete }) => isComplete),
    ),
  ];
};
