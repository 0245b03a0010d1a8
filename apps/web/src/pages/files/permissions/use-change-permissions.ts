import { countText } from '@flotilla/contract/count-text'
import { files, type FileEntry } from '@flotilla/contract/jobs/files'
import { visibleName } from '@flotilla/contract/visible-name'
import { toApiError } from '@flotilla/client/api-error'
import { call } from '../../../api/call'
import { useInvalidate } from '../../../api/query'
import { failedRows } from '../../../table/selection/failed-rows'
import { notices } from '../../../ui/feedback/notices-store'
import { changePermissionsRecursively } from './change-recursively'
import { joined } from '../places'

export interface PermitOptions {
  /** Whether to change the contents of folders too. */
  inside: boolean
  signal: AbortSignal
  onProgress: (changed: number) => void
}

/** The maximum number of entries. Each folder takes a request, so larger trees are left to chmod in a terminal. */
const MOST = 20_000

/** Changes the permissions of files and folders, and optionally of the contents of folders. */
export function useChangePermissions(cluster: string) {
  const invalidate = useInvalidate()
  const permit = (paths: string[], permissions: number, below?: string) =>
    call(files.setPermissions, {
      cluster,
      body: { paths, permissions, ...(below !== undefined && { below }) },
    })
  return async (
    folder: string,
    entries: readonly FileEntry[],
    permissions: number,
    { inside, signal, onProgress }: PermitOptions,
  ): Promise<void> => {
    try {
      if (!inside) {
        const paths = entries.map(({ name }) => joined(folder, name))
        await permit(paths, permissions)
        notices.success('Permissions changed')
        return
      }
      const { changed, failures, limited } = await changePermissionsRecursively(
        folder,
        entries,
        permissions,
        {
          list: (path) => call(files.list, { cluster, query: { path } }, { signal }),
          // Limited to this folder, because another user with write permission may replace a listed entry with a link.
          permit: (paths, bits) => permit(paths, bits, folder),
          describe: (error) => toApiError(error).message,
          onProgress,
          signal,
          most: MOST,
        },
      )
      const shown = failures.filter(() => !signal.aborted)
      if (limited) {
        const reason = `Only ${countText(changed, 'item')} were changed. Use chmod -R in a terminal for the rest.`
        shown.push({ path: folder, reason })
      }
      if (changed > 0) notices.success(`Permissions changed for ${countText(changed, 'item')}`)
      if (shown.length > 0)
        failedRows.show({
          title: 'Not everything was changed',
          failures: shown.map(({ path, reason }) => ({
            id: path,
            name: visibleName(path) || 'Home',
            reason,
          })),
        })
    } finally {
      invalidate([files.list])
    }
  }
}
