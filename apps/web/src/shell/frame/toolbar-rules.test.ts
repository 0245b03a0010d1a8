import type { Role } from '@flotilla/contract/access'
import { describe, expect, it } from 'vitest'
import { backTarget, hasQuickJob } from './toolbar-rules'

const admin = { role: ['admin'] satisfies Role[] }
const user = { role: ['user'] satisfies Role[] }
const instructor = { role: ['instructor'] satisfies Role[] }
const participant = { role: ['participant'] satisfies Role[] }

describe('the back button', () => {
  it.each([
    ['/account', null],
    ['/settings', null],
    ['/settings/users', null],
    ['/clusters', null],
    ['/clusters/42', '/clusters'],
    ['/jobs', '/clusters'],
    ['/settings_user', '/clusters'],
    ['/account/42', '/account'],
    ['/account-job/ada', '/account'],
    ['/account-cluster/42', '/account'],
  ])('on %s leads to %s', (pathname, target) => {
    expect(backTarget(pathname, admin)).toBe(target)
  })

  it('is hidden from users who cannot see clusters', () => {
    expect(backTarget('/stacks', instructor)).toBeNull()
    expect(backTarget('/clusters/42', participant)).toBe('/clusters')
  })
})

describe('the quick job button', () => {
  it('is on every page except accounts and settings', () => {
    expect(hasQuickJob('/clusters', user)).toBe(true)
    expect(hasQuickJob('/account/42', admin)).toBe(true)
    expect(hasQuickJob('/account', admin)).toBe(false)
    expect(hasQuickJob('/settings', admin)).toBe(false)
    expect(hasQuickJob('/settings/license', admin)).toBe(false)
  })

  it('is only for users who can run jobs', () => {
    expect(hasQuickJob('/clusters', participant)).toBe(false)
    expect(hasQuickJob('/trainings', instructor)).toBe(false)
  })
})
