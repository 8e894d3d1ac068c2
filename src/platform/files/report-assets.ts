import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);
const page = (name: string): URL => new URL(`../../report/html/page/${name}`, import.meta.url);

/** Reads the script that only live pages contain. */
export const readLiveScript = (): Promise<string> => readFile(page('live.js'), 'utf8');

export const readReportAssets = async () => {
  const [chartScript, chartStyle, themeScript, charts, begin, pageStyle] = await Promise.all([
    readFile(resolve('uplot/dist/uPlot.iife.min.js'), 'utf8'),
    readFile(resolve('uplot/dist/uPlot.min.css'), 'utf8'),
    readFile(page('theme.js'), 'utf8'),
    readFile(page('charts.js'), 'utf8'),
    readFile(page('page.js'), 'utf8'),
    readFile(page('page.css'), 'utf8'),
  ]);
  return { chartScript, chartStyle, themeScript, pageScript: `${charts}\n${begin}`, pageStyle };
};
