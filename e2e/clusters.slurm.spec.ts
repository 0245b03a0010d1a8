import { api } from '@flotilla/contract/api'
import { startSlurm, type TestSlurm } from '../apps/server/test/support/schedulers/slurm'
import { SOAK, expect, test } from './support/fixtures'
import { adminToken, call, openLive } from './support/people'
import { startServer, type Server } from './support/server'

// Slurm itself takes up to 48 s to mark a dead node as down.
let slurm: TestSlurm
let server: Server
test.beforeAll(async () => {
  slurm = await startSlurm({ nodes: 2, cpus: 2 })
  server = await startServer()
})
test.afterAll(async () => {
  await server.stop()
  await slurm.stop()
})

test('a node that dies during a job is shown as down without a reload', { tag: SOAK }, async ({ page }) => {
  const token = await adminToken(server)
  const data = { manager: 'slurm', transport: 'local', slurmConf: slurm.env.SLURM_CONF } as const
  const cluster = await call(server, api.clusters.createLocal, { body: { name: 'Real Slurm', data } }, token)
  await call(server, api.clusters.deploy, { body: { id: cluster.id } }, token)
  const script = '#!/bin/bash\necho "on $SLURMD_NODENAME"\nsleep 600\n'
  const job = await call(
    server,
    api.jobs.create,
    { body: { name: 'victim', data: { script, cores: 2 } } },
    token,
  )

  await openLive(page, server, server.admin, `/clusters/${cluster.id}/nodes`)
  const row = (name: string) =>
    page.getByRole('table', { name: 'Nodes' }).getByRole('row', { name: `${name} ` })
  for (const name of ['n1', 'n2']) await expect(row(name)).toContainText('Available')

  await call(server, api.jobs.submit, { body: { id: job.id, cluster: cluster.id, runAsAdmin: true } }, token)
  await expect(row('n1')).toContainText('Busy')
  await slurm.killNode('n1')
  await expect(row('n1')).toContainText('Down', { timeout: 180_000 })
  await expect(row('n2')).not.toContainText('Down')
  await expect(page.getByText('1 node is down')).toBeVisible()
  await expect(page.getByRole('region', { name: 'At a glance' })).toContainText('1 down')

  await slurm.startNode('n1')
  await expect(row('n1')).not.toContainText('Down', { timeout: 180_000 })
  await expect(page.getByText('1 node is down')).toHaveCount(0)
})
