import * as z from 'zod/mini'
import { get, post } from '../endpoint'
import { Id } from '../lists'
import { InstanceSize, Synced } from './providers'

/** Which MAAS to use if there are several; defaults to the first one available to the caller. */
const Which = z.object({ credentialId: z.optional(Id) })

/** An image that MAAS can deploy. */
export const AcmImage = z.object({
  /** The name that clusters and stacks use: `ubuntu/jammy`, `custom/hpc`. */
  id: z.string(),
  name: z.string(),
  architecture: z.string(),
  type: z.string(),
})
export type AcmImage = z.infer<typeof AcmImage>

/** Machines that share a tag or a pool; cores and memory are those of the smallest machine. */
export const AcmShape = z.extend(InstanceSize, {
  machines: z.number(),
  /** How many of them are free. */
  ready: z.number(),
})
export type AcmShape = z.infer<typeof AcmShape>

export const AcmMachine = z.object({
  id: z.string(),
  hostname: z.string(),
  /** MAAS's own name of the status: Ready, Deployed. */
  status: z.string(),
  pool: z.string(),
  zone: z.string(),
  tags: z.array(z.string()),
  cores: z.number(),
  /** GiB. */
  memory: z.number(),
  architecture: z.string(),
  power: z.string(),
  owner: z.string(),
})
export type AcmMachine = z.infer<typeof AcmMachine>

/** Only an allocated machine can be released. */
const held = /^(Allocated|Deployed|Deploying|Failed deployment|Releasing failed|Rescue mode)$/
export const mayRelease = ({ status }: Pick<AcmMachine, 'status'>): boolean => held.test(status)

export const acm = {
  enabled: get('/api/settings/acm_enabled', {
    summary: 'Whether you can use an ACM (MAAS) credential',
    access: 'member',
    reply: z.object({ enabled: z.boolean() }),
  }),
  syncShapes: get('/api/settings/sync_acm_shapes', {
    summary: 'Query every ACM for its machines and store their shapes',
    access: 'admin',
    tokens: 'all',
    reply: Synced,
  }),
  releaseNodes: post('/api/settings/release_nodes', {
    summary: 'Release ACM machines. They are powered off and their data is lost',
    access: 'admin',
    // The specification gives the error message, so the schema accepts any value.
    body: z.object({ hostnames: z.optional(z.unknown()) }),
    reply: Synced,
    adminScope: true,
  }),
  images: get('/api/stacks/acm_images', {
    summary: 'List the images of an ACM',
    access: 'member',
    query: Which,
    reply: z.array(AcmImage),
  }),
  shapes: get('/api/stacks/acm_shapes', {
    summary: 'List the current machine shapes of an ACM',
    access: 'member',
    query: Which,
    reply: z.array(AcmShape),
  }),
  machines: get('/api/stacks/acm_machines', {
    summary: 'List the machines of an ACM',
    access: 'member',
    query: Which,
    reply: z.array(AcmMachine),
  }),
}
