import { files, TEXT_FILE_MAX_BYTES } from '@flotilla/contract/jobs/files'
import { visibleName } from '@flotilla/contract/visible-name'
import { Download, FileDigit, Save } from 'lucide-react'
import { useState } from 'react'
import { useApiMutation, useApiQuery } from '../../api/query'
import { CodeEditor } from '../../editor/code-editor'
import { languageOf } from '../../editor/language'
import { Async } from '../../ui/feedback/async'
import { Button } from '../../ui/button/button'
import { Callout } from '../../ui/feedback/callout'
import { EmptyState } from '../../ui/feedback/empty-state'
import { notices } from '../../ui/feedback/notices-store'
import { RelativeTime } from '../../ui/text/relative-time'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { sizeText } from '../../ui/text/size-text'
import { LongText } from './long-text'
import { nameOf } from './places'
import { useDownload } from './use-download'
import { useLeaveGuard } from '../../session/use-leave-guard'

/** Shows and edits a text file. */
export function TextEditor({ cluster, path }: { cluster: string; path: string }) {
  const text = useApiQuery(files.readText, { cluster, query: { path } }, { once: true })
  const { save: download, busy } = useDownload(cluster)
  const button = (
    <Button icon={Download} busy={busy} onClick={() => download(path, nameOf(path))}>
      Download
    </Button>
  )
  if (text.error?.reason === 'too long')
    return <LongText cluster={cluster} path={path} downloadButton={button} />
  // It is not a text file, or this account cannot read it, so retrying would not help.
  if (text.error?.code === 'file_refused') {
    return (
      <div className="rounded-card border border-line-1 bg-surface-2">
        <EmptyState icon={FileDigit} title="This file cannot be shown" action={button}>
          {text.error.message}
        </EmptyState>
      </div>
    )
  }
  return (
    <Async data={text} skeleton={<SkeletonText lines={10} />}>
      {(found) =>
        found.binary ? (
          <div className="rounded-card border border-line-1 bg-surface-2">
            <EmptyState icon={FileDigit} title={`Binary file, ${sizeText(found.size)}`} action={button}>
              This file is not text, so it cannot be shown or edited here. Download it instead.
            </EmptyState>
          </div>
        ) : (
          <Editing
            key={`${path} ${text.dataUpdatedAt}`}
            cluster={cluster}
            path={path}
            found={found}
            downloadButton={button}
            onReload={() => void text.refetch()}
          />
        )
      }
    </Async>
  )
}

interface EditingProps {
  cluster: string
  path: string
  found: { text: string; size: number; modifiedAt: number }
  downloadButton: React.ReactNode
  onReload: () => void
}

function Editing({ cluster, path, found, downloadButton, onReload }: EditingProps) {
  const [saved, setSaved] = useState({ text: found.text, modifiedAt: found.modifiedAt })
  const [text, setText] = useState(found.text)
  const write = useApiMutation(files.writeText, { invalidates: [files.list] })
  const dirty = text !== saved.text
  const guard = useLeaveGuard(dirty)
  const tooLong =
    text.length > TEXT_FILE_MAX_BYTES
      ? `Files larger than ${sizeText(TEXT_FILE_MAX_BYTES)} cannot be saved here`
      : null
  const changedElsewhere = write.error?.reason === 'changed'

  const save = async (overwriteNewer: boolean) => {
    if (write.isPending || tooLong) return
    const sent = text
    try {
      // Without the modification time, the server overwrites any newer version, as the user then requested.
      const body = { path, text: sent, ...(!overwriteNewer && { modifiedAt: saved.modifiedAt }) }
      const { modifiedAt } = await write.mutateAsync({ cluster, body })
      setSaved({ text: sent, modifiedAt })
      notices.success('File saved')
    } catch {
      // The error is shown below, from the mutation.
    }
  }
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <p role="status" className="mr-auto text-label text-ink-3">
          {dirty ? (
            'Unsaved changes'
          ) : (
            <>
              Saved <RelativeTime at={saved.modifiedAt} />
            </>
          )}
        </p>
        {downloadButton}
        <Button
          variant="primary"
          icon={Save}
          busy={write.isPending}
          disabledReason={tooLong ?? (dirty ? null : 'No changes to save')}
          onClick={() => void save(false)}
        >
          Save
        </Button>
      </div>
      {changedElsewhere ? (
        <Callout tone="amber" alert title="This file has changed since you opened it">
          <p>Saving now would overwrite those changes.</p>
          <div className="mt-2 flex flex-wrap gap-2">
            <Button onClick={onReload}>Discard mine and reload</Button>
            <Button variant="danger" onClick={() => void save(true)}>
              Overwrite
            </Button>
          </div>
        </Callout>
      ) : (
        write.error && (
          <Callout tone="red" alert>
            {write.error.message}
          </Callout>
        )
      )}
      <CodeEditor
        label={`Contents of ${visibleName(nameOf(path))}`}
        value={text}
        onChange={setText}
        onSave={() => dirty && void save(false)}
        language={languageOf(nameOf(path), found.text)}
        className="h-[max(20rem,calc(100dvh-19rem))]"
      />
      {guard.dialog}
    </div>
  )
}
