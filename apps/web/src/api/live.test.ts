import { settings } from '@flotilla/contract/site/settings'
import { users } from '@flotilla/contract/people/users'
import type { User } from '@flotilla/contract/people/users'
import { QueryClient } from '@tanstack/react-query'
import { beforeEach, describe, expect, it } from 'vitest'
import { enterSession, session, thankYou } from '../session/store'
import { testUser } from '../session/test-user'
import { endIfMine, isGap, isTooMany, refetch, socketAddresses } from './live'
import { apiKey } from './query'

it('detects a lost event by its number, including the first one', () => {
  expect(isGap(0, 1)).toBe(false)
  expect(isGap(0, 2)).toBe(true)
  expect(isGap(4, 5)).toBe(false)
  expect(isGap(4, 6)).toBe(true)
})

it('distinguishes too many connections from an ended session', () => {
  expect(isTooMany(Object.assign(new Error('too many'), { data: { code: 'too_many_sockets' } }))).toBe(true)
  expect(isTooMany(new Error('no live session'))).toBe(false)
})

it('connects to the configured port, or to the page’s own address behind a proxy', () => {
  const page = { origin: 'https://hpc.example.org', protocol: 'https:', hostname: 'hpc.example.org' }
  expect(socketAddresses(12345, page)).toEqual(['https://hpc.example.org:12345', 'https://hpc.example.org'])
  expect(socketAddresses(443, page)).toEqual(['https://hpc.example.org'])
  expect(socketAddresses(0, page)[0]).toBe('https://hpc.example.org:2222')
})

it('refetches only what a change affects', () => {
  const client = new QueryClient()
  const [list, site] = [apiKey(users.list, {}), apiKey(settings.site, {})]
  client.setQueryData(list, [])
  client.setQueryData(site, {})
  refetch(client, 'users')
  expect(client.getQueryState(list)?.isInvalidated).toBe(true)
  expect(client.getQueryState(site)?.isInvalidated).toBe(false)
})

describe('an ending', () => {
  const someone = (more: Partial<User>) =>
    testUser({ role: ['participant'], participant: true, sessionCode: 'CODE-1', ...more })
  beforeEach(() => {
    thankYou.set(false)
    enterSession('a.b.c', someone({}))
  })

  it('of another user’s session is ignored', () => {
    endIfMine({ name: 'silentLogout', username: 'bob', seq: 1 })
    endIfMine({ name: 'publicDemoSessionIsEnding', username: 'bob', seq: 2 })
    endIfMine({ name: 'trainingSessionIsEnding', sessionCode: 'CODE-2', trainingId: 't', seq: 3 })
    expect(session.get().status).toBe('in')
  })

  it('of a workshop does not affect users outside it', () => {
    enterSession('a.b.c', someone({ sessionCode: null }))
    endIfMine({ name: 'trainingSessionIsEnding', sessionCode: 'CODE-1', trainingId: 't', seq: 1 })
    expect(session.get().status).toBe('in')
  })

  it('of the user’s own workshop logs out and shows the thank-you dialog', () => {
    endIfMine({ name: 'trainingSessionIsEnding', sessionCode: 'CODE-1', trainingId: 't', seq: 1 })
    expect(session.get().status).toBe('guest')
    expect(thankYou.get()).toBe(true)
  })

  it('by an administrator is silent', () => {
    endIfMine({ name: 'silentLogout', username: 'ada', seq: 1 })
    expect(session.get().status).toBe('guest')
    expect(thankYou.get()).toBe(false)
  })
})
