import type { Role } from '@flotilla/contract/access'
import { describe, expect, it } from 'vitest'
import { testUser } from '../../../session/test-user'
import { mustStayAdmin, toggleRole } from './user-rules'

const person = (id: string, role: Role[]) => testUser({ id, username: id, role })

describe('choosing roles', () => {
  it('selects user together with instructor', () => {
    expect(toggleRole([], 'instructor')).toEqual(['instructor', 'user'])
    expect(toggleRole(['user'], 'instructor')).toEqual(['user', 'instructor'])
  })
  it('allows removing user from an instructor', () => {
    expect(toggleRole(['instructor', 'user'], 'user')).toEqual(['instructor'])
  })
  it('removes a role and keeps the others', () => {
    expect(toggleRole(['admin', 'user'], 'admin')).toEqual(['user'])
  })
})

describe('the last admin', () => {
  const ada = person('ada', ['admin'])
  const bob = person('bob', ['user'])
  it('must remain an admin', () => {
    expect(mustStayAdmin([ada, bob], ada)).toMatch(/last admin/)
    expect(mustStayAdmin([ada, bob], bob)).toBeNull()
  })
  it('can be changed once there is another admin', () => {
    expect(mustStayAdmin([ada, person('eve', ['admin', 'user'])], ada)).toBeNull()
  })
})
