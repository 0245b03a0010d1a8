import { access } from '@flotilla/contract/access'
import type { Access, Role } from '@flotilla/contract/access'
import { describe, expect, it } from 'vitest'
import { guard } from './guard'

type More = { returnTo?: unknown; keepPath?: boolean; participantEmail?: string }
const visit = (need: Access, role: Role[] | null, { participantEmail, ...more }: More = {}) =>
  guard({
    access: need,
    user: role && { role, participantEmail: participantEmail ?? null },
    path: '/asked?q=1',
    keepPath: true,
    ...more,
  })

describe('guard', () => {
  it('lets guests see only guest pages and pages for everyone', () => {
    for (const need of Object.keys(access) as Access[]) {
      const open = need === 'guest' || need === 'everyone'
      expect(visit(need, null) === 'enter', need).toBe(open)
    }
  })

  it('redirects guests to login and keeps the requested path', () => {
    expect(visit('admin', null)).toEqual({ go: '/login', returnTo: '/asked?q=1' })
  })

  it('keeps no path after a logout', () => {
    expect(visit('admin', null, { keepPath: false })).toEqual({ go: '/login' })
  })

  it.each([
    [['admin'], '/dashboard'],
    [['instructor'], '/trainings'],
    [['user'], '/clusters'],
    [['participant'], '/clusters'],
    [['user', 'instructor'], '/trainings'],
  ] satisfies [Role[], string][])('redirects %j from guest pages to %s', (role, home) => {
    expect(visit('guest', role)).toEqual({ go: home })
  })

  it('redirects users without permission to their home page, not to login', () => {
    expect(visit('admin', ['user'])).toEqual({ go: '/clusters' })
    expect(visit('user', ['instructor'])).toEqual({ go: '/trainings' })
  })

  it('considers all roles', () => {
    expect(visit('user', ['instructor', 'user'])).toBe('enter')
  })

  it('lets the account of a seat see the pages of participants, whatever its roles', () => {
    const participantEmail = 'ada@example.org'
    expect(visit('instructorOrParticipant', ['user'])).toEqual({ go: '/clusters' })
    expect(visit('instructorOrParticipant', ['user'], { participantEmail })).toBe('enter')
    expect(visit('instructor', ['user'], { participantEmail })).toEqual({ go: '/clusters' })
    expect(visit('guest', ['instructor'], { participantEmail })).toEqual({ go: '/trainings' })
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
