import { isAdmin, mayAccess } from '@flotilla/contract/access'
import type { Access } from '@flotilla/contract/access'
import type { ServedConfig } from '@flotilla/contract/site/config'
import type { User } from '@flotilla/contract/people/users'
import {
  AppWindow,
  BookOpen,
  ChartColumn,
  FolderOpen,
  GraduationCap,
  KeyRound,
  Layers,
  LayoutDashboard,
  ListChecks,
  Server,
  Settings,
} from 'lucide-react'
import { paths } from '../../paths'
import { pageRoles, type RoleHolder } from '../../session/page-roles'
import type { Icon } from '../../ui/status/icon'

export type NavItem = {
  to: string
  label: string
  icon: Icon
  /** What requires the user's attention there, if anything. */
  notice?: { count: number; text: string }
}
export type NavGroup = {
  heading: string | null
  items: NavItem[]
  /** Rendered below the previous group. */ nested?: true
}

type Row = NavItem & { access: Access }

const groups = (trainingTitle: string): { heading: string | null; rows: Row[]; nested?: true }[] => [
  {
    heading: null,
    rows: [{ to: paths.dashboard(), label: 'Dashboard', icon: LayoutDashboard, access: 'admin' }],
  },
  {
    heading: 'Compute',
    rows: [
      { to: paths.credentials(), label: 'Credentials Manager', icon: KeyRound, access: 'admin' },
      { to: paths.stacks(), label: 'Stack Manager', icon: Layers, access: 'instructor' },
      { to: paths.clusters(), label: 'Cluster Manager', icon: Server, access: 'userOrParticipant' },
    ],
  },
  {
    heading: 'Workloads',
    nested: true,
    rows: [
      { to: paths.jobs(), label: 'Job Manager', icon: ListChecks, access: 'user' },
      { to: paths.files(), label: 'File Manager', icon: FolderOpen, access: 'user' },
    ],
  },
  {
    heading: 'Education',
    rows: [
      { to: paths.trainings(), label: trainingTitle, icon: GraduationCap, access: 'instructorOrParticipant' },
    ],
  },
  {
    heading: 'Content Library',
    rows: [
      { to: paths.apps(), label: 'Apps', icon: AppWindow, access: 'instructor' },
      { to: paths.courses(), label: 'Courses', icon: BookOpen, access: 'instructor' },
    ],
  },
  {
    heading: 'Administration',
    rows: [
      { to: paths.account(), label: 'Accounting', icon: ChartColumn, access: 'admin' },
      { to: paths.settings(), label: 'Settings', icon: Settings, access: 'admin' },
    ],
  },
]

/** The user's navigation. The server says whether there are workshops for them. */
export function navGroups(user: RoleHolder, config: ServedConfig, trainingsAllowed: boolean): NavGroup[] {
  return groups(config.trainingMenuTitle)
    .map(({ rows, ...group }) => ({
      ...group,
      items: rows.filter(
        ({ to, access }) =>
          mayAccess(access, pageRoles(user)) && (to !== paths.trainings() || trainingsAllowed),
      ),
    }))
    .filter(({ items }) => items.length > 0)
}

/** Where the Settings item of the user menu leads; participants have none. */
export function settingsPath({ role }: Pick<User, 'role'>): string | null {
  if (isAdmin({ role })) return paths.settings()
  return mayAccess('member', role) ? paths.settingsUser() : null
}
