import { markdownTable } from '../harness/markdown-table.ts';
import type { ComparedMedian } from './client-times.ts';
import { modelServers } from './model-servers.ts';
import type { ObservedServer } from './observe-server.ts';
import { proxyServers } from './proxy-servers.ts';
import type { ServerCase } from './server-case.ts';

export const serverCases: readonly ServerCase[] = [...proxyServers, ...modelServers];

const medianText = (medians: readonly ComparedMedian[], measure: string): string => {
  const found = medians.find((each) => each.measure === measure);
  if (found === undefined) return 'not published';
  const [weir, client] = [found.weir, found.client].map((interval) =>
    interval.map((ms) => ms.toFixed(1)).join('–'),
  );
  return `${weir} ms; client ${client}${found.agree ? '' : ' (DIFFER)'}`;
};

/** The rows as a Markdown table. */
export const serverTable = (rows: readonly ObservedServer[]): string =>
  markdownTable(
    'server,version,exit,sent,completed,reconnected,logged by the server,counts,client answered,client lost,median TTFT,median gap'.split(
      ',',
    ),
    rows.map((row) => [
      row.server,
      row.version,
      `${row.code}, ${row.trust}`,
      String(row.sent),
      String(row.completed),
      String(row.reconnected),
      row.logged === null ? 'by tokens' : String(row.logged),
      row.differences.length === 0 ? 'equal' : row.differences.join('; '),
      String(row.clientAnswered),
      String(row.clientFailed),
      medianText(row.medians, 'ttft'),
      medianText(row.medians, 'gap'),
    ]),
  );
