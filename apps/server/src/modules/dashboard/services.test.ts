import { expect, it } from 'vitest'
import { pageOfService } from './services'

it('leads from a service that is down to the page where it is fixed', () => {
  expect(['LDAP campus', 'Mail', 'OpenTofu', 'Database'].map(pageOfService)).toEqual([
    '/settings/ldap',
    '/settings/mail',
    '/settings/doctor',
    '/settings/doctor',
  ])
})
