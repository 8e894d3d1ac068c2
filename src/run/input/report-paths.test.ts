import { expect, it } from 'vitest';
import { folderFor, historyPath, requireHistoryPath } from './report-paths.ts';

it('the history is where its variable says, below reports without it, and nowhere with `off`', () => {
  expect(historyPath({})).toBe('reports/history.db');
  expect(historyPath({ WEIR_HISTORY: '' })).toBe('reports/history.db');
  expect(historyPath({ WEIR_HISTORY: 'kept/runs.db' })).toBe('kept/runs.db');
  expect(historyPath({ WEIR_HISTORY: 'off' })).toBeNull();
  expect(requireHistoryPath({ WEIR_HISTORY: 'kept/runs.db' })).toBe('kept/runs.db');
  expect(() => requireHistoryPath({ WEIR_HISTORY: 'off' })).toThrow('WEIR_HISTORY is `off`');
});

it('the folder of a run is the one that was named, or has its time and its name', () => {
  expect(folderFor('here', 'Some name')).toBe('here');
  expect(folderFor(undefined, ' Some “odd” name/2 ')).toMatch(
    /^reports\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-some-odd-name-2$/,
  );
  expect(folderFor(undefined, '“…”')).toMatch(/Z-run$/);
});
