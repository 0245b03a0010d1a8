import { chmod, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { api } from '@flotilla/contract/api'
import { writeBackup } from '../src/backup/backup'
import { testTarget } from './support/database/backup'
import { makeCloudCluster, world } from './support/console/cloud'
import { Console } from './support/console/console'

const env = { CLOUD: 'simulated', SIMULATED_CLOUD_PACE: '0' }

test('a site backed up while running is restored elsewhere with its jobs, output, sessions and clusters', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-site-'))
  await chmod(folder, 0o755)
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  const server = await Console.start({ env, dataDir: path.join(folder, 'data') })
  onTestFinished(() => server.kill())
  const machine = await server.thisMachine()
  const ada = await server.person('lovelace')
  const done = await server.submit(machine, { script: '#!/bin/sh\necho it was here' }, ada.token)
  await server.ended(done.id, ada.token)
  const { id: cluster } = await makeCloudCluster(server, 'aws')
  await server.act(cluster, 'deploy')
  await server.available(cluster)
  const body = { name: 'script', scope: 'read' as const, days: 1 }
  const { secret } = await server.must(api.accessTokens.create, { body }, { token: ada.token })

  const file = path.join(folder, 'site.backup')
  await writeBackup({
    file,
    databaseUrl: server.databaseUrl,
    dataDir: server.dataDir,
    masterKeyFile: path.join(server.dataDir, 'master.key'),
    passphrase: undefined,
    now: Date.now,
  })
  // An account created after the backup is not in it.
  await server.person('latecomer')
  await server.kill('SIGTERM')

  const target = await testTarget()
  await target.restore(file)
  const restored = await Console.start({ env, dataDir: target.dataDir, databaseUrl: target.databaseUrl })
  onTestFinished(() => restored.kill('SIGTERM'))
  expect(await restored.output(done, 'output.txt', ada.token)).toContain('it was here')
  expect(await restored.must(api.jobs.list, {}, { token: secret })).toHaveLength(1)
  const people = await restored.must(api.users.list, {}, { token: server.admin })
  expect(people.map(({ username }) => username).toSorted()).toEqual(['admin', 'lovelace'])
  const again = await restored.submit(machine, { script: '#!/bin/sh\necho and again' }, ada.token)
  await restored.ended(again.id, ada.token)
  expect(await restored.output(again, 'output.txt', ada.token)).toContain('and again')

  expect((await restored.cluster(cluster)).info.state).toBe('available')
  expect((await world(restored, 'aws')).length).toBeGreaterThan(3)
  await restored.act(cluster, 'destroy')
  expect((await restored.settled(cluster)).info.state).toBe('destroyed')
  expect(await world(restored, 'aws')).toEqual([])
})
