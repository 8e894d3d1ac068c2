import { resolve } from 'node:path';
import { uploadExtensions, maxUploadBytes } from '../../contract/audio.ts';
import type { ClipLibrary } from '../../model/workload/clip.ts';
import type { ConnectionSettings } from '../../model/plan/plan.ts';
import {
  type Certificates,
  clientCertificateProblem,
} from '../../platform/connection/connector.ts';
import type { ClipRequest } from '../../platform/files/clips.ts';
import { Problem } from '../../platform/problem.ts';
import { outsideOf } from '../../platform/files/outside.ts';
import { fileBounds, readTextFile } from '../../platform/files/whole-file.ts';
import { readSecret } from '../../platform/files/secrets.ts';
import { whyUnreadable } from '../../platform/files/file-error-reasons.ts';
import type { ReferencedFile } from '../../scenario/rules/referenced-files.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';
import type { ScenarioPlace, ScenarioProblem } from '../../scenario/text/scenario-problem.ts';

/** Returns the text of a PEM file. Throws a `Problem` if the file cannot be read. */
const readCertificates = (file: string, folder: string): Promise<string> => {
  const path = resolve(folder, file);
  return readTextFile(path, fileBounds.certificate).catch((error: unknown) => {
    throw new Problem(`the certificate file ${path} cannot be read: ${whyUnreadable(error)}`);
  });
};

/**
 * Reads the client certificate of a plan. Without `clientKey`, the certificate's file also contains the key, as curl's
 * `--cert` allows.
 */
const clientCertificate = async (
  { clientCert, clientKey }: ConnectionSettings,
  folder: string,
): Promise<Certificates['client']> => {
  if (clientCert === undefined) return null;
  const cert = await readCertificates(clientCert, folder);
  if (clientKey === undefined && !cert.includes('PRIVATE KEY-----'))
    throw new Problem(
      `wire.clientCert: ${clientCert} holds no key: name its file in wire.clientKey`,
    );
  const key = clientKey === undefined ? cert : await readCertificates(clientKey, folder);
  const problem = clientCertificateProblem({ cert, key });
  if (problem === null) return { cert, key };
  const files = clientKey === undefined ? clientCert : `${clientCert} and ${clientKey}`;
  throw new Problem(`the client certificate of ${files} cannot be used: ${problem}`);
};

/**
 * Reads the certificates for a plan's connections. The variable `SSL_CERT_FILE` adds authorities. OpenSSL, curl and Go
 * also read this variable.
 */
export const certificatesFor = async (
  wire: ConnectionSettings,
  folder: string,
  { SSL_CERT_FILE: ofEnvironment = '' }: Environment,
): Promise<Certificates | null> => {
  const authorities: string[] = [];
  if (wire.caFile !== null) authorities.push(await readCertificates(wire.caFile, folder));
  if (ofEnvironment !== '') {
    const text = await readCertificates(ofEnvironment, '.').catch((error: unknown) => {
      throw error instanceof Problem ? new Problem(`SSL_CERT_FILE: ${error.message}`) : error;
    });
    authorities.push(text);
  }
  const client = await clientCertificate(wire, folder);
  if (authorities.length === 0 && client === null) return null;
  return { authorities: authorities.length === 0 ? null : authorities.join('\n'), client };
};

const readers = { secret: readSecret, certificates: readCertificates };

/**
 * Matches a file in the folder where container runtimes mount secrets. A name without a path is a file in this folder.
 */
export const mountedSecret = /^(?:\/run\/secrets\/)?[^/]+$/;

/** Returns a problem for each secret and each certificate that is outside the scenario's folder. */
export const filesOutside = (
  files: readonly ReferencedFile[],
  folder: string,
): readonly ScenarioProblem[] =>
  files.flatMap(({ use, place }) => {
    if (use.kind === 'clip' || (use.kind === 'secret' && mountedSecret.test(use.file))) return [];
    const message = outsideOf(folder, use.file);
    return message === null ? [] : { ...place, message, hint: null };
  });

/**
 * Reads all files that a scenario names. Returns the clips, and a problem for each unusable file, with the file's
 * position in the scenario. Clips must be in the scenario's folder unless the scenario is trusted.
 */
export const readNamedFiles = async (
  files: readonly ReferencedFile[],
  folder: string,
  isTrusted: boolean,
): Promise<{ readonly clips: ClipLibrary; readonly problems: readonly ScenarioProblem[] }> => {
  const problems: ScenarioProblem[] = [];
  const clipRequests: (ClipRequest & { readonly place: ScenarioPlace })[] = [];
  for (const { use, place } of files) {
    if (use.kind === 'clip') {
      clipRequests.push({ ...use.clip, oversized: use.oversized, place });
    } else {
      await readers[use.kind](use.file, folder).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        problems.push({ ...place, message: error.message, hint: null });
      });
    }
  }
  if (clipRequests.length === 0) return { clips: { clipsOf: () => [] }, problems };
  // The module is imported only here, since few scenarios upload audio.
  const { readClips } = await import('../../platform/files/clips.ts');
  const { recordedSeconds } = await import('../../traffic/audio/recorded-seconds.ts');
  const { library, faults } = await readClips(clipRequests, folder, {
    extensions: uploadExtensions,
    largest: maxUploadBytes,
    recorded: recordedSeconds,
    isConfined: !isTrusted,
  });
  for (const { request, message } of faults)
    problems.push({ ...request.place, message, hint: null });
  return { clips: library, problems };
};
