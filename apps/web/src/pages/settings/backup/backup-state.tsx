import type { BackupStatus } from '@flotilla/contract/site/backups'
import { countText } from '@flotilla/contract/count-text'
import { Callout } from '../../../ui/feedback/callout'
import { KeyValue } from '../../../ui/text/key-value'
import { ProgressBar } from '../../../ui/feedback/progress-bar'
import { RelativeTime } from '../../../ui/text/relative-time'
import { sizeText } from '../../../ui/text/size-text'
import { Status } from '../../../ui/status/status'

/** The result of the last backup, the progress of a running one, and warnings about missing settings. */
export function BackupState({ status }: { status: BackupStatus }) {
  const { inProgress, last, nextAt, encrypted } = status
  return (
    <div className="flex flex-col gap-4">
      {!encrypted && (
        <Callout tone="amber" title="Backups are not encrypted">
          Anyone who can read a backup can use every secret in it. Set <code>BACKUP_PASSPHRASE</code> for the
          server, keep it in a safe place, and restart the server.
        </Callout>
      )}
      {last && last.cause !== null && !last.canceled && (
        <Callout tone="red" title="The last backup failed">
          {last.cause}
        </Callout>
      )}
      {last !== null && last.skipped !== null && last.skipped > 0 && (
        <Callout tone="amber" title={`${countText(last.skipped, 'file')} could not be read`}>
          Their owners removed the permission to read them, so they are not in the last backup.
        </Callout>
      )}
      {inProgress && <Running inProgress={inProgress} />}
      <KeyValue
        items={[
          { label: 'Last backup', value: last ? <Last last={last} /> : 'None yet' },
          {
            label: 'Next backup',
            value: nextAt === null ? 'Daily backup is off' : <RelativeTime at={nextAt} />,
          },
          {
            label: 'Encryption',
            value: encrypted ? 'On, with BACKUP_PASSPHRASE' : 'Off',
          },
        ]}
      />
    </div>
  )
}

function Last({ last }: { last: NonNullable<BackupStatus['last']> }) {
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1">
      <Outcome last={last} />
      <RelativeTime at={last.endedAt} />
      {last.bytes !== null && <span>{sizeText(last.bytes)}</span>}
      {last.cause === null && (
        <span className="min-w-0 font-mono text-label break-all text-ink-2">
          {last.file.split('/').at(-1)}
        </span>
      )}
    </div>
  )
}

function Outcome({ last: { cause, canceled } }: { last: NonNullable<BackupStatus['last']> }) {
  if (cause === null) return <Status tone="green">Succeeded</Status>
  return canceled ? <Status tone="gray">Canceled</Status> : <Status tone="red">Failed</Status>
}

function Running({
  inProgress: { progress, canceling },
}: {
  inProgress: NonNullable<BackupStatus['inProgress']>
}) {
  const detail = progress
    ? `${progress.step === 'database' ? 'Database' : 'Files'}: ${countText(progress.rows, 'row')}, ${countText(progress.files, 'file')}, ${sizeText(progress.bytes)}`
    : 'Starting'
  return <ProgressBar label={canceling ? 'Canceling the backup' : 'Backup in progress'} detail={detail} />
}
