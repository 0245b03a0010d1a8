import { stat, statfs } from 'node:fs/promises'
import type { Finding } from '@flotilla/contract/site/doctor'

const GB = 1024 ** 3
const LITTLE_GB = 2

/** Where everything is kept: that there is room, and that nobody else can read the key. */
export async function findStorage(dataDir: string, masterKeyFile: string): Promise<Finding[]> {
  const { bavail, bsize } = await statfs(dataDir)
  const free = (bavail * bsize) / GB
  const little = free < LITTLE_GB
  const mode = await stat(masterKeyFile).then(
    (found) => found.mode & 0o777,
    () => null,
  )
  const open = mode !== null && (mode & 0o077) !== 0
  return [
    {
      part: 'Storage',
      state: little ? 'trouble' : 'found',
      version: null,
      neededFor: 'the database, workspaces of clusters, uploads and logs',
      message: `${free.toFixed(1)} GB are free in the data folder`,
      advice: little ? ['Make room, or move the data folder with DATA_DIR to a larger disk.'] : [],
    },
    {
      part: 'Master key',
      state: mode === null ? 'missing' : open ? 'trouble' : 'found',
      version: null,
      neededFor: 'opening every stored secret',
      message:
        mode === null
          ? 'The file of the master key is not there'
          : open
            ? 'Others on this machine can read the master key'
            : 'Only the console can read it',
      advice:
        mode === null
          ? ['Bring it back from your backup: without it no stored secret can be opened.']
          : open
            ? ['Take the rights of others away: chmod 600 on the file that MASTER_KEY_FILE names.']
            : [],
    },
  ]
}
