import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { debianProgram } from '../harness/debian-proxies.ts';
import { Unavailable } from '../harness/program-output.ts';

/** The times of requests as tcpdump sees them on the loopback, which no error of client or server can change. */

/** The ms from a request to its first token, by request id. */
export type Residences = ReadonlyMap<string, number>;

interface Packet {
  /** In ms. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

const [fileHeader, recordHeader, ethernet] = [24, 16, 14];

/** Returns the packets of TCP over IPv4 with content, in order. Throws for a file that tcpdump did not write. */
const packetsOf = (file: Buffer): readonly Packet[] => {
  if (file.readUInt32LE(0) !== 0xa1_b2_c3_d4) throw new Error('expected a capture of tcpdump');
  const packets: Packet[] = [];
  let place = fileHeader;
  while (place + recordHeader <= file.length) {
    const at = file.readUInt32LE(place) * 1000 + file.readUInt32LE(place + 4) / 1000;
    const end = place + recordHeader + file.readUInt32LE(place + 8);
    const ip = place + recordHeader + ethernet;
    if (end > file.length) break;
    const tcp = ip + (file[ip]! & 15) * 4;
    const content = tcp + (file[tcp + 12]! >> 4) * 4;
    const packetEnd = ip + file.readUInt16BE(ip + 2);
    if (packetEnd > content && packetEnd <= end)
      packets.push({
        at,
        from: file.readUInt16BE(tcp),
        to: file.readUInt16BE(tcp + 2),
        text: file.toString('latin1', content, packetEnd),
      });
    place = end;
  }
  return packets;
};

/** Returns the times of the requests to a port. */
const residencesAt = (packets: readonly Packet[], port: number): Residences => {
  const found = new Map<string, number>();
  const open = new Map<number, { readonly id: string; readonly at: number }>();
  for (const { at, from, to, text } of packets) {
    const id =
      to === port && text.startsWith('POST ') ? /^x-request-id: *(\S+)/im.exec(text) : null;
    if (id !== null) open.set(from, { id: id[1]!, at });
    const asked = from === port ? open.get(to) : undefined;
    if (asked === undefined || !/"content": ?"[^"]/.test(text)) continue;
    open.delete(to);
    if (!found.has(asked.id)) found.set(asked.id, at - asked.at);
  }
  return found;
};

export interface WatchedWire {
  /** Stops looking, and returns the times of the requests to each port. */
  readonly times: () => Promise<readonly [Residences, Residences]>;
  readonly stop: () => Promise<void>;
}

/** Starts to look at two ports of the loopback. Throws `Unavailable` if tcpdump is not installed. */
export const watchWire = async (
  folder: string,
  ports: readonly [number, number],
): Promise<WatchedWire> => {
  const file = join(folder, 'wire.pcap');
  const filter = ports.map((port) => `tcp port ${port}`).join(' or ');
  const words = ['-i', 'lo', '-Z', 'root', '-U', '--immediate-mode', '-w', file, filter];
  const child = spawn(debianProgram('tcpdump'), words, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  while (!said.includes('listening on')) {
    if (child.exitCode !== null)
      throw new Unavailable(`tcpdump cannot look at the loopback here: ${said.trim()}`);
    await sleep(20);
  }
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGINT');
    await once(child, 'exit');
  };
  const times = async (): Promise<readonly [Residences, Residences]> => {
    await stop();
    const packets = packetsOf(await readFile(file));
    return [residencesAt(packets, ports[0]), residencesAt(packets, ports[1])];
  };
  return { times, stop };
};
