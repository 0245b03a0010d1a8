import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { ProviderId } from '@flotilla/contract/site/config'
import { expect } from 'vitest'
import { exec } from '../exec'
import { testFolder } from '../folder'
import { withoutClouds } from './terraform-data'
import { infrastructures } from './infrastructures'
import { secretVariables } from '../../../src/providers/module/module-parts'
import type { Deployment, ModuleOutputs } from '../../../src/providers/provider'

// `npm test` finds OpenTofu and sets this.
const tofuBin = process.env.TOFU_BIN ?? 'tofu'

/** Attributes that a cloud would compute for a resource. */
const known = (type: string): Record<string, unknown> => ({
  private_ip: '10.77.128.9',
  private_ip_address: '10.77.0.9',
  public_ip: '198.51.100.9',
  public_ip_address: '198.51.100.9',
  address: '10.77.0.9',
  self_link: `link of ${type}`,
  network: 'network',
  name: 'name',
  vpc_id: 'vpc-given',
  vcn_id: 'vcn-given',
  availability_zone: 'us-east-1a',
  names: ['us-east-1a', 'us-east-1b'],
  cidr_block: '172.31.0.0/16',
  cidr_blocks: ['172.31.0.0/16'],
  address_space: ['172.31.0.0/16'],
  address_prefixes: ['172.31.0.0/20'],
  ip_cidr_range: '172.31.0.0/20',
  availability_domains: [{ name: 'Uocm:PHX-AD-1' }, { name: 'Uocm:PHX-AD-2' }],
  images: [{ id: 'ocid1.image.newest' }, { id: 'ocid1.image.older' }],
  ip_addresses: ['10.0.0.9'],
  size: 100,
  cpu_count: 8,
  memory: 16_384,
  disk_size_gb: 100,
  size_in_gbs: '100',
  network_interface: [{ network_ip: '10.77.0.10' }],
})

/** Applies the module with the real engine as the server does, with secrets only in the environment. */
export async function applied(provider: ProviderId, deployment: Deployment) {
  const { module, variables, environment } = infrastructures[provider]
  const folder = await testFolder()
  const put = (name: string, content: unknown) =>
    writeFile(path.join(folder, name), JSON.stringify(content, null, 1))
  await put('main.tf.json', withoutClouds(module, known))
  await put('cluster.auto.tfvars.json', variables(deployment))
  const secrets = Object.entries(secretVariables(deployment)).map(([name, value]) => [
    `TF_VAR_${name}`,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const { code, stdout, stderr } = await exec(
    [tofuBin, `-chdir=${folder}`, 'apply', '-auto-approve', '-input=false', '-no-color'],
    {
      env: {
        HOME: folder,
        ...environment({ compartment_ocid: 'ocid1.compartment' }),
        ...Object.fromEntries(secrets),
      },
    },
  )
  expect(code, stderr || stdout).toBe(0)
  expect(stdout).not.toContain('cloud-config')
  const state: State = JSON.parse(await readFile(path.join(folder, 'terraform.tfstate'), 'utf8'))
  const things = Object.fromEntries(
    state.resources.flatMap(({ name, instances }) =>
      instances.map(({ index_key, attributes }) => [
        name.replaceAll('__', '.') + (index_key === undefined ? '' : `["${index_key}"]`),
        attributes.input.value,
      ]),
    ),
  )
  const { head, nodes, disks } = state.outputs
  return {
    head: head.value,
    nodes: nodes.value,
    disks: disks.value,
    things,
    /** The resources that were created, without data sources. */
    made: state.resources
      .map(({ name }) => name.replaceAll('__', '.'))
      .filter((name) => !name.startsWith('data.')),
  }
}

interface State {
  outputs: { [Name in keyof ModuleOutputs]: { value: ModuleOutputs[Name] } }
  resources: {
    name: string
    instances: { index_key?: string; attributes: { input: { value: Record<string, unknown> } } }[]
  }[]
}

/** Decodes user data from base64, which AWS also accepts compressed. */
export function unpacked(text: string): string {
  const bytes = Buffer.from(text, 'base64')
  return (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString()
}
