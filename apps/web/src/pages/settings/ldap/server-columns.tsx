import type { LdapServer } from '@flotilla/contract/people/ldap-servers'
import { paths } from '../../../paths'
import type { Column } from '../../../table/column'
import { numberColumn, statusColumn, textColumn, timeColumn } from '../../../table/columns'
import { RowLink } from '../../../ui/button/link'

const encryptionOf = ({ url, startTls }: LdapServer): string =>
  url.toLowerCase().startsWith('ldaps:') ? 'LDAPS' : startTls ? 'StartTLS' : 'None'

export const serverColumns: readonly Column<LdapServer>[] = [
  {
    id: 'name',
    header: 'Name',
    type: 'text',
    width: 160,
    grow: true,
    priority: 1,
    value: ({ name }) => name,
    // The dialog is part of the URL, so that a server can be linked to.
    cell: ({ id, name }) => (
      <RowLink to={paths.settings('ldap')} search={(now: object) => ({ ...now, edit: id })}>
        {name}
      </RowLink>
    ),
  },
  statusColumn({
    id: 'active',
    header: 'Login',
    width: 100,
    priority: 1,
    value: ({ active }) => (active ? 'Active' : 'Inactive'),
    tone: ({ active }) => (active ? 'green' : 'gray'),
  }),
  textColumn({
    id: 'url',
    header: 'Address',
    value: ({ url }) => url,
    mono: true,
    width: 240,
    grow: true,
    priority: 2,
  }),
  textColumn({ id: 'encryption', header: 'Encryption', value: encryptionOf, width: 116, priority: 2 }),
  numberColumn({ id: 'people', header: 'Users', value: ({ people }) => people, width: 80, priority: 3 }),
  timeColumn({
    id: 'createdAt',
    header: 'Added',
    value: ({ createdAt }) => createdAt,
    width: 120,
    priority: 3,
  }),
]
