import * as z from 'zod/mini'
import { Cluster, ClusterActivity, DiagnosisStep, HostKeys, LoadAverage, LogLine } from './entity'
import { AcceptanceInput } from './acceptance'
import { CloudClusterInput, CloudClusterUpdate, PackageName } from './cloud'
import { Account, LocalClusterInput, LocalClusterUpdate, Places, text } from './inputs'
import { ClusterNode, NodeDetail, QueuedJob, table, TableQuery } from './tables'
import { del, get, post, put } from '../endpoint'
import { LdapEntryRef } from '../ldap-entry'
import { LDAP_COLLABORATORS_AT_ONCE } from '../limits'
import { Done, Id, Page, Removed } from '../lists'

const ById = z.object({ id: Id })
const Changed = z.object({ cluster: Cluster })
const LdapShare = z.object({
  id: Id,
  collaborators: z
    .array(LdapEntryRef)
    .check(z.minLength(1, 'Choose at least one'), z.maxLength(LDAP_COLLABORATORS_AT_ONCE)),
})
const Names = z
  .array(z.string().check(z.minLength(1), z.maxLength(128)))
  .check(z.minLength(1, 'Choose at least one'), z.maxLength(1000))

/** `failed` has the items for which it failed, with the reason. If all fail, the call fails. */
const DoneForSome = z.extend(Done, {
  failed: z.array(z.object({ name: z.string(), reason: z.string() })),
})

export const clusters = {
  list: get('/api/clusters/', {
    summary: 'List the clusters you can see, newest first',
    access: 'loggedIn',
    query: Page,
    reply: z.array(Cluster),
  }),
  participant: get('/api/clusters/participant', {
    summary: 'List the clusters of your seat as a workshop participant',
    access: 'loggedIn',
    query: Page,
    reply: z.array(Cluster),
  }),
  names: get('/api/clusters/names', {
    summary: 'List the ids and names of the clusters you can see',
    access: 'member',
    reply: z.array(z.object({ id: Id, name: z.string() })),
  }),
  loads: get('/api/clusters/loadavg', {
    summary: 'Get the load over time of the clusters you can see: the busiest ones now',
    access: 'member',
    query: z.object({
      since: z.optional(z.coerce.number()),
      clusters: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(500)), 50),
    }),
    reply: z.array(LoadAverage),
  }),
  view: get('/api/clusters/:id', { summary: 'Get a cluster', access: 'loggedIn', reply: Cluster }),
  queue: get('/api/clusters/:id/queue', {
    summary: 'List the jobs in a cluster’s queue',
    access: 'loggedIn',
    query: TableQuery,
    reply: table(QueuedJob),
  }),
  nodes: get('/api/clusters/:id/nodes', {
    summary: 'List the nodes of a cluster',
    access: 'loggedIn',
    query: TableQuery,
    reply: table(ClusterNode),
  }),
  node: get('/api/clusters/node/:cluster/:node', {
    summary: 'Get a node and the jobs running on it',
    access: 'loggedIn',
    reply: NodeDetail,
  }),
  load: get('/api/clusters/:id/load', {
    summary: 'Get the load of a cluster over time',
    access: 'loggedIn',
    query: z.object({ since: z.optional(z.coerce.number()) }),
    reply: z.array(LoadAverage),
  }),
  activities: get('/api/clusters/activities/:id', {
    summary: 'List the activities of a cluster, newest first',
    access: 'loggedIn',
    query: Page,
    reply: z.array(ClusterActivity),
  }),
  logs: get('/api/clusters/logs/:id/:type', {
    summary: 'Get the log of one type of action. With `after`, only later lines',
    access: 'loggedIn',
    query: z.object({
      after: z._default(z.coerce.number(), 0),
      search: z.optional(z.string().check(z.maxLength(200))),
    }),
    reply: z.array(LogLine),
  }),
  create: post('/api/clusters/', {
    summary: 'Create a cloud cluster. Nothing is started in the cloud yet',
    access: 'user',
    wrapper: 'cluster',
    body: CloudClusterInput,
    reply: Cluster,
    status: 201,
    failure: 'form',
    adminScope: true,
  }),
  createLocal: post('/api/clusters/local', {
    summary: 'Create a cluster from existing machines',
    access: 'user',
    wrapper: 'cluster',
    body: LocalClusterInput,
    reply: Cluster,
    status: 201,
    failure: 'form',
    adminScope: true,
  }),
  update: put('/api/clusters/', {
    summary: 'Update a cloud cluster. A deployed cluster changes when you apply the changes',
    access: 'user',
    wrapper: 'cluster',
    body: CloudClusterUpdate,
    beside: z.object({
      /** Packages to remove from its machines. */
      deletedPkgs: z._default(z.array(PackageName).check(z.maxLength(200)), []),
    }),
    reply: Cluster,
    failure: 'form',
    adminScope: true,
  }),
  updateLocal: put('/api/clusters/local', {
    summary: 'Update a local cluster',
    access: 'user',
    wrapper: 'cluster',
    body: LocalClusterUpdate,
    reply: Cluster,
    failure: 'form',
    adminScope: true,
  }),
  collaborators: put('/api/clusters/collaborators', {
    summary: 'Set who else can use a cluster',
    access: 'user',
    body: z.object({ id: Id, collaborators: z.array(z.string()).check(z.maxLength(500)) }),
    reply: Changed,
    failure: 'form',
    adminScope: true,
  }),
  places: put('/api/clusters/places', {
    summary: 'Set which folders the File Manager offers in addition to the home folder',
    access: 'user',
    body: z.object({ id: Id, places: Places }),
    reply: Changed,
    failure: 'form',
    adminScope: true,
  }),
  addLdapCollaborators: put('/api/clusters/ldap-collaborators/add', {
    summary: 'Share a cluster with LDAP people and groups',
    access: 'user',
    body: LdapShare,
    reply: Changed,
    adminScope: true,
  }),
  removeLdapCollaborators: put('/api/clusters/ldap-collaborators/remove', {
    summary: 'Stop sharing it with people and groups of LDAP servers',
    access: 'user',
    body: LdapShare,
    reply: Changed,
    adminScope: true,
  }),
  accept: put('/api/clusters/:id/acceptance', {
    summary:
      'Accept or decline an attached cluster shared by a non-admin, which would be used with your account. Declining ends the sharing',
    access: 'member',
    tokens: 'never',
    body: AcceptanceInput,
    reply: z.object({ accepted: z.boolean() }),
  }),
  remove: del('/api/clusters/:id', {
    summary: 'Delete a cluster',
    access: 'user',
    reply: Removed,
    adminScope: true,
  }),
  deploy: post('/api/clusters/deploy', {
    summary:
      'Deploy or attach a cluster. With `onlyplan`, only plan it. On a deployed cluster, apply its saved changes',
    access: 'user',
    body: z.object({ id: Id, onlyplan: z.optional(z.boolean()) }),
    reply: Changed,
    adminScope: true,
  }),
  stop: post('/api/clusters/stop', {
    summary:
      'Stop a cluster. A local cluster is drained; a cloud cluster’s machines are shut down and their jobs end',
    access: 'user',
    body: ById,
    reply: Changed,
    adminScope: true,
  }),
  start: post('/api/clusters/start', {
    summary: 'Start a stopped cluster',
    access: 'user',
    body: ById,
    reply: Changed,
    adminScope: true,
  }),
  destroy: post('/api/clusters/destroy', {
    summary: 'Destroy a cloud cluster, or detach a local one. `resetingState` forces it',
    access: 'user',
    body: z.object({
      id: Id,
      resetingState: z.optional(z.boolean()),
      /** Disks of the head node to keep in the cloud, by name. */
      keepDisks: z._default(z.array(z.string().check(z.maxLength(32))).check(z.maxLength(20)), []),
    }),
    reply: Changed,
    adminScope: true,
  }),
  test: post('/api/clusters/test', {
    summary: 'Test the connection of a cluster step by step, saved (`id`) or not',
    access: 'user',
    wrapper: 'cluster',
    body: z.optional(LocalClusterInput),
    beside: z.object({ id: z.optional(Id) }),
    reply: z.array(DiagnosisStep),
    failure: 'form',
    adminScope: true,
  }),
  testOwn: post('/api/clusters/:id/test', {
    summary: 'Test the connection of your own account to a cluster step by step',
    access: 'user',
    reply: z.array(DiagnosisStep),
    failure: 'caller',
  }),
  hostKey: get('/api/clusters/:id/host-key', {
    summary: 'Get the host key that its head node presents now, and the trusted one',
    access: 'user',
    reply: HostKeys,
    adminScope: true,
  }),
  acceptHostKey: post('/api/clusters/:id/host-key', {
    summary:
      'Trust a new host key by its fingerprint after the head node was reinstalled. The head node must present that key',
    access: 'user',
    body: z.object({
      fingerprint: z.string().check(z.regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'Enter a key fingerprint')),
    }),
    reply: Changed,
    adminScope: true,
  }),
  drain: post('/api/clusters/:id/nodes/drain', {
    summary: 'Take nodes out of service',
    access: 'user',
    body: z.object({ nodes: Names, reason: z._default(text(200), 'drained in the console') }),
    reply: DoneForSome,
    adminScope: true,
  }),
  resume: post('/api/clusters/:id/nodes/resume', {
    summary: 'Put nodes back into service',
    access: 'user',
    body: z.object({ nodes: Names }),
    reply: DoneForSome,
    adminScope: true,
  }),
  operateJobs: post('/api/clusters/:id/queue/:operation', {
    summary:
      'Hold, release or cancel jobs in the queue. Admins can also `purge` those whose node does not respond',
    access: 'user',
    tokens: 'jobs',
    body: z.object({ jobs: Names }),
    reply: DoneForSome,
    adminScope: true,
  }),
  downloadSshKey: get('/api/clusters/downloadSSHKey/:id', {
    summary: 'Download the private key of the cluster',
    access: 'member',
    tokens: 'never',
    confirm: true,
    reply: { file: 'application/x-pem-file' },
    adminScope: true,
  }),
  uploadSshKey: post('/api/clusters/:id/upload-ssh-key', {
    summary: 'Add a public key to a user’s account on the cluster (multipart: sshKey, targetUsername)',
    access: 'user',
    // The key would still give access to the account after the token is revoked.
    tokens: 'never',
    body: z.object({
      sshKey: z.string().check(z.trim(), z.minLength(20, 'Choose a public key'), z.maxLength(20_000)),
      targetUsername: Account,
    }),
    reply: Done,
    failure: 'form',
    adminScope: true,
  }),
}
