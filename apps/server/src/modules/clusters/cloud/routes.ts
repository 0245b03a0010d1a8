import { clusters } from '@flotilla/contract/clusters/clusters'
import { lifecycle as calls } from '@flotilla/contract/clusters/lifecycle'
import type { Bind } from '../../../http/bind'
import type { Vpn } from '../vpn/vpn'
import type { Cloud } from './cloud'

export function bindCloud(bind: Bind, cloud: Cloud, vpn: Vpn): void {
  bind(clusters.create, ({ body }, me, context) => cloud.create(me, body, context))
  bind(clusters.update, ({ body, beside }, me, context) =>
    cloud.update(me, body, beside.deletedPkgs, context),
  )
  bind(calls.plan, ({ id }, me) => cloud.plan(me, id))
  bind(calls.quota, ({ id }, me, context) => cloud.quota(me, id, context))
  bind(calls.price, ({ body }) => cloud.price(body))
  bind(calls.resources, ({ id }, me) => cloud.resources(me, id))
  bind(calls.acceptTerms, ({ body }, me, context) => cloud.acceptTerms(me, body.id, context))
  bind(calls.deployNode, async ({ body }, me, context) => ({
    cluster: await cloud.setNodes(me, body.cluster, body.nodes, true, context),
  }))
  bind(calls.destroyNode, async ({ body }, me, context) => ({
    cluster: await cloud.setNodes(me, body.cluster, body.nodes, false, context),
  }))
  bind(calls.addDisk, async ({ body }, me, context) => ({
    cluster: await cloud.addDisks(me, body.id, body.disks, context),
  }))
  bind(calls.resize, async ({ body }, me, context) => ({
    cluster: await cloud.resize(me, body.id, body.size, context),
  }))
  bind(calls.burstMode, async ({ body }, me, context) => ({
    cluster: await cloud.setBurstMode(me, body.clusterId, body.mode, context),
  }))
  bind(calls.setOpenvpn, async ({ body }, me, context) => ({
    cluster: await cloud.setOpenvpn(me, body.cluster, body.openvpn, context),
  }))
  bind(calls.openvpnProfile, ({ id }, me, context) => vpn.profile(me, id, context))
  bind(calls.manageFsr, async ({ body }, me, context) => ({
    cluster: await cloud.manageFsr(me, body.id, body.action === 'enable', context),
  }))
}
