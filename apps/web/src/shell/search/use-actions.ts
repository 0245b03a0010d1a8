import { mayAccess } from '@flotilla/contract/access'
import { clusters } from '@flotilla/contract/clusters/clusters'
import { jobs } from '@flotilla/contract/jobs/jobs'
import { users } from '@flotilla/contract/people/users'
import { download } from '../../api/download'
import { showError } from '../../api/errors'
import { paths } from '../../paths'
import { logout } from '../../login/session'
import { useUser } from '../../session/user'
import { useSetTheme } from '../use-set-theme'
import type { Suggestion } from './suggestions'

/** The actions that the user can run from any page. */
export function useActions(openQuickJob: () => void): Suggestion[] {
  const { role, username } = useUser()
  const setTheme = useSetTheme()
  const run = (label: string, also: string, act: () => void): Suggestion => ({
    kind: 'action',
    key: label,
    label,
    under: 'Action',
    also,
    run: act,
  })
  const open = (label: string, also: string, to: string, search = {}): Suggestion => ({
    kind: 'action',
    key: label,
    label,
    under: 'Action',
    also,
    to,
    search,
  })
  return [
    ...(mayAccess(jobs.create.access, role)
      ? [
          open('New job', 'create script batch', paths.newJob()),
          run('Quick job', 'submit a job run', openQuickJob),
        ]
      : []),
    ...(mayAccess(clusters.create.access, role)
      ? [open('New cluster', 'create attach deploy', paths.clusters(), { new: '1' })]
      : []),
    run('Dark theme', 'appearance night', () => setTheme('dark')),
    run('Light theme', 'appearance day', () => setTheme('light')),
    run('System theme', 'appearance automatic', () => setTheme('system')),
    ...(mayAccess('member', role)
      ? [
          run(
            'User SSH Key',
            'download pem private',
            () => void download(users.downloadSshKey, {}, `${username}.pem`).catch(showError),
          ),
        ]
      : []),
    run('Logout', 'log out sign out leave', logout),
  ]
}
