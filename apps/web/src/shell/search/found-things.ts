import type { Found, FoundKind } from '@flotilla/contract/site/search'
import { paths } from '../../paths'
import type { Suggestion } from './suggestions'

type Target = { to: string; search?: Record<string, string> } | { run: () => void }

const names: Record<FoundKind, string> = {
  job: 'Job',
  cluster: 'Cluster',
  node: 'Node',
  stack: 'Stack',
  app: 'App',
  training: 'Workshop',
  course: 'Course',
  credential: 'Credential',
  person: 'User',
}

function target({ kind, id, clusterId }: Found, startApp: (id: string) => void): Target {
  switch (kind) {
    case 'app':
      return { run: () => startApp(id) }
    case 'job':
      return { to: paths.job(id) }
    case 'cluster':
      return { to: paths.cluster(id) }
    case 'node':
      return { to: paths.cluster(clusterId ?? '', 'nodes'), search: { node: id } }
    case 'stack':
      return { to: paths.stack(id) }
    case 'training':
      return { to: paths.training(id) }
    case 'course':
      return { to: paths.course(id) }
    case 'credential':
      return { to: paths.credentials(), search: { edit: id } }
    case 'person':
      return { to: paths.settings(), search: { edit: id } }
  }
}

export const asSuggestion = (found: Found, startApp: (id: string) => void): Suggestion => ({
  kind: found.kind,
  key: [found.kind, found.clusterId, found.id].join(' '),
  label: found.name,
  under: [names[found.kind], found.detail].filter(Boolean).join(' · '),
  also: '',
  ...target(found, startApp),
})

/** The actions on search results that need no page to be opened first. */
export function actionsOn(found: readonly Found[], submit: (jobId: string) => void): Suggestion[] {
  const action = { kind: 'action', under: 'Action', also: '' } as const
  return found.flatMap(({ kind, id, name, detail }): Suggestion[] => {
    if (kind === 'job')
      return [{ ...action, key: `submit ${id}`, label: `Submit ${name}`, also: 'run', run: () => submit(id) }]
    if (kind !== 'cluster' || detail !== 'available') return []
    return [
      { ...action, key: `terminal ${id}`, label: `Terminal on ${name}`, to: paths.cluster(id, 'terminal') },
      {
        ...action,
        key: `files ${id}`,
        label: `Files on ${name}`,
        to: paths.files(),
        search: { area: id },
      },
    ]
  })
}

/** "Submit hello" searches for hello. Null if the text does not begin with a verb. */
export function withoutVerb(text: string): string | null {
  const [, verb = '', rest = ''] = /^\s*(\S+)\s+(?:on\s+)?(.*\S)\s*$/.exec(text) ?? []
  const isVerb = ['submit', 'run', 'start', 'open', 'terminal', 'files'].some((one) =>
    one.startsWith(verb.toLowerCase()),
  )
  return verb.length >= 3 && isVerb ? rest : null
}
