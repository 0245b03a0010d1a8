import { isParticipant } from '@flotilla/contract/access'
import { clusters as calls } from '@flotilla/contract/clusters/clusters'
import { lifecycle as lifecycleCalls } from '@flotilla/contract/clusters/lifecycle'
import { messages } from '@flotilla/contract/messages'
import type { Bind } from '../../http/bind'
import type { Snapshots } from '../snapshots/snapshots'
import type { Acceptances } from './connection/acceptance'
import type { Clusters } from './clusters'
import type { HostKeyRules } from './head-node/host-keys'
import type { LdapSharing } from './sharing/ldap-sharing'
import type { Lifecycle } from './lifecycle'
import type { Operations } from './operations'
import type { OwnConnections } from './connection/own-connections'
import { queueViewer } from './views/own-jobs'
import type { OwnTest } from './head-node/own-test'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

type Parts = {
  clusters: Clusters
  lifecycle: Lifecycle
  operations: Operations
  snapshots: Snapshots
  hostKeys: HostKeyRules
  acceptances: Acceptances
  ldapSharing: LdapSharing
  testOwn: OwnTest
  own: Pick<OwnConnections, 'looked'>
}

export function bindClusters(bind: Bind, parts: Parts): void {
  const { clusters, lifecycle, operations, snapshots, hostKeys, acceptances, ldapSharing, testOwn, own } =
    parts

  bind(calls.list, async ({ query }, me, context) => {
    const { items, next } = await clusters.list(me, query)
    context.nextCursor(next)
    return items
  })
  // Participants see only the cluster of their seat.
  bind(calls.participant, async ({ query }, me, context) => {
    if (!isParticipant(me)) return []
    const { items, next } = await clusters.list(me, query)
    context.nextCursor(next)
    return items
  })
  bind(calls.names, (_input, me) => clusters.names(me))
  bind(calls.loads, async ({ query }, me) =>
    snapshots.loads(await clusters.visibleIds(me), query.since ?? Date.now() - HOUR_MS, query.clusters),
  )
  bind(calls.view, ({ id }, me) => clusters.view(me, id))
  bind(calls.queue, async ({ id, query }, me) => {
    const cluster = await clusters.find(me, id)
    await own.looked(me, cluster)
    return snapshots.queue(id, query, queueViewer(me, cluster))
  })
  bind(calls.nodes, async ({ id, query }, me) => {
    await clusters.find(me, id)
    return snapshots.nodes(id, query)
  })
  bind(calls.node, ({ cluster, node }, me) => operations.node(me, cluster, node))
  bind(calls.load, async ({ id, query }, me) => {
    await clusters.find(me, id)
    return snapshots.load(id, query.since ?? Date.now() - DAY_MS)
  })
  bind(calls.activities, async ({ id, query }, me, context) => {
    const { items, next } = await clusters.activities(me, id, query)
    context.nextCursor(next)
    return items
  })
  bind(calls.logs, ({ id, type, query }, me) => clusters.logs(me, id, type, query.after, query.search))
  bind(calls.createLocal, ({ body }, me, context) => clusters.create(me, body, context))
  bind(calls.updateLocal, ({ body }, me, context) => clusters.update(me, body, context))
  bind(calls.collaborators, async ({ body }, me, context) => ({
    cluster: await clusters.setCollaborators(me, body.id, body.collaborators, context),
  }))
  bind(calls.places, async ({ body }, me, context) => ({
    cluster: await clusters.setPlaces(me, body.id, body.places, context),
  }))
  bind(calls.addLdapCollaborators, async ({ body }, me, context) => ({
    cluster: await ldapSharing.add(me, body.id, body.collaborators, context),
  }))
  bind(calls.removeLdapCollaborators, async ({ body }, me, context) => ({
    cluster: await ldapSharing.remove(me, body.id, body.collaborators, context),
  }))
  bind(calls.accept, async ({ id, body }, me, context) => {
    await acceptances.decide(me, id, body, context)
    return { accepted: body.accept }
  })
  bind(calls.remove, async ({ id }, me, context) => {
    await clusters.remove(me, id, context)
    return { id }
  })
  bind(calls.deploy, async ({ body: { id, onlyplan = false } }, me, context) => ({
    cluster: await lifecycle.deploy(me, id, onlyplan, context),
  }))
  bind(calls.stop, async ({ body }, me, context) => ({ cluster: await lifecycle.stop(me, body.id, context) }))
  bind(calls.start, async ({ body }, me, context) => ({
    cluster: await lifecycle.start(me, body.id, context),
  }))
  bind(calls.destroy, async ({ body: { id, resetingState: force = false, keepDisks } }, me, context) => ({
    cluster: await lifecycle.destroy(me, id, { force, keepDisks }, context),
  }))
  bind(lifecycleCalls.cancel, async ({ body }, me, context) => ({
    cluster: await lifecycle.cancel(me, body.id, context),
  }))
  bind(calls.test, async ({ body, beside }, me, context) =>
    operations.test(me, await clusters.toTest(me, { ...beside, cluster: body }, context)),
  )
  bind(calls.testOwn, ({ id }, me) => testOwn(me, id))
  bind(calls.hostKey, ({ id }, me, context) => hostKeys.compare(me, id, context))
  bind(calls.acceptHostKey, async ({ id, body }, me, context) => ({
    cluster: await hostKeys.accept(me, id, body.fingerprint, context),
  }))
  bind(calls.drain, async ({ id, body }, me, context) => {
    const failed = await operations.drain(me, id, body.nodes, body.reason, context)
    return { message: 'The nodes no longer accept new jobs', failed }
  })
  bind(calls.resume, async ({ id, body }, me, context) => {
    const failed = await operations.resume(me, id, body.nodes, context)
    return { message: 'The nodes accept jobs again', failed }
  })
  bind(calls.operateJobs, async ({ id, operation, body }, me, context) => {
    return { message: 'Done', failed: await operations.jobs(me, id, operation, body.jobs, context) }
  })
  bind(calls.downloadSshKey, ({ id }, me, context) => clusters.privateKey(me, id, context))
  bind(calls.uploadSshKey, async ({ id, body }, me, context) => {
    await operations.uploadKey(me, id, body.sshKey, body.targetUsername, context)
    return { message: messages.sshKeyUploaded }
  })
}
