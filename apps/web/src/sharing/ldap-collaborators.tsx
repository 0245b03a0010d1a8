import { LDAP_SEARCH_MIN } from '@flotilla/contract/limits'
import type { LdapCollaborator, LdapEntry, LdapEntryRef } from '@flotilla/contract/ldap-entry'
import { ldap } from '@flotilla/contract/people/ldap'
import { ldapServers } from '@flotilla/contract/people/ldap-servers'
import { Plus, User, Users, X } from 'lucide-react'
import { useState } from 'react'
import { useApiQuery } from '../api/query'
import { Button, IconButton } from '../ui/button/button'
import { Field } from '../ui/form/field'
import { Glyph } from '../ui/status/icon'
import { Input } from '../ui/form/input'
import { Spinner } from '../ui/feedback/spinner'
import { useDebounced } from '../ui/form/use-debounced'

const TYPING_MS = 300
const keyOf = ({ serverId, dn }: LdapEntryRef) => `${serverId} ${dn}`

interface Props {
  collaborators: readonly LdapCollaborator[]
  /** When changes are saved. */
  hint: string
  onAdd: (entry: LdapEntry) => void
  onRemove: (collaborator: LdapCollaborator) => void
  busy?: boolean
}

/** Whether there is anyone to share with, or to stop sharing with. */
export function useHasLdap(collaborators: readonly LdapCollaborator[]): boolean {
  const servers = useApiQuery(ldap.active, {})
  return collaborators.length > 0 || (servers.data?.length ?? 0) > 0
}

/** People and groups of directories that something is shared with, found by searching the directories. */
export function LdapCollaborators({ collaborators, hint, onAdd, onRemove, busy = false }: Props) {
  const [typed, setTyped] = useState('')
  const query = useDebounced(typed.trim(), TYPING_MS)
  const isLong = query.length >= LDAP_SEARCH_MIN
  const found = useApiQuery(ldapServers.search, { query: { query } }, { enabled: isLong, keepPrevious: true })
  const shared = new Set(collaborators.map(keyOf))
  const entries = found.data?.entries.filter((entry) => !shared.has(keyOf(entry))) ?? []
  return (
    <section aria-label="LDAP people and groups" className="flex flex-col gap-3">
      <Field label="LDAP people and groups" optional hint={`Search by name, username or email. ${hint}`}>
        {(aria) => (
          <Input
            {...aria}
            type="search"
            value={typed}
            placeholder="Search the directory"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </Field>
      {isLong && (
        <div role="status" className="flex flex-col gap-2 text-body">
          {found.isPending && (
            <p className="flex items-center gap-2 text-ink-2">
              <Spinner /> Searching
            </p>
          )}
          {found.error && <p className="text-red">{found.error.message}</p>}
          {found.data?.problems.map((problem) => (
            <p key={problem} className="text-red">
              {problem}
            </p>
          ))}
          {found.data && entries.length === 0 && found.data.problems.length === 0 && (
            <p className="text-ink-2">No one else found.</p>
          )}
          {entries.length > 0 && (
            <ul
              aria-label="Found"
              className="flex max-h-56 flex-col divide-y divide-line-1 overflow-y-auto rounded-control border border-line-1"
            >
              {entries.map((entry) => (
                <li key={keyOf(entry)} className="flex items-center gap-2.5 py-1 pr-1 pl-3">
                  <Entry {...entry} />
                  <Button
                    variant="ghost"
                    icon={Plus}
                    disabled={busy}
                    aria-label={`Share with ${entry.name}`}
                    onClick={() => onAdd(entry)}
                  >
                    Share
                  </Button>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {collaborators.length > 0 && (
        <ul
          aria-label="Shared with, from LDAP"
          className="flex flex-col divide-y divide-line-1 rounded-control border border-line-1"
        >
          {collaborators.map((one) => (
            <li key={keyOf(one)} className="flex items-center gap-2.5 py-1 pr-1 pl-3">
              <Entry {...one} detail={one.dn} />
              <IconButton
                icon={X}
                label={`Stop sharing with ${one.name}`}
                disabled={busy}
                onClick={() => onRemove(one)}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const Entry = ({ kind, name, detail }: Pick<LdapEntry, 'kind' | 'name' | 'detail'>) => (
  <>
    <Glyph icon={kind === 'group' ? Users : User} className="text-ink-3" />
    <span className="flex min-w-0 flex-1 flex-col">
      <span className="truncate">
        {name}
        <span className="sr-only">{kind === 'group' ? ', group' : ', person'}</span>
      </span>
      {detail && <span className="truncate text-label text-ink-3">{detail}</span>}
    </span>
  </>
)
