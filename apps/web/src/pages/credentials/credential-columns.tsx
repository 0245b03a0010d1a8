import type { ProviderId } from '@flotilla/contract/site/config'
import type { Credential } from '@flotilla/contract/clouds/credentials'
import { paths } from '../../paths'
import type { Column } from '../../table/column'
import { numberColumn, textColumn, timeColumn } from '../../table/columns'
import { RowLink } from '../../ui/button/link'
import { RelativeTime } from '../../ui/text/relative-time'
import { Status } from '../../ui/status/status'
import { testLabel } from './testing/test-label'

const SHOWN = 2
/** The first few names. The dialog has all of them. */
const sharedText = ({ collaborators }: Credential): string =>
  collaborators.length <= SHOWN
    ? collaborators.join(', ')
    : `${collaborators.slice(0, SHOWN).join(', ')} and ${collaborators.length - SHOWN} more`

export const credentialColumns = (
  nameOf: (provider: ProviderId) => string,
): readonly Column<Credential>[] => [
  {
    id: 'name',
    header: 'Name',
    type: 'text',
    width: 180,
    grow: true,
    priority: 1,
    value: ({ name }) => name,
    // The dialog is part of the URL, so that a credential can be linked to.
    cell: ({ id, name }) => (
      <RowLink to={paths.credentials()} search={(now: object) => ({ ...now, edit: id })}>
        {name}
      </RowLink>
    ),
  },
  textColumn({
    id: 'provider',
    header: 'Provider',
    value: ({ provider }) => nameOf(provider),
    width: 100,
    priority: 1,
  }),
  {
    id: 'test',
    header: 'Last test',
    type: 'text',
    width: 210,
    priority: 2,
    value: ({ lastTest }) => testLabel(lastTest).label,
    cell: ({ lastTest }) => (
      <Status
        tone={testLabel(lastTest).tone}
        detail={lastTest && <RelativeTime at={lastTest.at} />}
        pulse={false}
      >
        {testLabel(lastTest).label}
      </Status>
    ),
  },
  textColumn({ id: 'owner', header: 'Owner', value: ({ owner }) => owner, width: 110, priority: 3 }),
  textColumn({
    id: 'collaborators',
    header: 'Shared with',
    value: sharedText,
    cell: (credential) => sharedText(credential) || <span className="text-ink-3">–</span>,
    width: 150,
    grow: true,
    priority: 3,
  }),
  numberColumn({ id: 'usedBy', header: 'Used by', value: ({ usedBy }) => usedBy, width: 92, priority: 2 }),
  timeColumn({
    id: 'lastUsedAt',
    header: 'Last used',
    value: ({ lastUsedAt }) => lastUsedAt,
    width: 128,
    priority: 2,
  }),
]
