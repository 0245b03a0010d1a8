import { access } from '@flotilla/contract/access'
import type { Access, Role } from '@flotilla/contract/access'
import { describe, expect, it } from 'vitest'
import { guard } from './guard'

const visit = (need: Access, role: Role[] | null, more: { returnTo?: unknown; keepPath?: boolean } = {}) =>
  guard({ access: need, user: role && { role }, path: '/asked?q=1', keepPath: true, ...more })

describe('guard', () => {
  it('lets a visitor without a session see guest pages and pages for everyone only', () => {
    for (const need of Object.keys(access) as Access[]) {
      const open = need === 'guest' || need === 'everyone'
      expect(visit(need, null) === 'enter', need).toBe(open)
    }
  })

  it('sends a visitor to login and keeps the path they asked for', () => {
    expect(visit('admin', null)).toEqual({ go: '/login', returnTo: '/asked?q=1' })
  })

  it('keeps no path after somebody chose to log out', () => {
    expect(visit('admin', null, { keepPath: false })).toEqual({ go: '/login' })
  })

  it.each([
    [['admin'], '/dashboard'],
    [['instructor'], '/trainings'],
    [['user'], '/clusters'],
    [['participant'], '/clusters'],
    [['user', 'instructor'], '/trainings'],
  ] satisfies [Role[], string][])('sends %j away from guest pages to %s', (role, home) => {
    expect(visit('guest', role)).toEqual({ go: home })
  })

  it('sends somebody without the right home, not to login', () => {
    expect(visit('admin', ['user'])).toEqual({ go: '/clusters' })
    expect(visit('user', ['instructor'])).toEqual({ go: '/trainings' })
  })

  it('looks at the whole list of roles', () => {
    expect(visit('user', ['instructor', 'user'])).toBe('enter')
  })

  it('restores the kept path after login', () => {
    expect(visit('guest', ['user'], { returnTo: '/jobs?q=x' })).toEqual({ go: '/jobs?q=x' })
  })

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example', 'jobs', '', 7, null])(
    'does not follow %j',
    (returnTo) => {
      expect(visit('guest', ['user'], { returnTo })).toEqual({ go: '/clusters' })
    },
  )
})
