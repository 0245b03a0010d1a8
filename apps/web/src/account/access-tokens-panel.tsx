import { accessTokens, type AccessToken } from '@flotilla/contract/people/access-tokens'
import { Ban, Plus, SquareTerminal } from 'lucide-react'
import { useId, useState } from 'react'
import { useApiMutation, useApiQuery } from '../api/query'
import type { Column } from '../table/column'
import { textColumn, timeColumn } from '../table/columns'
import { DataTable } from '../table/data-table'
import { Async } from '../ui/feedback/async'
import { Button } from '../ui/button/button'
import { Card } from '../ui/layout/card'
import { ConfirmDialog } from '../ui/overlay/confirm-dialog'
import { CopyText } from '../ui/text/copy-text'
import { EmptyState } from '../ui/feedback/empty-state'
import { ExternalLink } from '../ui/button/link'
import { RelativeTime } from '../ui/text/relative-time'
import { SkeletonRows } from '../ui/feedback/skeleton'
import { Status } from '../ui/status/status'
import { NewTokenDialog } from './new-token-dialog'
import { exampleCall, scopeTexts } from './token-text'

const isOver = (token: AccessToken) => token.expiresAt <= Date.now()

const columns: readonly Column<AccessToken>[] = [
  textColumn({ id: 'name', header: 'Name', value: (token) => token.name, priority: 1 }),
  textColumn({
    id: 'scope',
    header: 'Scope',
    value: (token) => scopeTexts[token.scope].label,
    width: 88,
    priority: 2,
  }),
  {
    ...timeColumn<AccessToken>({
      id: 'lastUsedAt',
      header: 'Last used',
      value: (token) => token.lastUsedAt,
      priority: 2,
    }),
    cell: (token) => (token.lastUsedAt === null ? 'Never' : <RelativeTime at={token.lastUsedAt} />),
  },
  textColumn({
    id: 'lastUsedAddress',
    header: 'Used from',
    value: (token) => token.lastUsedAddress,
    mono: true,
    priority: 3,
  }),
  {
    ...timeColumn<AccessToken>({
      id: 'expiresAt',
      header: 'Expires',
      value: (token) => token.expiresAt,
      priority: 1,
    }),
    cell: (token) =>
      isOver(token) ? <Status tone="red">Expired</Status> : <RelativeTime at={token.expiresAt} />,
  },
]

const idOf = (token: AccessToken) => token.id

/** Tokens with which scripts act as the user. */
export function AccessTokensPanel() {
  const headingId = useId()
  const tokens = useApiQuery(accessTokens.list, {})
  const [creating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<AccessToken | null>(null)
  return (
    <section aria-labelledby={headingId}>
      <header className="mt-2 mb-3 flex flex-wrap items-end justify-between gap-3">
        <div>
          <h2 id={headingId} className="text-section font-semibold">
            Access tokens
          </h2>
          <p className="mt-0.5 text-body text-ink-2">
            Scripts use them to call the API as you. See{' '}
            <ExternalLink href="/api/docs">the API reference</ExternalLink>
          </p>
        </div>
        <Button icon={Plus} onClick={() => setCreating(true)}>
          New token
        </Button>
      </header>
      <Async
        data={tokens}
        skeleton={<SkeletonRows rows={2} columns={4} />}
        empty={
          <Card flush>
            <EmptyState
              icon={SquareTerminal}
              title="No access tokens"
              action={<CopyText wrap label="example" text={exampleCall()} />}
            >
              Create one for a script that submits jobs or monitors clusters, and send it with every request:
            </EmptyState>
          </Card>
        }
      >
        {(list) => (
          <DataTable
            label="Access tokens"
            urlKey="tokens"
            columns={columns}
            rows={list}
            rowId={idOf}
            filter={false}
            rowActions={(token) => [{ label: 'Revoke', icon: Ban, onSelect: () => setRevoking(token) }]}
          />
        )}
      </Async>
      {creating && <NewTokenDialog onClose={() => setCreating(false)} />}
      {revoking && <RevokeDialog token={revoking} onClose={() => setRevoking(null)} />}
    </section>
  )
}

function RevokeDialog({ token, onClose }: { token: AccessToken; onClose: () => void }) {
  const revoke = useApiMutation(accessTokens.revoke, {
    success: 'Access token revoked',
    invalidates: [accessTokens.list],
    onSuccess: onClose,
  })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Revoke ${token.name}?`}
      confirmLabel="Revoke token"
      onConfirm={() => revoke.mutateAsync({ id: token.id })}
    >
      <p>Scripts that use it fail on their next request. This cannot be undone.</p>
      <p>
        Last used: {token.lastUsedAt === null ? 'never' : <RelativeTime at={token.lastUsedAt} />}
        {token.lastUsedAddress && ` from ${token.lastUsedAddress}`}
      </p>
    </ConfirmDialog>
  )
}
