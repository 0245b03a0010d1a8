import { backups, type BackupStatus } from '@flotilla/contract/site/backups'
import { Archive, DatabaseBackup, Square } from 'lucide-react'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { tableSettings } from '../../../session/page-settings'
import type { Column } from '../../../table/column'
import { textColumn, timeColumn } from '../../../table/columns'
import { DataTable } from '../../../table/data-table'
import { Async } from '../../../ui/feedback/async'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { Card } from '../../../ui/layout/card'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { sizeText } from '../../../ui/text/size-text'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { BackupForm } from './backup-form'
import { BackupState } from './backup-state'

/** The polling interval, because the progress and end of a backup trigger no event. */
const REFRESH_EVERY_MS = 2000

type BackupFile = BackupStatus['files'][number]

const nameOf = ({ name }: BackupFile) => name
const settings = tableSettings('backups')
const columns: readonly Column<BackupFile>[] = [
  textColumn({ id: 'name', header: 'File', value: nameOf, mono: true, width: 140, grow: true, priority: 1 }),
  {
    id: 'size',
    header: 'Size',
    type: 'size',
    width: 88,
    priority: 1,
    value: ({ bytes }) => bytes,
    cell: ({ bytes }) => sizeText(bytes),
  },
  timeColumn({ id: 'made', header: 'Created', value: ({ madeAt }) => madeAt, width: 116, priority: 1 }),
]

/** Backups that the server writes to a folder of its own machine: their schedule, folder, state and files. */
export function BackupTab() {
  const status = useApiQuery(backups.view, {}, { everyMs: REFRESH_EVERY_MS })
  const start = useApiMutation(backups.start, { invalidates: [backups.view] })
  const cancel = useApiMutation(backups.cancel, { invalidates: [backups.view] })
  const inProgress = status.data?.inProgress
  return (
    <section aria-label="Backup" className="flex max-w-[760px] flex-col gap-4">
      <Card
        title="Backups"
        description={
          <>
            The database, the keys and all of the site’s files, in one file. <code>npm run restore</code>{' '}
            restores it.
          </>
        }
        actions={
          <>
            {inProgress && (
              <Button
                icon={Square}
                busy={cancel.isPending}
                disabledReason={inProgress.canceling ? 'It is being canceled' : null}
                onClick={() => cancel.mutate({ body: {} })}
              >
                Cancel backup
              </Button>
            )}
            <Button
              icon={DatabaseBackup}
              busy={start.isPending}
              disabledReason={inProgress ? 'A backup is in progress' : null}
              onClick={() => start.mutate({ body: {} })}
            >
              Back up now
            </Button>
          </>
        }
      >
        <Async data={status} skeleton={<SkeletonText lines={5} />}>
          {(current) => <BackupState status={current} />}
        </Async>
      </Card>
      <Card
        title="Daily backup"
        description="Runs at the hour you choose, or as soon as a server starts if none was running then."
      >
        <Async data={status} skeleton={<SkeletonText lines={6} />}>
          {(current) => <BackupForm status={current} />}
        </Async>
      </Card>
      <h2 className="mt-1 text-section font-semibold">Files in the folder</h2>
      <Async data={status} skeleton={<SkeletonText lines={3} />}>
        {({ files, folderProblem }) => (
          <>
            {folderProblem !== null && (
              <Callout tone="red" title="The folder cannot be read">
                {folderProblem}
              </Callout>
            )}
            <DataTable
              label="Backup files"
              columns={columns}
              rows={files}
              rowId={nameOf}
              settings={settings}
              initialSort={{ column: 'made', descending: true }}
              filter={files.length > 1}
              empty={
                <EmptyState icon={Archive} title="No backups yet">
                  Back up now, or turn on the daily backup.
                </EmptyState>
              }
            />
          </>
        )}
      </Async>
    </section>
  )
}
