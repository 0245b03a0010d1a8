import type { Role } from '@flotilla/contract/access'
import { NAV_SEARCH_MAX } from '@flotilla/contract/limits'
import type { Found } from '@flotilla/contract/site/search'
import { RuntimeConfig } from '@flotilla/contract/site/config'
import type { ServedConfig } from '@flotilla/contract/site/config'
import { describe, expect, it } from 'vitest'
import { actionsOn, asSuggestion, withoutVerb } from './found-things'
import { places } from './search-places'
import { best, matching } from './suggestions'

const config: ServedConfig = {
  ...RuntimeConfig.parse({}),
  version: '1.2.3',
  server: 'http://localhost',
  websocketPort: 1,
  simulated: false,
  problems: [],
  announcement: null,
}
const pagesOf = (role: Role[]) => places({ role, participantEmail: null }, config, true)
const found = (text: string, role: Role[] = ['admin']) =>
  best(matching(pagesOf(role), text), text).map(({ label, under }) => `${under}: ${label}`)
const none = () => {}
const thing = (kind: Found['kind'], name: string, detail = ''): Found => ({
  kind,
  id: `id of ${name}`,
  name,
  detail,
  clusterId: kind === 'node' ? 'c1' : null,
})

describe('the pages that are suggested', () => {
  it('are at most ten, also before anything is typed', () => {
    expect(pagesOf(['admin']).length).toBeGreaterThan(NAV_SEARCH_MAX)
    expect(found('')).toHaveLength(NAV_SEARCH_MAX)
  })

  it('match the start of words, with matches in the name first', () => {
    expect(found('job')).toEqual(['Workloads: Job Manager'])
    expect(found('man cl')).toEqual(['Compute: Cluster Manager', 'Compute: Credentials Manager'])
    expect(found('SLURM')).toEqual(['Workloads: Job Manager'])
    expect(found('zzz')).toEqual([])
  })

  it('include every tab of the settings, by name and by keyword', () => {
    expect(found('general')).toEqual(['Your settings: Appearance'])
    expect(found('sessions')).toEqual(['Your settings: Security'])
    expect(found('security')).toEqual(['Your settings: Security', 'Settings: Security'])
    expect(found('smtp')).toEqual(['Settings: Mail'])
    expect(pagesOf(['admin']).find(({ label }) => label === 'Audit')).toMatchObject({ to: '/settings/audit' })
  })

  it('are only those the user can open', () => {
    expect(found('security', ['user'])).toEqual(['Your settings: Security'])
    expect(found('smtp', ['user'])).toEqual([])
    expect(found('se', ['participant'])).toEqual(['Education: Workshop'])
  })
})

describe('a search result of the server', () => {
  it('leads to its page', () => {
    expect(asSuggestion(thing('node', 'n01', 'comet'), none)).toMatchObject({
      label: 'n01',
      under: 'Node · comet',
      to: '/clusters/c1/nodes',
      search: { node: 'id of n01' },
    })
    expect(asSuggestion(thing('person', 'Ada Lovelace', 'ada'), none)).toMatchObject({
      under: 'User · ada',
      to: '/settings',
    })
  })

  it('starts an app', () => {
    let started = ''
    const lab = asSuggestion(thing('app', 'JupyterLab'), (id) => (started = id))
    expect(lab.under).toBe('App')
    if ('run' in lab) lab.run()
    expect(started).toBe('id of JupyterLab')
  })

  it('is listed with its actions', () => {
    let submitted = ''
    const actions = actionsOn(
      [thing('job', 'hello'), thing('cluster', 'comet', 'available'), thing('cluster', 'old', 'stopped')],
      (id) => (submitted = id),
    )
    expect(actions.map(({ label }) => label)).toEqual(['Submit hello', 'Terminal on comet', 'Files on comet'])
    const [submit] = matching(actions, 'submit hello')
    if (submit && 'run' in submit) submit.run()
    expect(submitted).toBe('id of hello')
  })

  it('is searched for without a leading verb', () => {
    expect(withoutVerb('Submit hello')).toBe('hello')
    expect(withoutVerb('run several nodes')).toBe('several nodes')
    expect(withoutVerb('terminal on comet')).toBe('comet')
    for (const text of ['hello', 'submit', 'hello submit', 'su hello']) expect(withoutVerb(text)).toBeNull()
  })

  it('takes turns with results of other kinds, so that many of one kind do not hide another', () => {
    const jobs = Array.from({ length: 10 }, (_, n) => asSuggestion(thing('job', `sim ${n}`), none))
    const cluster = asSuggestion(thing('cluster', 'big sim'), none)
    const shown = best([...jobs, cluster], 'sim')
    expect(shown).toHaveLength(NAV_SEARCH_MAX)
    expect(shown).toContain(cluster)
    expect(shown[0]).toBe(jobs[0])
  })
})
