import { access } from '@flotilla/contract/access'
import { expect, it } from 'vitest'
import { paths } from './paths'
import { routes } from './routes'

/** Section 2 of the specification. */
const specified: Record<string, string> = {
  '/dashboard': 'user',
  '/credentials': 'admin',
  '/stacks': 'instructor',
  '/stacks/new': 'instructor',
  '/stacks/$id': 'instructor',
  '/stacks/$id/edit': 'instructor',
  '/clusters': 'userOrParticipant',
  '/clusters/$id': 'userOrParticipant',
  '/clusters/$id/desktop': 'userOrParticipant',
  '/jobs': 'user',
  '/jobs/new': 'user',
  '/jobs/$id': 'user',
  '/jobs/$id/edit': 'user',
  '/files': 'user',
  '/trainings': 'instructorOrParticipant',
  '/trainings/new': 'instructor',
  '/trainings/$id': 'instructorOrParticipant',
  '/trainings/$id/edit': 'instructor',
  '/apps': 'instructor',
  '/courses': 'instructor',
  '/courses/$id': 'instructor',
  '/settings': 'admin',
  '/settings_user': 'member',
  '/general_settings': 'member',
  '/account': 'admin',
  '/account/$id': 'admin',
  '/account-job/$useracount': 'admin',
  '/account-cluster/$idCluster': 'admin',
  '/verify': 'guest',
  '/landing': 'guest',
  '/recoverPassword/$token': 'guest',
  '/login/{-$userKey}': 'guest',
  '/training-login': 'guest',
  '/register': 'guest',
  '/pages/profile': 'everyone',
  '/pages/errors/error-404': 'everyone',
  '/pages/errors/error-500': 'everyone',
}

it('has every page of the specification, and additional ones, with their access', () => {
  // A page may keep its open tab in the path.
  const rows = routes.map((row) => [row.path.replace('/{-$tab}', ''), row.access])
  expect(Object.fromEntries(rows)).toEqual(specified)
})

it('shows guest pages without the shell, and pages that need a role inside it', () => {
  for (const { path, access: need, layout } of routes) {
    const wanted = need === 'guest' ? 'bare' : access[need] ? 'shell' : 'either'
    expect(layout, path).toBe(wanted)
  }
})

it('escapes user input in paths', () => {
  expect(paths.cluster('a/b?c')).toBe('/clusters/a%2Fb%3Fc')
})
