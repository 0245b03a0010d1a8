import { files } from '@flotilla/contract/jobs/files'
import { useState } from 'react'
import { download } from '../../api/download'
import { showError } from '../../api/errors'

/** Saves a file, or a folder as an archive. */
export function useDownload(cluster: string): { save: (path: string, name: string) => void; busy: boolean } {
  const [running, setRunning] = useState(0)
  const save = async (path: string, name: string) => {
    setRunning((count) => count + 1)
    try {
      await download(files.download, { cluster, query: { path } }, name)
    } catch (error) {
      showError(error)
    } finally {
      setRunning((count) => count - 1)
    }
  }
  return { save: (path, name) => void save(path, name), busy: running > 0 }
}
