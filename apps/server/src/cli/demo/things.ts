import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@flotilla/client/client'
import { api } from '@flotilla/contract/api'
import type { Endpoint, Reply, Sent } from '@flotilla/contract/endpoint'

/** Keys of no one's: the simulated clouds take everything. */
const keys = {
  aws: { access_key: 'AKIADEMO', secret_key: 'of the demo' },
  azure: { subscription_id: 'demo', client_id: 'demo', tenant_id: 'demo', client_secret: 'of the demo' },
}

const analysis = (name: string, script: string, seconds: number) => ({
  name,
  data: { script: `#!/bin/sh\n${script}\nsleep ${seconds}\necho done\n` },
})

type CloudData = NonNullable<Sent<typeof api.clusters.create>['body']['data']>

/**
 * Credentials, an image, clusters in simulated clouds and some jobs, so that there is something to explore. Created
 * once, while the demo is already running.
 */
export async function seedThings(url: string, password: string): Promise<void> {
  const server = connect(url)
  const { token } = await server.call(api.auth.login, { body: { username: 'grace', password } })
  const call = <E extends Endpoint>(endpoint: E, input: Sent<E>): Promise<Reply<E>> =>
    server.call(endpoint, input, { token })
  if ((await call(api.credentials.list, {})).length > 0) return
  const credential = (name: string, provider: keyof typeof keys) =>
    call(api.credentials.create, {
      body: { name, provider, data: keys[provider], collaborators: ['maria'] },
    })
  const aws = await credential('Research account', 'aws')
  const azure = await credential('Teaching subscription', 'azure')

  const stack = await call(api.stacks.create, {
    body: {
      name: 'Course image',
      provider: 'aws',
      credential_id: aws.id,
      data: {
        manager: 'slurm',
        region_id: 'eu-west-1',
        instance_id: 't3.large',
        source_os_type: 'ubuntu-22.04',
      },
    },
  })
  await call(api.stacks.build, { body: { id: stack.id } })

  const cluster = (name: string, provider: keyof typeof keys, data: CloudData) =>
    call(api.clusters.create, {
      body: {
        name,
        provider,
        credential_id: provider === 'aws' ? aws.id : azure.id,
        info: { 'os-type': 'ubuntu-22.04' },
        forEveryone: true,
        data: { manager: 'slurm', ...data },
      },
    })
  const aurora = await cluster('Aurora', 'aws', {
    network: { region_id: 'eu-west-1', zone_id: 'eu-west-1a' },
    server: { instance_id: 't3.large' },
    node: { group: [{ count: 4, instance_id: 'c5.xlarge' }] },
    disks: [{ name: 'data', size: 500 }],
  })
  await cluster('Teaching lab', 'azure', {
    network: { region_id: 'eastus' },
    server: { instance_id: 'Standard_D4s_v5' },
    node: { group: [{ count: 8, instance_id: 'Standard_D4s_v5' }] },
  })
  await call(api.clusters.deploy, { body: { id: aurora.id } })
  for (let looks = 0; looks < 120; looks++) {
    if ((await call(api.clusters.view, { id: aurora.id })).info.state === 'available') break
    await sleep(1000)
  }
  const jobs = [
    analysis('assemble genome', 'for step in trim align sort; do echo "$step"; sleep 1; done', 1),
    analysis('climate ensemble', 'for year in 2024 2025 2026; do echo "year $year"; sleep 2; done', 600),
    analysis('render frames', 'echo frame 1 of 240', 900),
  ]
  for (const body of jobs) {
    const { id } = await call(api.jobs.create, { body })
    await call(api.jobs.submit, { body: { id, cluster: aurora.id, runAsAdmin: false } })
  }
}
