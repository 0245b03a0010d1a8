import { useNavigate, useParams, useRouterState, useSearch } from '@tanstack/react-router'

const part = (value: string): string => encodeURIComponent(value)

/** The path of every page. Only the route table also contains paths. */
export const paths = {
  root: () => '/',
  login: (userKey?: string) => (userKey ? `/login/${part(userKey)}` : '/login'),
  trainingLogin: () => '/training-login',
  register: () => '/register',
  verify: () => '/verify',
  landing: () => '/landing',
  recover: (token: string) => `/recoverPassword/${part(token)}`,
  profile: () => '/pages/profile',
  error404: () => '/pages/errors/error-404',
  error500: () => '/pages/errors/error-500',
  dashboard: () => '/dashboard',
  credentials: () => '/credentials',
  stacks: () => '/stacks',
  newStack: () => '/stacks/new',
  stack: (id: string) => `/stacks/${part(id)}`,
  editStack: (id: string) => `/stacks/${part(id)}/edit`,
  clusters: () => '/clusters',
  cluster: (id: string, tab?: string) => `/clusters/${part(id)}${tab ? `/${part(tab)}` : ''}`,
  desktop: (clusterId: string) => `/clusters/${part(clusterId)}/desktop`,
  jobs: () => '/jobs',
  newJob: () => '/jobs/new',
  editJob: (id: string) => `/jobs/${part(id)}/edit`,
  job: (id: string) => `/jobs/${part(id)}`,
  files: () => '/files',
  trainings: () => '/trainings',
  newTraining: () => '/trainings/new',
  training: (id: string) => `/trainings/${part(id)}`,
  editTraining: (id: string) => `/trainings/${part(id)}/edit`,
  apps: () => '/apps',
  courses: () => '/courses',
  course: (id: string, tab?: string) => `/courses/${part(id)}${tab ? `/${part(tab)}` : ''}`,
  settings: (tab?: string) => (tab ? `/settings/${part(tab)}` : '/settings'),
  settingsUser: (tab?: string) => (tab ? `/settings_user/${part(tab)}` : '/settings_user'),
  generalSettings: () => '/general_settings',
  account: () => '/account',
  accountOf: (id: string) => `/account/${part(id)}`,
  accountJobs: (userAccount: string) => `/account-job/${part(userAccount)}`,
  accountCluster: (id: string) => `/account-cluster/${part(id)}`,
}

export function usePathParam(name: string): string | undefined {
  const params: Record<string, unknown> = useParams({ strict: false })
  return text(params[name])
}

export function useSearchParam(name: string): string | undefined {
  const search: Record<string, unknown> = useSearch({ strict: false })
  return text(search[name])
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export const useIsTrainingLogin = (): boolean =>
  useRouterState({ select: ({ location }) => location.pathname === paths.trainingLogin() })

export function useGo(): (path: string, search?: Record<string, string>) => void {
  const navigate = useNavigate()
  return (to, search = {}) => void navigate({ to, search })
}

/** Changes some search parameters and keeps the others; `undefined` removes one. */
export function useSetSearch(): (
  changes: Record<string, string | undefined>,
  options?: { replace?: boolean },
) => void {
  const navigate = useNavigate()
  return (changes, { replace = true } = {}) =>
    void navigate({ to: '.', search: (now: object) => ({ ...now, ...changes }), replace, resetScroll: false })
}
