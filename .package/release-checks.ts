/** What of package.json decides about a release. */
export interface ReleaseManifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly repository?: unknown;
}

/** Returns the part of the changelog about a version, without its heading; `null` if there is none. */
export const notesOf = (changelog: string, version: string): string | null => {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.split('\n', 1)[0]?.split(' ', 1)[0] === version);
  const notes = section?.slice(section.indexOf('\n')).trim() ?? '';
  return notes === '' ? null : notes;
};

/** Returns what is wrong with a release, each with its remedy; empty if it can be made. `tag` is `null` in a rehearsal. */
export const releaseProblems = (
  manifest: ReleaseManifest,
  tag: string | null,
  changelog: string,
): readonly string[] => {
  const { version } = manifest;
  const isPublished = manifest.private !== true;
  return [
    tag !== null && tag !== `v${version}`
      ? `the tag is ${tag} and package.json says ${version}: tag v${version}, or change the version`
      : null,
    notesOf(changelog, version) === null
      ? `.github/CHANGELOG.md has no section ## ${version}: write what users notice`
      : null,
    isPublished && manifest.repository === undefined
      ? 'package.json has no "repository": npm compares it with the provenance, so name where this repository is'
      : null,
  ].filter((problem) => problem !== null);
};
