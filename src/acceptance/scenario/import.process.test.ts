import { describe, expect, it } from 'vitest';
import {
  cleanUpAfterEach,
  launcher,
  startProgram,
  tempFile,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

describe('weir import', () => {
  it('reads standard input', async () => {
    const targets = await tempFile('targets.txt', 'GET http://host/v1/models\n');
    const words = ['-c', `"${process.execPath}" "${launcher}" import - <"${targets}"`];
    const shell = await startProgram(['sh', ...words], { ...process.env }).ended;
    const piped = [
      '-c',
      `cat "${targets}" | "${process.execPath}" "${launcher}" import - --rate 5/s`,
    ];
    const pipe = await startProgram(['sh', ...piped], { ...process.env }).ended;
    expect([shell.code, pipe.code]).toEqual([0, 0]);
    expect(shell.stdout).toContain('# Written by weir import from standard input.');
    expect(pipe.stdout).toContain('\nload: { kind: constant, rate: 5/s, duration: 60s }\n');
  });
});
