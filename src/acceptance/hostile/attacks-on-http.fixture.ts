import { brotliCompressSync, gzipSync } from 'node:zlib';
import {
  type Attack,
  attacksOn,
  chunked,
  chunkOf,
  flood,
  framed,
  headFor,
  mainForms,
  properAnswers,
  type RequestForm,
  withBody,
  withFields,
  withStatusLine,
  close,
  reset,
} from './attack.fixture.ts';

const protocol = ['broken protocol'];
const tooLarge = ['broken too-large'];
const early = ['broken closed-early'];
const completed = ['completed'];
const late = ['broken deadline'];

export const statusLines = attacksOn(mainForms, {
  'another protocol': [protocol, () => ['SSH-2.0-OpenSSH_9.9\r\n']],
  'no head at all': [protocol, () => ['<html><title>Welcome</title>', close]],
  'HTTP/2 in plain text': [protocol, withStatusLine('HTTP/2 200\r\n')],
  'a status of two digits': [
    ['broken protocol', 'broken closed-early'],
    withStatusLine('HTTP/1.1 99 Low\r\n'),
  ],
  'a status of four digits': [protocol, withStatusLine('HTTP/1.1 2000 OK\r\n')],
  'a negative status': [protocol, withStatusLine('HTTP/1.1 -20 OK\r\n')],
  'no status': [protocol, withStatusLine('HTTP/1.1\r\n')],
  'the status 099': [
    ['broken', 'completed', 'refused', 'malformed'],
    withStatusLine('HTTP/1.1 099 Low\r\n'),
  ],
  'the status 999': [['refused'], withStatusLine('HTTP/1.1 999 Odd\r\n')],
  'an endless reason': [tooLarge, () => ['HTTP/1.1 200 ', flood('x')], late],
  'a NUL in the reason': [
    ['broken protocol', 'completed', 'malformed'],
    withStatusLine('HTTP/1.1 200 O\0K\r\n'),
  ],
  'a CR without LF': [protocol, withStatusLine('HTTP/1.1 200 OK\rX')],
  'endless empty lines before the head': [
    ['broken deadline-first-token', 'broken too-large', 'broken protocol'],
    () => [flood('\r\n')],
  ],
  'another protocol after an upgrade': [
    protocol,
    () => ['HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', flood('y')],
    early,
  ],
  'a redirect to itself': [
    ['refused'],
    () => ['HTTP/1.1 302 Found\r\nlocation: /v1/models\r\nconnection: close\r\n', framed('')],
  ],
  'no content, with content': [
    ['malformed empty', 'broken protocol'],
    withStatusLine('HTTP/1.1 204 No Content\r\n'),
  ],
  'not modified': [['refused', 'broken protocol'], withStatusLine('HTTP/1.1 304 Not Modified\r\n')],
});

export const heads = attacksOn(mainForms, {
  'an endless field': [tooLarge, (form) => [`${headFor(form)}x-long: `, flood('x')]],
  'endless fields': [tooLarge, (form) => [headFor(form), flood('x-a: 1\r\n')]],
  'ten thousand fields': [tooLarge, withFields('x-a: 1\r\n'.repeat(10_000))],
  'a thousand fields': [completed, withFields('x-a: 1\r\n'.repeat(1000))],
  'a NUL in a field': [protocol, withFields('x-a: a\0b\r\n')],
  'a line without CR': [
    ['broken protocol', 'completed'],
    (form) => [headFor(form), 'x-a: 1\n', framed(properAnswers[form].body)],
  ],
  'a blank before the colon': [protocol, withFields('x-a : 1\r\n')],
  'a folded line': [['broken protocol', 'completed'], withFields('x-a: 1\r\n  2\r\n')],
  'a line without a colon': [protocol, withFields('nonsense\r\n')],
  'a field without a name': [protocol, withFields(': 1\r\n')],
  'the names of a prototype': [
    completed,
    withFields('__proto__: x\r\nconstructor: x\r\ntoString: x\r\n'),
  ],
  'conflicting lengths': [protocol, withFields('content-length: 3\r\n'), early],
  'a negative length': [protocol, (form) => [headFor(form), 'content-length: -5\r\n\r\nabc']],
  'a length with a sign': [protocol, (form) => [headFor(form), 'content-length: +5\r\n\r\nabc']],
  'a hexadecimal length': [protocol, (form) => [headFor(form), 'content-length: 0x5\r\n\r\nabc']],
  'a length above 2^64': [
    protocol,
    (form) => [headFor(form), `content-length: ${'9'.repeat(30)}\r\n\r\nabc`],
    early,
  ],
  'a length and chunks': [
    protocol,
    (form) => [headFor(form), `content-length: 5\r\n${chunked}`, chunkOf('abc'), '0\r\n\r\n'],
    early,
  ],
  'chunks that are not the last coding': [
    ['broken', 'malformed'],
    (form) => [headFor(form), 'transfer-encoding: chunked, gzip\r\n\r\n', 'abc', close],
  ],
  'three hundred interim answers': [
    ['broken protocol', 'completed'],
    (form) => [
      'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(300),
      headFor(form),
      framed(properAnswers[form].body),
    ],
  ],
  'endless interim answers': [
    ['broken protocol', 'broken too-large', 'broken deadline-first-token'],
    () => [flood('HTTP/1.1 102 Processing\r\n\r\n')],
  ],
  'a request id of eight thousand characters': [
    completed,
    withFields(`x-request-id: ${'i'.repeat(8000)}\r\n`),
  ],
  'a nonsensical date and keep-alive': [
    completed,
    withFields(`date: ${'9'.repeat(400)}\r\nkeep-alive: timeout=${'9'.repeat(400)}, max=-1\r\n`),
  ],
});

const chunks =
  (...pieces: readonly (string | Buffer)[]): Attack['steps'] =>
  (form) => [headFor(form) + chunked, ...pieces];

const whole = (form: RequestForm): Buffer => properAnswers[form].body;

export const chunkedCoding = attacksOn(mainForms, {
  'a negative chunk size': [protocol, chunks('-5\r\nabc')],
  'a chunk size with a prefix': [protocol, chunks('0x5\r\nabcde\r\n0\r\n\r\n')],
  'a chunk size above 2^64': [protocol, chunks('fffffffffffffffff\r\nabc')],
  'a chunk size just below 2^52': [
    ['broken', 'malformed'],
    (form) => [headFor(form) + chunked, 'fffffffffffff\r\nabc', close],
  ],
  'a chunk size of endless zeros': [
    protocol,
    (form) => [headFor(form) + chunked, flood('0')],
    late,
  ],
  'a chunk without its CR LF': [protocol, chunks('3\r\nabcX')],
  'a size line without CR': [protocol, chunks('3\nabc\n0\n\n')],
  'an empty size line': [protocol, chunks('\r\n\r\n')],
  'a size after blanks': [protocol, chunks('  3\r\nabc\r\n0\r\n\r\n')],
  'an endless chunk extension': [
    tooLarge,
    (form) => [headFor(form) + chunked, '3;a="', flood('x')],
    late,
  ],
  'an extension on every byte': [
    ['broken too-large', 'broken protocol', 'completed'],
    (form) => [headFor(form) + chunked, flood(`1;a=${'b'.repeat(200)}\r\nx\r\n`)],
    late,
  ],
  'an extension that never closes its quotes': [protocol, chunks('3;a="b\r\nabc\r\n0\r\n\r\n')],
  'endless trailers': [
    // A stream is complete at its [DONE].
    ['broken too-large', 'completed'],
    (form) => [headFor(form) + chunked, chunkOf(whole(form)), '0\r\n', flood('x-a: 1\r\n')],
  ],
  'a length among the trailers': [
    ['completed', 'broken protocol'],
    (form) => [headFor(form) + chunked, chunkOf(whole(form)), '0\r\ncontent-length: 5\r\n\r\n'],
  ],
  'no last chunk': [
    ['broken closed-early', 'completed'],
    (form) => [headFor(form) + chunked, chunkOf(whole(form)), close],
    protocol,
  ],
  'a reset instead of the last chunk': [
    ['broken reset', 'broken closed-early', 'completed'],
    (form) => [headFor(form) + chunked, chunkOf(whole(form)), reset],
    protocol,
  ],
  'chunks of one byte': [
    completed,
    (form) => [
      headFor(form) + chunked,
      ...[...whole(form)].map((byte) => chunkOf(Buffer.of(byte))),
      '0\r\n\r\n',
    ],
  ],
  'a size line in single bytes': [
    completed,
    (form) => [
      headFor(form),
      { bytewise: Buffer.concat([Buffer.from(chunked), chunkOf(whole(form))]) },
      { bytewise: '0\r\n\r\n' },
    ],
  ],
});

const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, ' '), { level: 9 });
const brotliBomb = brotliCompressSync(Buffer.alloc(100 * 1024 * 1024, ' '));
const encoded = ['malformed', 'broken too-large'];

export const bodies = attacksOn(mainForms, {
  'an endless body': [
    ['broken too-large', 'malformed', 'broken deadline-total'],
    (form) => [`${headFor(form)}\r\n`, flood(' '.repeat(100))],
  ],
  'a body of 62 MB': [
    ['broken too-large', 'malformed', 'broken deadline-total'],
    (form) => [headFor(form), `content-length: ${62 << 20}\r\n\r\n`, flood(' ', 62 << 20)],
  ],
  'a body that is cut': [
    early,
    (form) => [headFor(form), framed(whole(form)).subarray(0, -20), close],
  ],
  'a body that is reset': [
    ['broken reset', 'broken closed-early'],
    (form) => [headFor(form), framed(whole(form)).subarray(0, -20), reset],
  ],
  'a body of nothing': [['malformed empty'], withBody('')],
  'bytes behind the body': [
    completed,
    (form) => [headFor(form), framed(whole(form)), 'HTTP/1.1 200 OK\r\n\r\n<html>'],
  ],
  'a length that is too large': [
    ['broken closed-early', 'completed'],
    (form) => [headFor(form), `content-length: ${10 ** 12}\r\n\r\n`, whole(form), close],
  ],
  'a body labelled gzip that is not': [
    ['malformed content-type'],
    (form) => [`${headFor(form)}content-encoding: gzip\r\n`, framed(whole(form))],
  ],
  'a gzip header and nothing else': [
    ['malformed'],
    withBody(Buffer.from('1f8b0800000000000003', 'hex'), 'content-encoding: gzip\r\n'),
  ],
  'a gzip bomb': [encoded, withBody(bomb, 'content-encoding: gzip\r\n')],
  'a brotli bomb': [encoded, withBody(brotliBomb, 'content-encoding: br\r\n')],
  'a bomb within a bomb': [encoded, withBody(gzipSync(bomb), 'content-encoding: gzip, gzip\r\n')],
  'an unknown coding': [
    ['malformed'],
    (form) => [`${headFor(form)}content-encoding: ${'x'.repeat(500)}\r\n`, framed(whole(form))],
  ],
  'an HTML page': [
    ['malformed content-type'],
    withBody(`<!doctype html><title>${'\u001b[2J<script>'.repeat(50)}</title>`),
  ],
  'an endless refusal': [
    ['refused'],
    (form) => [`${headFor(form, '500 Oops')}\r\n`, flood('{"error":')],
  ],
  'a bomb as a refusal': [
    ['refused'],
    (form) => [`${headFor(form, '500 Oops')}content-encoding: gzip\r\n`, framed(bomb)],
  ],
  'a refusal that is reset': [
    ['refused'],
    (form) => [headFor(form, '503 Busy'), 'content-length: 50\r\n\r\n{"error":', reset],
  ],
});
