import { expect, it } from 'vitest'
import { pageOfService } from './services'

it('a service that is down links to the page where it can be fixed', () => {
  expect(['LDAP campus', 'Mail', 'OpenTofu', 'Database'].map(pageOfService)).toEqual([
    '/settings/ldap',
    '/settings/mail',
    '/settings/doctor',
    '/settings/doctor',
  ])
})
