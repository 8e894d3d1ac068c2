/** `2026-11-20T23-40-05Z-quickstart`: sorts by time and is valid on every file system. */
export const folderName = (startedAt: string, name: string): string => {
  const time = startedAt.replace(/\.\d+/, '').replaceAll(':', '-');
  const safe = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return `${time}-${safe || 'run'}`;
};
