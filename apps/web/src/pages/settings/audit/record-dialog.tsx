import type { Activity, ActivityFilter } from '@flotilla/contract/people/activities'
import { actionText, changeTexts, type AuditChange } from '@flotilla/contract/people/audit'
import { Search } from 'lucide-react'
import { Button } from '../../../ui/button/button'
import { CopyText } from '../../../ui/text/copy-text'
import { Dialog } from '../../../ui/overlay/dialog'
import { KeyValue } from '../../../ui/text/key-value'

interface RecordDialogProps {
  activity: Activity
  onFilter: (filter: ActivityFilter) => void
  onClose: () => void
}

/** All details of a record, including the changes. */
export function RecordDialog({ activity, onFilter, onClose }: RecordDialogProps) {
  const { id, time, actor, action, subject, subjectId, detail, changes } = activity
  const { address, requestId, sessionId, tokenId } = activity
  const filter = (chosen: ActivityFilter) => () => {
    onFilter(chosen)
    onClose()
  }
  return (
    <Dialog open side size="l" title={actionText(action)} description={`Record ${id}`} onClose={onClose}>
      <div className="flex flex-col gap-6">
        <KeyValue
          items={[
            {
              label: 'When',
              value: new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' }),
            },
            { label: 'Who', value: actor ?? 'System' },
            { label: 'Subject', value: subject },
            { label: 'Subject ID', value: mono(subjectId) },
            // A login’s detail is its address, which has its own row below.
            { label: 'Detail', value: detail === address ? null : detail },
            { label: 'Address', value: address },
            { label: 'Request', value: mono(requestId) },
            ...(tokenId === null
              ? [{ label: 'Session', value: mono(sessionId) }]
              : [{ label: 'Access token', value: mono(tokenId) }]),
          ]}
        />
        {changes.length > 0 && <Changes changes={changes} />}
        <div className="flex flex-wrap gap-2">
          {subjectId !== null && (
            <Button icon={Search} onClick={filter({ subjectId, subject: undefined })}>
              Everything about {subject}
            </Button>
          )}
          {actor !== null && (
            <Button icon={Search} onClick={filter({ person: actor })}>
              Everything by {actor}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  )
}

const mono = (text: string | null) => (text === null ? null : <CopyText text={text} label="ID" />)

function Changes({ changes }: { changes: readonly AuditChange[] }) {
  return (
    <section>
      <h3 className="mb-2 text-section font-semibold">Changes</h3>
      <div className="overflow-x-auto rounded-card border border-line-1">
        <table className="w-full text-body">
          <thead className="bg-surface-3 text-left text-label text-ink-2">
            <tr>
              {['Field', 'Before', 'After'].map((header) => (
                <th key={header} scope="col" className="px-3 py-2 font-medium">
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {changes.map((change) => {
              const { before, after } = changeTexts(change)
              return (
                <tr key={change.field} className="border-t border-line-1 align-top">
                  <th
                    scope="row"
                    className="px-3 py-2 text-left font-mono text-label font-normal wrap-anywhere"
                  >
                    {change.field}
                  </th>
                  <td className="px-3 py-2 whitespace-pre-wrap text-ink-2 wrap-anywhere">{before}</td>
                  <td className="px-3 py-2 whitespace-pre-wrap wrap-anywhere">{after}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </section>
  )
}
