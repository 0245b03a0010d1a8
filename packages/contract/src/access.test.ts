import { describe, expect, it } from 'vitest'
import { homeOf, isParticipant, mayAccess, roles, type Access, type Role } from './access'

describe('access rules', () => {
  it.each<[Access, (Role | 'visitor')[]]>([
    ['everyone', ['visitor', ...roles]],
    ['guest', ['visitor']],
    ['admin', ['admin']],
    ['user', ['admin', 'user']],
    ['instructor', ['admin', 'instructor']],
    ['member', ['admin', 'instructor', 'user']],
    ['loggedIn', [...roles]],
  ])('%s', (required, allowed) => {
    for (const who of ['visitor', ...roles] as const)
      expect(mayAccess(required, who === 'visitor' ? null : [who]), who).toBe(allowed.includes(who))
  })

  it('any of the roles a user holds grants access, not only the highest', () => {
    expect(mayAccess('user', ['instructor', 'user'])).toBe(true)
    expect(mayAccess('user', ['instructor'])).toBe(false)
  })

  it('a user who holds another role is not a participant', () => {
    expect(isParticipant({ role: ['participant'] })).toBe(true)
    for (const other of ['user', 'instructor', 'admin'] as const) {
      expect(isParticipant({ role: [other] })).toBe(false)
      expect(isParticipant({ role: ['participant', other] })).toBe(false)
    }
    expect(isParticipant({ role: [] })).toBe(false)
  })

  it('the highest role decides the home page', () => {
    expect(homeOf(['user', 'admin'])).toBe('/dashboard')
    expect(homeOf(['user', 'instructor'])).toBe('/trainings')
    expect(homeOf(['participant'])).toBe('/clusters')
    expect(homeOf([])).toBe('/clusters')
  })
})
