import { beforeEach, describe, expect, it } from 'vitest'
import { notices } from '../ui/feedback/notices-store'
import { followOtherTabs, startSession } from './session'
import { endSession, enterSession, session, thankYou } from '../session/store'
import type { EndedBy } from '../session/store'
import { testUser } from '../session/test-user'
import { readToken } from '../session/token'

const user = testUser()

beforeEach(() => {
  localStorage.clear()
  notices.clear()
  thankYou.set(false)
  enterSession('a.b.c', user)
})

describe('the end of a session', () => {
  it('clears everything the console stored and nothing else', () => {
    localStorage.setItem('flotilla.page.users', '{}')
    localStorage.setItem('flotilla.theme', 'dark')
    localStorage.setItem('another-app', 'stays')
    sessionStorage.setItem('anything', '1')
    endSession('logout')
    expect(Object.keys(localStorage)).toEqual(['another-app'])
    expect(sessionStorage.length).toBe(0)
    expect(session.get()).toEqual({ status: 'guest', keepPath: false })
  })

  it.each([
    ['logout', [], false],
    ['ended', ['Session ended.'], false],
    ['idle', ['Session Expired'], false],
    ['silent', [], false],
    ['timeUp', ['Session Expired'], true],
  ] satisfies [EndedBy, string[], boolean][])('by %s shows %j; thank-you dialog: %s', (by, texts, thanks) => {
    endSession(by)
    expect(notices.shown().map(({ text }) => text)).toEqual(texts)
    expect(thankYou.get()).toBe(thanks)
  })

  it('is announced once', () => {
    endSession('ended')
    endSession('idle')
    expect(notices.shown()).toHaveLength(1)
  })

  it('is explained until the next login', () => {
    endSession('idle')
    expect(notices.shown()).toMatchObject([{ text: 'Session Expired', stays: true }])
    startSession({ token: 'a.b.c', user: testUser({}) })
    expect(notices.shown()).toEqual([])
  })
})

describe('the end of a session in another tab', () => {
  /** Delivers another tab's write to this tab. */
  const receive = (key: string, newValue: string | null) =>
    dispatchEvent(new StorageEvent('storage', { key, newValue }))
  followOtherTabs(0)

  it.each([
    ['timeUp', ['Session Expired'], true],
    ['idle', ['Session Expired'], false],
    ['logout', [], false],
  ] satisfies [EndedBy, string[], boolean][])(
    'by %s shows %j here too; thank-you dialog: %s',
    (by, texts, thanks) => {
      receive('flotilla.ended', by)
      receive('flotilla.ended', null)
      receive('flotilla.token', null)
      expect(session.get().status).toBe('guest')
      expect(notices.shown().map(({ text }) => text)).toEqual(texts)
      expect(thankYou.get()).toBe(thanks)
    },
  )

  it('does not end the next session', () => {
    endSession('timeUp')
    enterSession('d.e.f', user)
    receive('flotilla.ended', null)
    expect(session.get().status).toBe('in')
  })
})

describe('a call rejected after the end of a timed session', () => {
  it.each(['ended', 'idle'] as const)('as %s shows the end of the timed session', (by) => {
    enterSession('a.b.c', testUser({ endTime: Date.now() - 1 }))
    endSession(by)
    expect(thankYou.get()).toBe(true)
    expect(notices.shown().map(({ text }) => text)).toEqual(['Session Expired'])
  })
})

describe('a token', () => {
  const encode = (payload: object) => `h.${btoa(JSON.stringify(payload)).replaceAll('=', '')}.s`

  it('contains its lifetime and its user', () => {
    expect(readToken(encode({ sub: 'u1', iat: 100, exp: 700 }))).toEqual({ lifeMs: 600_000, subject: 'u1' })
  })

  it('that cannot be read has the default lifetime and no user', () => {
    expect(readToken('nonsense')).toEqual({ lifeMs: 3_600_000, subject: null })
  })
})
