import { EC2Client, DescribeImagesCommand, DescribeInstancesCommand } from '@aws-sdk/client-ec2'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/folder'
import { partsOf, stackInputOf } from '../../../test/support/modules/image-build'
import { startMoto, type Moto } from '../../../test/support/clouds/moto'
import { startSshd, type TestSshd } from '../../../test/support/machines/sshd'
import { imageScripts } from '../../cloud-init/image'
import { findPacker } from '../../engines/packer/find'
import { createPacker } from '../../engines/packer/packer'
import { buildEnvironment, buildFiles } from '../../modules/stacks/build'
import { imageBuilder } from './image'

// Builds a complete AMI: Packer's own EC2 calls go to moto, and its SSH to a real sshd in place of the machine.

let moto: Moto
let sshd: TestSshd
beforeAll(async () => {
  moto = await startMoto()
  sshd = await startSshd()
})
afterAll(async () => {
  await moto.close()
  await sshd.remove()
})

it('is built and tagged by Packer, which leaves nothing else behind', async () => {
  const client = new EC2Client({
    region: 'us-east-1',
    endpoint: moto.url,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  })
  const { Images: known = [] } = await client.send(new DescribeImagesCommand({}))
  const source = known.find(
    ({ Architecture, VirtualizationType }) => Architecture === 'x86_64' && VirtualizationType === 'hvm',
  )
  const input = stackInputOf('aws')
  // moto has its own images.
  input.data.source_image = source?.ImageId ?? ''
  input.data.ssh_username = sshd.username
  input.data.volume_size = 20
  const script = { field: 'nodeProvisioner', name: 'a.sh', bytes: Buffer.from('echo hello\n') }
  const parts = await partsOf('aws', input, [script])
  const { template, variables, files } = buildFiles(parts, 'run00001')
  const elsewhere = {
    custom_endpoint_ec2: moto.url,
    skip_region_validation: true,
    skip_metadata_api_check: true,
    ssh_host: '127.0.0.1',
    ssh_port: sshd.port,
  }
  // A separate folder, because builds of other tests also run on this machine.
  const place = path.join(await testFolder(), 'machine')
  const { provisioners } = JSON.parse(
    JSON.stringify(template).replaceAll('/tmp/flotilla-build', place),
  ) as typeof template
  const builders = template.builders.map((one) => ({ ...one, ...elsewhere }))
  const harmless: Record<string, string> = {
    'ssh-key': sshd.privateKey,
    [imageScripts.install]: 'echo installing\n',
    [imageScripts.provision]: `sh ${place}/own/provision\n`,
    [imageScripts.finish]: 'echo finishing\n',
  }
  const build = createPacker({
    program: () => findPacker({ packerBin: process.env.PACKER_BIN, env: process.env }),
    atOnce: 1,
  }).build({ folder: await testFolder(), environment: buildEnvironment(parts), secrets: [] })
  await build.write({
    template: { ...template, builders, provisioners },
    variables,
    files: files.map((file) => ({ ...file, data: harmless[file.path] ?? file.data })),
  })
  const output: string[] = []
  const ending = await build
    .run({ onEvent: ({ text }) => void output.push(text) })
    .catch((error: unknown) => {
      throw new Error(output.join('\n'), { cause: error })
    })
  if (ending.ended !== 'done') throw new Error('it is open')
  expect(output.join('\n')).toContain('node: hello')
  const { id, region } = imageBuilder.imageIn(ending.artifacts[0]?.id ?? '', input.data)
  expect(region).toBe('us-east-1')
  const { Images: made = [] } = await client.send(new DescribeImagesCommand({ ImageIds: [id] }))
  expect(made[0]?.Name).toBe('core-one-run00001')
  expect(made[0]?.Tags).toContainEqual({ Key: 'flotilla_stack', Value: 'stack7' })
  const { Reservations: all = [] } = await client.send(new DescribeInstancesCommand({}))
  const machines = all.flatMap(({ Instances = [] }) => Instances)
  expect(machines).toHaveLength(1)
  expect(machines[0]?.State?.Name).toBe('terminated')
})
