import type { Role } from '@flotilla/contract/access'
import { RuntimeConfig } from '@flotilla/contract/site/config'
import type { ServedConfig } from '@flotilla/contract/site/config'
import { NAV_SEARCH_MAX } from '@flotilla/contract/limits'
import { describe, expect, it } from 'vitest'
import { navGroups, settingsPath } from './nav-items'
import { places, searchPlaces } from '../search/search-places'

const config: ServedConfig = {
  ...RuntimeConfig.parse({ trainingMenuTitle: 'Bootcamp' }),
  version: '1.2.3',
  server: 'http://localhost',
  websocketPort: 1,
  simulated: false,
  problems: [],
  announcement: null,
}
const labels = (role: Role[], trainings = true) =>
  navGroups({ role }, config, trainings).map(({ heading, items }) => [
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

  it('has Settings for everyone except participants', () => {
    expect(settingsPath({ role: ['admin', 'user'] })).toBe('/settings')
    expect(settingsPath({ role: ['instructor'] })).toBe('/settings_user')
    expect(settingsPath({ role: ['participant'] })).toBeNull()
  })
})

describe('the navigation search', () => {
  const all = places({ role: ['admin'] }, config, true)
  const found = (text: string) => searchPlaces(all, text).map(({ label }) => label)

  it('suggests at most ten, also before anything is typed', () => {
    expect(all.length).toBeGreaterThan(NAV_SEARCH_MAX)
    expect(found('')).toHaveLength(NAV_SEARCH_MAX)
  })

  it('matches the start of words, with matches in the name first', () => {
    expect(found('job')).toEqual(['Job Manager'])
    expect(found('man cl')).toEqual(['Cluster Manager', 'Credentials Manager'])
    expect(found('set')).toEqual(['Settings', 'General settings'])
    expect(found('SLURM')).toEqual(['Job Manager'])
  })

  it('finds nothing for nonsense', () => {
    expect(found('zzz')).toEqual([])
  })

  it('never suggests pages the user cannot open', () => {
    expect(searchPlaces(places({ role: ['user'] }, config, false), 'account')).toEqual([
      expect.objectContaining({ label: 'Profile' }),
    ])
  })
})
