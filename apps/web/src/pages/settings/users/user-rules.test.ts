import type { Role } from '@flotilla/contract/access'
import { describe, expect, it } from 'vitest'
import { testUser } from '../../../session/test-user'
import { mustStayAdmin, toggleRole } from './user-rules'

const person = (id: string, role: Role[]) => testUser({ id, username: id, role })

describe('choosing roles', () => {
  it('ticks user together with instructor', () => {
    expect(toggleRole([], 'instructor')).toEqual(['instructor', 'user'])
    expect(toggleRole(['user'], 'instructor')).toEqual(['user', 'instructor'])
  })
  it('lets user be taken away from an instructor', () => {
    expect(toggleRole(['instructor', 'user'], 'user')).toEqual(['instructor'])
  })
  it('takes a role away and leaves the others', () => {
    expect(toggleRole(['admin', 'user'], 'admin')).toEqual(['user'])
  })
})

describe('the last admin', () => {
  const ada = person('ada', ['admin'])
  const bob = person('bob', ['user'])
  it('must stay one', () => {
    expect(mustStayAdmin([ada, bob], ada)).toMatch(/last admin/)
    expect(mustStayAdmin([ada, bob], bob)).toBeNull()
  })
  it('is free once there is another', () => {
    expect(mustStayAdmin([ada, person('eve', ['admin', 'user'])], ada)).toBeNull()
  })
})
