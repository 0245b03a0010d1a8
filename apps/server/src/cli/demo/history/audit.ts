import type { AuditAction } from '@flotilla/contract/people/audit'
import { type ActivityInput, subjectOf, unsignedLineOf } from '../../../modules/activities/activities'
import { commandSource } from '../../../modules/activities/open'
import { signed } from '../../../modules/activities/records'
import * as activities from '../../../modules/activities/store'
import type { Database } from '../../../db/database'
import type { Secrets } from '../../../secrets/secrets'
import { clusters, credentials } from '../clusters/clusters'
import { people } from '../people'
import { makeRandom } from '../random'
import * as store from '../store'
import { HISTORY_DAYS } from './subject'
import { DAY_MS, daysAgo, HOUR_MS, MINUTE_MS } from '../time'

/** A query has at most 65,535 values. */
const AT_ONCE = 1000

type Line = { at: Date; actor: string | null; activity: ActivityInput }
const line = <Action extends AuditAction>(
  at: Date,
  actor: string | null,
  action: Action,
  subject: ActivityInput<Action>['subject'],
  more: Pick<ActivityInput, 'detail' | 'clusterId'> = {},
): Line => ({ at, actor, activity: { action, subject, ...more } })

/** The logins of each day, and the jobs that were submitted. */
function daily(now: number, past: store.PastSubmission[], ids: Map<string, string>): Line[] {
  const random = makeRandom(4)
  const person = (username: string) => subjectOf('user', { id: ids.get(username) ?? '', username })
  const lines: Line[] = []
  for (let day = HISTORY_DAYS; day > 0; day--)
    for (const { username } of people) {
      const at = daysAgo(now, day).getTime()
      const isWeekend = [0, 6].includes(new Date(at).getUTCDay())
      if (!random.chance(isWeekend ? 0.08 : 0.45)) continue
      const login = at - (at % DAY_MS) + random.between(7.5, 17) * HOUR_MS
      if (random.chance(0.06))
        lines.push(line(new Date(login - MINUTE_MS), null, 'login failed', person(username)))
      lines.push(line(new Date(login), username, 'logged in', person(username)))
    }
  for (const { submitted_at, submitted_by, job_id, job_name, cluster_id, cluster_name } of past)
    lines.push(
      line(
        submitted_at,
        submitted_by,
        'job submitted',
        { kind: 'job', id: job_id, name: job_name },
        { detail: cluster_name, ...(cluster_id !== null && { clusterId: cluster_id }) },
      ),
    )
  return lines
}

/** The actions with which the site was set up. */
function administration(now: number, ids: Map<string, string>, clusterIds: Map<string, string>): Line[] {
  const settings = (name: string, id: string) => ({ kind: 'settings' as const, id, name })
  const at = (days: number) => daysAgo(now, days)
  return [
    ...people
      .filter(({ since, username }) => since < HISTORY_DAYS + 5 && username !== 'marcus')
      .map(({ username, since }) =>
        line(
          at(since),
          'grace',
          'user created',
          subjectOf('user', { id: ids.get(username) ?? '', username }),
        ),
      ),
    ...credentials.map(({ name }, index) =>
      line(at(58 - index), 'grace', 'edited', { kind: 'credential' as const, id: null, name }),
    ),
    ...clusters.flatMap(({ name, owner }, index) => {
      const id = clusterIds.get(name) ?? null
      const subject = { kind: 'cluster' as const, id, name }
      return [
        line(at(52 - index), owner, 'addDisk started', subject),
        line(at(52 - index - 0.002), owner, 'addDisk done', subject),
        line(at(30 - index), owner, 'collaborators changed', subject),
      ]
    }),
    line(at(20), 'tomasz', 'changed', settings('local cluster prices', 'local-prices'), {
      detail: 'core: 0.05 USD per hour, GPU: 0.9 USD per hour',
    }),
    line(at(14), 'grace', 'changed', settings('security settings', 'security'), {
      detail: 'selfRegisteredAccess: after-approval',
    }),
    line(
      at(9),
      'maria',
      'access token created',
      subjectOf('user', { id: ids.get('maria') ?? '', username: 'maria' }),
    ),
    line(
      at(1),
      'marcus',
      'registered',
      subjectOf('user', { id: ids.get('marcus') ?? '', username: 'marcus' }),
    ),
  ]
}

/** Writes sixty days of the audit trail, signed with the server's key like every record; the next sweep chains them. */
export async function seedAudit(
  db: Database,
  secrets: Secrets,
  clusterIds: Map<string, string>,
  now: number,
): Promise<void> {
  if (await store.hasActivities(db.kysely, daysAgo(now, 1))) return
  await db.transaction(async (tx) => {
    const source = await commandSource(tx, secrets)
    const ids = await store.userIds(tx)
    const past = await store.pastSubmissions(tx)
    const lines = [...daily(now, past, ids), ...administration(now, ids, clusterIds)]
    const rows = lines
      .toSorted((a, b) => a.at.getTime() - b.at.getTime())
      .map(({ at, actor, activity }) => {
        const who = actor === null ? null : { id: ids.get(actor) ?? '', username: actor }
        return signed({ ...unsignedLineOf(who, source, activity), time: at }, source.sign)
      })
    for (let from = 0; from < rows.length; from += AT_ONCE)
      await activities.insert(tx, rows.slice(from, from + AT_ONCE))
  })
}
