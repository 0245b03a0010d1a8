import { isParticipant } from '@flotilla/contract/access'
import { countText } from '@flotilla/contract/count-text'
import type { DiagnosisStep } from '@flotilla/contract/clusters/entity'
import type * as z from 'zod/mini'
import { explain } from '../../../explain'
import type { Caller } from '../../../http/caller'
import { diagnose } from '../../../transports/diagnose'
import type { ClusterAccess } from '../access'
import { query } from '../commands/query'
import type { Connections } from '../connection/connections'
import type { HeadNodePolicy } from '../connection/head-node-policy'
import { connectionSettings } from '../connection/settings'
import type { StoredCluster } from '../stored-cluster'

type Step = z.output<typeof DiagnosisStep>
type Options = {
  access: Pick<ClusterAccess, 'requireAccount' | 'forPerson'>
  connections: Pick<Connections, 'personTarget'>
  headNodePolicy: Pick<HeadNodePolicy, 'count'>
  keyOf(userId: string, username: string): Promise<string>
}

/** Steps that come before anything is done as the account. */
const logins = new Set(['resolve host', 'connect', 'start SSH', 'check host key', 'log in', 'run command'])

export type OwnTest = ReturnType<typeof makeOwnTest>
/** Tests the connection of a person's own account to a cluster, up to the resource manager's answer. */
export function makeOwnTest({ access, connections, headNodePolicy, keyOf }: Options) {
  return async (me: Caller, id: string): Promise<Step[]> => {
    const cluster = await access.requireAccount(me, id)
    await headNodePolicy.count(me)
    const tested = await timed('connect', async () => {
      const target = await connections.personTarget(cluster, me, () => keyOf(me.id, me.username))
      // With sudo, the console logs in with the cluster's own key; otherwise with the person's.
      const byOther = target.kind === 'ssh' && connectionSettings(cluster).head?.accounts === 'sudo'
      return (await diagnose(target)).map((step) => shownTo(me, cluster, step, byOther))
    })
    if (tested.some(({ ok }) => !ok)) return tested.map((step) => withoutAddresses(me, step))
    const answered = await timed('resource manager', async () => {
      const { connection } = await access.forPerson(me, id)
      const nodes = await query(connection, connection.scheduler.nodes())
      const message = `The resource manager responded: ${countText(nodes.length, 'node')}`
      return [{ step: 'resource manager', ok: true, message, ms: 0 }]
    })
    return [...tested, ...answered].map((step) => withoutAddresses(me, step))
  }
}

/** A failure before there are steps becomes a step itself. */
async function timed(step: string, work: () => Promise<Step[]>): Promise<Step[]> {
  const began = Date.now()
  try {
    const steps = await work()
    return steps.length === 1 ? steps.map((one) => ({ ...one, ms: Date.now() - began })) : steps
  } catch (error) {
    return [{ step, ok: false, message: explain(error), ms: Date.now() - began }]
  }
}

/** Where the console logs in as the cluster's own account, only the owner sees why that fails. */
const shownTo = (me: Caller, { owner_id, owner }: StoredCluster, step: Step, byOther: boolean): Step =>
  step.ok || !byOther || owner_id === me.id || !logins.has(step.step)
    ? step
    : {
        step: step.step,
        ok: false,
        message: `The console cannot log in there. Ask ${owner}, the owner.`,
        ms: step.ms,
      }

/** Participants see no addresses and no keys of a cluster. */
const withoutAddresses = (me: Caller, step: Step): Step =>
  isParticipant(me)
    ? {
        step: step.step,
        ok: step.ok,
        message: step.ok ? '' : 'This step failed. Ask your instructor.',
        ms: step.ms,
      }
    : step
