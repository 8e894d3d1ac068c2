import type { Draw } from '../../model/workload/draw.ts';
import { below, chance, damaged, several } from './answer-grammar.fixture.ts';

/** HTTP/1.1 answers that are nearly right, as a pure function of a draw. */

const usually = (draw: Draw, usual: string, odd: readonly string[]): string =>
  chance(draw, 0.06) ? draw.pick(odd) : usual;

const statusLine = (draw: Draw): string => {
  const version = usually(draw, 'HTTP/1.1', [
    'HTTP/1.0',
    'HTTP/2',
    'http/1.1',
    'HTTP/1.2',
    'HTTP/1.10',
  ]);
  const usual = draw.pick(['200', '200', '200', '404', '429', '500', '204', '304']);
  const status = usually(draw, usual, ['99', '1000', '0200', '', '2x0', '101', '199', '999']);
  const reason = usually(draw, ' OK', [
    '',
    ' ',
    ' \x01',
    ' \xff',
    '\tOK',
    ` ${'r'.repeat(17_000)}`,
  ]);
  return `${version} ${status}${reason}\r\n`;
};

const fields = [
  'Date: x\r\n',
  'X-A: 1\r\nX-a: 2\r\n',
  'Connection: close\r\n',
  'Connection: keep-alive\r\nKeep-Alive: timeout=3\r\n',
  '__proto__: 1\r\n',
];
const oddFields = [
  'X-B : 1\r\n',
  ' folded\r\n',
  'no colon\r\n',
  ': empty\r\n',
  'X-C: a\rb\r\n',
  'X-D: a\0b\r\n',
  'X-E: \xff\r\n',
  'X-F: a\n',
  'Content-Length: 3\r\n',
  'Transfer-Encoding: gzip\r\n',
  'Transfer-Encoding: chunked\r\n',
  `X-G: ${'g'.repeat(17_000)}\r\n`,
  'Upgrade: x\r\nConnection: upgrade\r\n',
];

const bodyText = (draw: Draw): string =>
  String.fromCharCode(...several(draw, 40, () => below(draw, 256)));

const chunkText = (draw: Draw, body: string): string => {
  const size = body.length.toString(16);
  const shown = usually(draw, size, [
    `-${size}`,
    `0x${size}`,
    ` ${size}`,
    'f'.repeat(14),
    '',
    `000${size}`,
    size.toUpperCase(),
  ]);
  const extension = usually(draw, '', [
    ';a',
    ';a="b;c"',
    ';',
    ' ;a=1',
    ';a="',
    `;${'e'.repeat(17_000)}`,
  ]);
  return `${shown}${extension}${usually(draw, '\r\n', ['\n', '\r', '\r\n\r\n'])}${body}${usually(draw, '\r\n', ['\n', '', 'x'])}`;
};

const chunkedBody = (draw: Draw): string => {
  const chunks = several(draw, 4, () => chunkText(draw, `${bodyText(draw)}.`)).join('');
  const trailers = usually(draw, '', [
    'X-Sum: 1\r\n',
    'Content-Length: 3\r\n',
    ': x\r\n',
    'x\n',
    `X: ${'t'.repeat(17_000)}\r\n`,
  ]);
  const last = usually(draw, '0\r\n', ['00\r\n', '', '0;a\r\n', '0\n', '-0\r\n']);
  return `Transfer-Encoding: ${usually(draw, 'chunked', ['Chunked', 'gzip, chunked', 'chunked, gzip', 'xchunked', 'chunked\t'])}\r\n\r\n${chunks}${last}${trailers}\r\n`;
};

const lengthBody = (draw: Draw): string => {
  const body = bodyText(draw);
  const usual = String(body.length);
  const length = usually(draw, usual, [
    `+${usual}`,
    `-${usual}`,
    `0${usual}`,
    `${usual}, ${usual}`,
    '9'.repeat(20),
    '1e1',
    '',
  ]);
  return `Content-Length: ${length}\r\n\r\n${body}${usually(draw, '', ['\r\n', 'x', 'HTTP/1.1 200 OK\r\n\r\n'])}`;
};

const interim = (draw: Draw): string =>
  usually(draw, '', [
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 103 Hints\r\nLink: <x>\r\n\r\n'.repeat(1 + below(draw, 150)),
    'HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    '\r\n\r\n',
  ]);

/** An answer up to the end of its connection; half of them with damaged bytes as well. */
export const httpAnswer = (draw: Draw): Buffer => {
  const head = interim(draw) + statusLine(draw);
  const more = several(draw, 3, () => usually(draw, draw.pick(fields), oddFields)).join('');
  const framing = draw.pick([chunkedBody, lengthBody, () => `\r\n${bodyText(draw)}`]);
  const answer = Buffer.from(head + more + framing(draw), 'latin1');
  return chance(draw, 0.5) ? damaged(draw, answer) : answer;
};
