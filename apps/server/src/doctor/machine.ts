import { stat, statfs } from 'node:fs/promises'
import type { Finding } from '@flotilla/contract/site/doctor'

const GB = 1024 ** 3
const LITTLE_GB = 2

/** Checks that the data folder has room and that no one else can read the master key. */
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
      neededFor: 'the database, cluster workspaces, uploads and logs',
      message: `${free.toFixed(1)} GB free in the data folder`,
      advice: little ? ['Free up space, or move the data folder to a larger disk with DATA_DIR.'] : [],
    },
    {
      part: 'Master key',
      state: mode === null ? 'missing' : open ? 'trouble' : 'found',
      version: null,
      neededFor: 'decrypting stored secrets',
      message:
        mode === null
          ? 'The master key file is missing'
          : open
            ? 'Other accounts on this machine can read the master key'
            : 'Only the console can read it',
      advice:
        mode === null
          ? ['Restore it from your backup. Stored secrets cannot be decrypted without it.']
          : open
            ? ['Restrict it to its owner: run chmod 600 on the file in MASTER_KEY_FILE.']
            : [],
    },
  ]
}
