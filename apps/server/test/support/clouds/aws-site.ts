import { mkdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CloudData } from '@flotilla/contract/clusters/cloud'
import { findTofu } from '../../../src/engines/tofu/find'
import { createTofu } from '../../../src/engines/tofu/tofu'
import { makeFastRestore } from '../../../src/modules/clusters/cloud/deploy/fast-restore'
import { makeCloudSteps } from '../../../src/modules/clusters/cloud/deploy/steps'
import type { Machines } from '../../../src/modules/clusters/cloud/machines/machines'
import { openCluster } from '../../../src/modules/clusters/cloud/workspace/deps'
import type { RunAction, RunInputs } from '../../../src/modules/clusters/runs/run-actions'
import type { RunContext } from '../../../src/modules/runs/runs'
import * as store from '../../../src/modules/clusters/store'
import { driver } from '../../../src/providers/aws/driver'
import { infrastructure } from '../../../src/providers/aws/infrastructure'
import type { Catalog } from '../../../src/providers/provider'
import { openMasterKey } from '../../../src/secrets/secrets'
import type { TestApp } from '../app/app'
import { cloudClusterOf } from '../modules/cloud-row'
import type { Moto } from './moto'

/** Public images with the names that their publishers use; moto's own are older. */
export const awsImages = (['x86_64', 'arm64'] as const).map((architecture) => ({
  ami_id: `ami-debian12${architecture === 'arm64' ? 'arm' : 'x86'}`,
  name: `debian-12-${architecture === 'arm64' ? 'arm64' : 'amd64'}-20260101-0000`,
  owner_id: '136693071363',
  architecture,
  state: 'available',
  public: true,
  image_location: 'debian',
  image_type: 'machine',
  root_device_type: 'ebs',
  root_device_name: '/dev/xvda',
  description: '',
  platform: null,
  sriov: 'simple',
  virtualization_type: 'hvm',
  hypervisor: 'nitro',
}))

/** Writes a configuration with which the engine takes the provider from a local mirror instead of a registry. */
async function providerMirror(folder: string): Promise<string> {
  const built = process.env.AWS_PROVIDER_BIN ?? ''
  const version = /_v(\d+\.\d+\.\d+)/.exec(path.basename(built))?.[1]
  const machine = process.arch === 'arm64' ? 'arm64' : 'amd64'
  const mirror = path.join(folder, 'providers')
  const place = `registry.opentofu.org/hashicorp/aws/${version}/${process.platform}_${machine}`
  await mkdir(path.join(mirror, place), { recursive: true })
  const program = path.join(mirror, place, `terraform-provider-aws_v${version}`)
  await symlink(built, program)
  const file = path.join(folder, 'tofu.rc')
  await writeFile(file, `provider_installation {\n  filesystem_mirror {\n    path = "${mirror}"\n  }\n}\n`)
  return file
}

/** Nothing runs on moto's machines, so there is no setup to wait for. */
const noMachines: Machines = {
  beforeChange: async () => {},
  waitUntilReady: async () => {},
  maintain: async () => {},
  revokeAccess: async () => {},
  markStopped: async () => {},
  release: async () => {},
  forget: async () => {},
}

/** The product's run actions for a cluster on AWS, with the real engine and provider, and moto as the cloud. */
export async function awsSite(app: TestApp, moto: Moto) {
  const TF_CLI_CONFIG_FILE = await providerMirror(app.dataDir)
  const program = await findTofu({ tofuBin: process.env.TOFU_BIN, env: process.env })
  const engine = async () => ({ ...program, environment: { ...program.environment, TF_CLI_CONFIG_FILE } })
  const credential = { access_key: 'AKIDEXAMPLE', secret_key: 'secret-of-moto' }
  /** The catalog of instance sizes, which tests can set. */
  const sizes: { known: Catalog | null } = { known: null }
  const deps = {
    db: app.db,
    secrets: await openMasterKey(path.join(app.dataDir, 'master.key')),
    dataDir: app.dataDir,
    tofu: createTofu({ program: engine, pluginCache: path.join(app.dataDir, 'plugins'), atOnce: 1 }),
    mode: { priceNote: null, listsDeletedMs: 10_000, capacityWaitMs: 0 },
    credential: async () => ({ provider: 'aws' as const, data: credential }),
    catalog: async () => sizes.known,
    infrastructure: async () => ({
      ...infrastructure,
      environment: (data: typeof credential) => ({
        ...infrastructure.environment(data),
        AWS_ENDPOINT_URL: moto.url,
      }),
    }),
    driver: async () => driver({ credential, region: 'us-east-1', endpoint: moto.url, pollMs: 20 }),
    image: async () => null,
    torqueSource: async () => null,
    machines: noMachines,
    leftovers: { notePlace: async () => [], searchAfter: async () => {} },
    now: Date.now,
  }
  const steps = makeCloudSteps({ ...deps, fastRestore: makeFastRestore(deps) })
  const lines: string[] = []
  const never = new AbortController().signal
  const context: RunContext = {
    log: (text) => void lines.push(text),
    logNow: async (text) => void lines.push(text),
    notePosition: () => {},
    cancel: never,
    detach: never,
    check: () => {},
    pause: (ms) => sleep(ms),
    tolerate: async (part, onFailure) => void (await part().catch(onFailure)),
  }

  return {
    lines,
    sizes,
    async run<A extends RunAction>(id: string, action: A, input: RunInputs[A]): Promise<void> {
      await steps[action]?.(await cloudClusterOf(app, id), context, input)
    },
    /** Changes the cluster as an edit in the form does, or which nodes are to be up. */
    async edit(
      id: string,
      change: (data: CloudData) => void | Promise<void>,
      upNodes?: string[],
    ): Promise<void> {
      const { data } = await cloudClusterOf(app, id)
      await change(data)
      await store.update(app.db.kysely, id, { data, ...(upNodes && { up_nodes: upNodes }) })
    },
    /** The changes that the engine would make now. */
    async planned(id: string) {
      await steps.plan?.(await cloudClusterOf(app, id), context, {})
      return (await cloudClusterOf(app, id)).plan?.changes ?? []
    },
    async found(id: string) {
      return (await openCluster(deps, await cloudClusterOf(app, id), { readOnly: true })).driver.find(id)
    },
  }
}
