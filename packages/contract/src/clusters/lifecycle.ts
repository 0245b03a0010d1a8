import * as z from 'zod/mini'
import { BurstMode, CloudClusterInput, CloudResource, Disk, Plan } from './cloud'
import { Cluster } from './entity'
import { QuotaRow } from './quota'
import { get, post, put } from '../endpoint'
import { Id } from '../lists'
import { Price } from '../clouds/providers'

const Changed = z.object({ cluster: Cluster })
const NodeNames = z
  .array(z.string().check(z.minLength(1), z.maxLength(64)))
  .check(z.minLength(1, 'Choose at least one node'), z.maxLength(1000))

const chosen = {
  instance_id: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(128))),
  ocpus: z.optional(z.number().check(z.int(), z.minimum(0), z.maximum(1024))),
  mem: z.optional(z.number().check(z.int(), z.minimum(0), z.maximum(16_384))),
}
/** Groups are identified by their index in the cluster, from 0. */
export const Resize = z.object({
  server: z.optional(z.object(chosen)),
  groups: z.optional(
    z
      .array(
        z.object({
          group: z.number().check(z.int(), z.minimum(0), z.maximum(19)),
          count: z.optional(z.number().check(z.int(), z.minimum(0), z.maximum(1000))),
          ...chosen,
        }),
      )
      .check(z.maxLength(20)),
  ),
})
export type Resize = z.infer<typeof Resize>

/** Actions on cloud clusters only; clusters.ts has those of all clusters. */
export const lifecycle = {
  plan: get('/api/clusters/:id/plan', {
    summary: 'Get the last plan, or null if there is none',
    access: 'member',
    reply: z.nullable(Plan),
  }),
  quota: get('/api/clusters/:id/quota', {
    summary: 'Compare what deploying a cluster would need with the quotas of its cloud account',
    access: 'user',
    reply: z.array(QuotaRow),
    adminScope: true,
  }),
  price: post('/api/clusters/price', {
    summary: 'Estimate the cost of a cluster with all nodes up',
    access: 'user',
    wrapper: 'cluster',
    body: CloudClusterInput,
    reply: Price,
    failure: 'caller',
  }),
  resources: get('/api/clusters/:id/resources', {
    summary: 'List the cloud resources of a cluster',
    access: 'member',
    reply: z.array(CloudResource),
  }),
  acceptTerms: post('/api/clusters/acceptTerms', {
    summary: 'Accept the terms of its marketplace images on behalf of the cloud account',
    access: 'user',
    body: z.object({ id: Id }),
    reply: z.object({ accepted: z.array(z.string()) }),
    adminScope: true,
  }),
  cancel: post('/api/clusters/cancel', {
    summary: 'Cancel the current run gracefully. Resources that exist stay until they are destroyed',
    access: 'user',
    body: z.object({ id: Id }),
    reply: Changed,
    adminScope: true,
  }),
  deployNode: post('/api/clusters/deployNode', {
    summary: 'Deploy nodes',
    access: 'user',
    body: z.object({ cluster: Id, nodes: NodeNames }),
    reply: Changed,
    adminScope: true,
  }),
  destroyNode: post('/api/clusters/destroyNode', {
    summary: 'Destroy nodes. Jobs running on them end',
    access: 'user',
    body: z.object({ cluster: Id, nodes: NodeNames }),
    reply: Changed,
    adminScope: true,
  }),
  addDisk: post('/api/clusters/add-disk', {
    summary: 'Add disks to the head node',
    access: 'user',
    body: z.object({
      id: Id,
      disks: z.array(Disk).check(z.minLength(1, 'Add at least one disk'), z.maxLength(20)),
    }),
    reply: Changed,
    failure: 'form',
    adminScope: true,
  }),
  resize: post('/api/clusters/resize', {
    summary: 'Resize the head node or node groups, or change the number of nodes',
    access: 'user',
    body: z.object({ id: Id, size: Resize }),
    reply: Changed,
    failure: 'form',
    adminScope: true,
  }),
  burstMode: put('/api/clusters/burst/mode', {
    summary: 'Set the burst mode',
    access: 'user',
    body: z.object({ clusterId: Id, mode: BurstMode }),
    reply: Changed,
    failure: 'caller',
    adminScope: true,
  }),
  setOpenvpn: post('/api/clusters/openvpn', {
    summary: 'Turn the VPN of the head node on or off',
    access: 'user',
    body: z.object({ cluster: Id, openvpn: z.boolean() }),
    reply: Changed,
    adminScope: true,
  }),
  openvpnProfile: get('/api/clusters/openvpn/:id', {
    summary: 'Download your OpenVPN client profile',
    access: 'member',
    tokens: 'never',
    // The profile contains a private key.
    confirm: true,
    reply: { file: 'application/x-openvpn-profile' },
  }),
  manageFsr: post('/api/clusters/managefsr', {
    summary: 'Turn fast snapshot restore for the cluster’s image on or off (AWS)',
    access: 'user',
    body: z.object({ id: Id, action: z.enum(['enable', 'disable']) }),
    reply: Changed,
    adminScope: true,
  }),
}
