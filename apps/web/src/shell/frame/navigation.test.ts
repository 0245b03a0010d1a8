import type { Role } from '@flotilla/contract/access'
import { RuntimeConfig } from '@flotilla/contract/site/config'
import type { ServedConfig } from '@flotilla/contract/site/config'
import { describe, expect, it } from 'vitest'
import { navGroups, settingsPath } from './nav-items'

const config: ServedConfig = {
  ...RuntimeConfig.parse({ trainingMenuTitle: 'Bootcamp' }),
  version: '1.2.3',
  server: 'http://localhost',
  websocketPort: 1,
  simulated: false,
  problems: [],
  announcement: null,
}
const labels = (role: Role[], trainings = true, participantEmail: string | null = null) =>
  navGroups({ role, participantEmail }, config, trainings).map(({ heading, items }) => [
    heading,
    ...items.map(({ label }) => label),
  ])

describe('the navigation', () => {
  it('shows an admin everything', () => {
    expect(labels(['admin'])).toEqual([
      [null, 'Dashboard'],
      ['Compute', 'Credentials Manager', 'Stack Manager', 'Cluster Manager'],
      ['Workloads', 'Job Manager', 'File Manager'],
      ['Education', 'Bootcamp'],
      ['Content Library', 'Apps', 'Courses'],
      ['Administration', 'Accounting', 'Settings'],
    ])
  })

  it('does not show the dashboard to users, although they can open its path', () => {
    expect(labels(['user'])).toEqual([
      ['Compute', 'Cluster Manager'],
      ['Workloads', 'Job Manager', 'File Manager'],
    ])
  })

  it('shows a participant the clusters and, when the server allows it, the workshop', () => {
    expect(labels(['participant'])).toEqual([
      ['Compute', 'Cluster Manager'],
      ['Education', 'Bootcamp'],
    ])
    expect(labels(['participant'], false)).toEqual([['Compute', 'Cluster Manager']])
  })

  it('shows the workshop to the account of a seat that was given another role', () => {
    expect(labels(['user'], true, 'ada@example.org')).toEqual([
      ['Compute', 'Cluster Manager'],
      ['Workloads', 'Job Manager', 'File Manager'],
      ['Education', 'Bootcamp'],
    ])
  })

  it('has Settings for everyone except participants', () => {
    expect(settingsPath({ role: ['admin', 'user'] })).toBe('/settings')
    expect(settingsPath({ role: ['instructor'] })).toBe('/settings_user')
    expect(settingsPath({ role: ['participant'] })).toBeNull()
  })
})
