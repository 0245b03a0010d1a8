import { describe, expect, it } from 'vitest'
import { scopeAllows, tokenScopes, type TokenRule } from '../access'
import { NewAccessToken } from './access-tokens'
import { api } from '../api'
import { tokenRule, type Endpoint } from '../endpoint'

const calls = Object.entries(api)
  .flatMap(([noun, of]) =>
    Object.entries<Endpoint>(of).map(([name, call]) => ({ id: `${noun}.${name}`, call })),
  )
  .filter(({ call }) => call.access !== 'everyone')
const withRule = (rule: TokenRule) => calls.filter(({ call }) => tokenRule(call) === rule)

describe('what access tokens may do', () => {
  it('each scope includes the narrower ones, and none includes what requires a login session', () => {
    const allowed = tokenScopes.map((scope) =>
      (['read', 'jobs', 'all', 'never'] as const).filter((rule) => scopeAllows(scope, rule)),
    )
    expect(allowed).toEqual([['read'], ['read', 'jobs'], ['read', 'jobs', 'all']])
  })

  it('no token can make the calls that would let it outlive itself or take over an account', () => {
    expect(withRule('never').map(({ id }) => id)).toEqual([
      'license.upload',
      'license.remove',
      'auth.logout',
      'auth.refresh',
      'auth.confirm',
      'auth.update',
      'auth.sessions',
      'auth.endSession',
      'auth.endOtherSessions',
      'accessTokens.list',
      'accessTokens.create',
      'accessTokens.revoke',
      'users.create',
      'users.update',
      'users.changePassword',
      'users.approve',
      'users.remove',
      'users.invite',
      'users.logOutEverywhere',
      'users.liftLockout',
      'users.downloadSshKey',
      'ldapServers.list',
      'ldapServers.create',
      'ldapServers.update',
      'ldapServers.remove',
      'ldapServers.test',
      'settings.setConfig',
      'settings.setLogo',
      'settings.removeLogo',
      'settings.setSecurity',
      'mail.set',
      'mail.test',
      'twoStep.add',
      'twoStep.update',
      'clusters.accept',
      'clusters.downloadSshKey',
      'clusters.uploadSshKey',
      'lifecycle.openvpnProfile',
      'appSessions.open',
      'desktops.ticket',
      'desktops.password',
      'backups.set',
      'trainings.own',
      'trainings.raiseOwnHand',
    ])
  })

  it('a jobs token can change jobs, outputs, files and app sessions, and a read token nothing', () => {
    expect(withRule('jobs').map(({ id }) => id)).toEqual([
      'clusters.operateJobs',
      'jobs.create',
      'jobs.update',
      'jobs.remove',
      'jobs.preview',
      'jobs.submit',
      'jobs.cancel',
      'jobs.deleteOutput',
      'files.writeText',
      'files.setPermissions',
      'files.makeFolder',
      'files.rename',
      'files.remove',
      'files.upload',
      'appSessions.launch',
      'appSessions.extend',
      'appSessions.end',
      'appSessions.remove',
    ])
    for (const { id, call } of withRule('read')) expect(call.method, id).toBe('GET')
  })
})

it('a new token lasts 90 days by default and a year at most', () => {
  const given = { name: ' nightly ', scope: 'jobs' as const }
  expect(NewAccessToken.parse(given)).toEqual({ name: 'nightly', scope: 'jobs', days: 90 })
  const takes = (more: object) => NewAccessToken.safeParse({ ...given, ...more }).success
  expect([1, 365].map((days) => takes({ days }))).toEqual([true, true])
  expect([0, 366, 1.5, -1].map((days) => takes({ days }))).toEqual([false, false, false, false])
  expect([takes({ name: '  ' }), takes({ name: 'x'.repeat(65) }), takes({ scope: 'root' })]).toEqual([
    false,
    false,
    false,
  ])
})
