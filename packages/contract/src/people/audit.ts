import * as z from 'zod/mini'

/** The runs on clusters, as they appear in actions: `deploy started`, `deploy done`, `deploy failed`. */
const clusterRuns = [
  'deploy',
  'stop',
  'start',
  'destroy',
  'forceDestroy',
  'update',
  'plan',
  'applyChanges',
  'deployNode',
  'destroyNode',
  'addDisk',
  'resize',
  'openvpn',
  'fastRestore',
] as const
type ClusterRunAction = `${(typeof clusterRuns)[number]} ${'started' | 'done' | 'failed'}`
const clusterRunActions = clusterRuns.flatMap((run): ClusterRunAction[] => [
  `${run} started`,
  `${run} done`,
  `${run} failed`,
])

/**
 * Everything that the audit trail records, by the kind of its subject. Actions are stored and exported exactly as
 * written here.
 */
const auditActions = {
  user: [
    'logged in',
    'logged out',
    'login failed',
    'registered',
    'email confirmed',
    'user created',
    'user updated',
    'user removed',
    'user invited',
    'user signed out',
    'lockout lifted',
    'user approved',
    'approval revoked',
    'password changed',
    'password reset',
    'password recovery requested',
    'password confirmation failed',
    'private key downloaded',
    'access token created',
    'access token revoked',
    'notifications changed',
    'account created from LDAP',
    'roles changed by LDAP',
    'account suspended',
  ],
  cluster: [
    'created',
    'edited',
    'deleted',
    'collaborators changed',
    'canceled',
    ...clusterRunActions,
    'private key downloaded',
    'host key accepted',
    'SSH key uploaded',
    'sharing accepted',
    'sharing declined',
    'nodes drained',
    'nodes resumed',
    'jobs cancel',
    'jobs hold',
    'jobs purge',
    'jobs release',
    'burst mode changed',
    'terms accepted',
    'burst: nodes brought up',
    'burst: nodes removed',
    'machines vanished',
    'VPN certificate issued',
    'VPN profile downloaded',
    'terminal opened',
    'desktop started',
    'desktop ended',
    'desktop watched',
    'desktop controlled',
  ],
  job: [
    'job saved',
    'job updated',
    'job deleted',
    'job submitted',
    'job submitted as admin',
    'job canceled',
    'job purged',
    'output deleted',
  ],
  app: [
    'created',
    'edited',
    'deleted',
    'app started',
    'app opened',
    'app extended',
    'app shared',
    'app ended',
  ],
  stack: [
    'created',
    'edited',
    'deleted',
    'collaborators changed',
    'build started',
    'build finalized',
    'build canceled',
    'terms accepted',
    'build done',
    'build failed',
  ],
  workshop: [
    'created',
    'edited',
    'deleted',
    'collaborators changed',
    'session code renewed',
    'participant registered',
    'participant verified',
    'desktops ended',
    'participants removed',
    'seat reset',
    'message sent',
    'session extended',
    'prepare started',
    'prepare done',
    'prepare failed',
    'ended',
    'teardown started',
    'teardown done',
    'teardown failed',
  ],
  credential: ['created', 'edited', 'deleted', 'collaborators changed', 'tested'],
  course: ['created', 'imported', 'edited', 'deleted', 'collaborators changed'],
  settings: ['changed', 'removed', 'test email sent'],
  announcement: ['posted', 'removed'],
  'LDAP server': ['created', 'edited', 'deleted'],
  backup: ['backup started', 'backup canceled', 'backed up', 'backup failed'],
  'master key': ['rotated'],
  catalog: ['synced'],
  machines: ['released'],
  leftover: ['leftover removed'],
  /** An unknown user: a name that no account has may be a password, so it is not recorded. */
  visitor: ['login failed'],
  /** A call of the API, by its route. */
  call: ['admin call refused'],
  'audit trail': ['audit trail exported', 'audit verification failed'],
} as const satisfies Record<string, readonly string[]>

export type SubjectKind = keyof typeof auditActions
export type AuditAction = (typeof auditActions)[SubjectKind][number]
/** The kinds of subjects that an action can have. */
export type SubjectKindOf<Action extends AuditAction> = {
  [Kind in SubjectKind]: Action extends (typeof auditActions)[Kind][number] ? Kind : never
}[SubjectKind]

/** Each action once, in alphabetical order. */
export const allAuditActions: readonly AuditAction[] = [
  ...new Set(Object.values(auditActions).flat()),
].toSorted((one, other) => one.localeCompare(other))

const runTexts: Partial<Record<string, string>> = {
  forceDestroy: 'force destroy',
  applyChanges: 'apply changes',
  deployNode: 'deploy nodes',
  destroyNode: 'destroy nodes',
  addDisk: 'add disks',
  openvpn: 'OpenVPN change',
  fastRestore: 'fast snapshot restore',
} satisfies Partial<Record<(typeof clusterRuns)[number], string>>
const actionTexts: Partial<Record<string, string>> = {
  'jobs cancel': 'jobs canceled',
  'jobs hold': 'jobs held',
  'jobs purge': 'jobs purged',
  'jobs release': 'jobs released',
  'user signed out': 'user logged out everywhere',
} satisfies Partial<Record<AuditAction, string>>

/** An action as it is shown: 'Deploy nodes: done'. */
export function actionText(action: string): string {
  const [run = '', outcome = ''] = action.split(' ')
  const isRun = clusterRuns.some((name) => name === run) && /^(started|done|failed)$/.test(outcome)
  const text = isRun ? `${runTexts[run] ?? run}: ${outcome}` : (actionTexts[action] ?? action)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Subjects of these kinds are shown with their kind: `user ada`. The names of the others are self-explanatory. */
const namedWithKind: readonly SubjectKind[] = [
  'user',
  'cluster',
  'job',
  'app',
  'stack',
  'course',
  'credential',
  'LDAP server',
  'workshop',
]

/**
 * The subject of an action, with its name at that time. A subject without an id is unique, such as the security
 * settings.
 */
export type AuditSubject<Kind extends SubjectKind = SubjectKind> = {
  kind: Kind
  id: string | null
  name: string
}
export const subjectText = ({ kind, name }: Pick<AuditSubject, 'kind' | 'name'>): string =>
  namedWithKind.includes(kind) ? `${kind} ${name}` : name
/** Every subject that the entered text may refer to: both `ada` and `user ada` find `user ada`. */
export const subjectTexts = (typed: string): string[] => [
  typed,
  ...namedWithKind.map((kind) => subjectText({ kind, name: typed })),
]

/** A changed field. For a secret, only the fact that it changed is recorded, not its value. */
export const AuditChange = z.union([
  /** The values are JSON. */
  z.object({ field: z.string(), before: z.unknown(), after: z.unknown() }),
  z.object({ field: z.string(), secret: z.literal(true) }),
])
export type AuditChange = z.infer<typeof AuditChange>

const valueText = (value: unknown): string =>
  value === null || value === '' ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)
/** The values as they are shown: `none`, the text itself, or JSON. */
export const changeTexts = (change: AuditChange): { before: string; after: string } =>
  'secret' in change
    ? { before: 'not recorded', after: 'changed' }
    : { before: valueText(change.before), after: valueText(change.after) }
