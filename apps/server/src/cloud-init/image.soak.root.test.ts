import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type TestMachine, type TestNetwork } from '../../test/support/machines/machines'
import { imageFiles, imageScripts, PEOPLE_MARK, type ImageInput } from './image'

// Runs a build's own scripts on a machine whose files are a copy of this one's. Only packages are not downloaded: a
// stand-in records the commands instead.

const standIn = '#!/bin/sh\necho "$0 $*" >>/var/log/stand-ins\n'
const build = '/tmp/flotilla-build'

let network: TestNetwork
beforeAll(async () => {
  network = await startNetwork()
})
afterAll(() => network.stop())

let counter = 0
async function machineWith(input: Partial<ImageInput>, provision = ''): Promise<TestMachine> {
  const machine = await network.boot(`image${++counter}`, [])
  const put = (file: string, text: string | Uint8Array) =>
    machine.run(['sh', '-c', 'mkdir -p "$(dirname "$0")" && cat >"$0" && chmod 0755 "$0"', file], {
      stdin: Buffer.from(text).toString(),
    })
  const whole = {
    manager: 'none' as const,
    minimal: true,
    gpuSoftware: 'none' as const,
    vnc: false,
    torqueSource: null,
    peopleKeys: ['ssh-ed25519 AAAA alice'],
    ...input,
  }
  for (const { path, data } of imageFiles(whole)) await put(`${build}/${path}`, data)
  await put(`${build}/own/provision`, provision)
  await put(`${build}/own/data/one.txt`, 'bytes\n')
  for (const name of ['apt-get', 'cloud-init', 'waagent']) await put(`/usr/local/sbin/${name}`, standIn)
  return machine
}
const step = (machine: TestMachine, name: keyof typeof imageScripts, env: Record<string, string> = {}) =>
  machine.run(['sh', `${build}/${imageScripts[name]}`], { env: { HOME: '/root', ...env } })
const contentOf = async (machine: TestMachine, file: string) => (await machine.run(['cat', file])).stdout

describe('the scripts of a build', () => {
  it('install the requested software through the proxy', async () => {
    const machine = await machineWith({ manager: 'slurm', minimal: false, vnc: true })
    const log = '/usr/local/sbin/apt-get'
    await machine.run(['sh', '-c', `printf '%s\\n' 'echo "$http_proxy $*" >>/var/log/stand-ins' >>${log}`])
    const { code, stdout, stderr } = await step(machine, 'install', { FL_PROXY: 'http://proxy:3128' })
    expect(code, stdout + stderr).toBe(0)
    const commands = await contentOf(machine, '/var/log/stand-ins')
    expect(commands).toContain('http://proxy:3128')
    expect(commands).toMatch(/install .*(gfortran|cmake|environment-modules)/)
    expect(stdout).toContain('Installing for the resource manager slurm')
  })

  it('run the user’s script in the folder of its data, and fail if it fails', async () => {
    const machine = await machineWith({}, 'cat one.txt; echo "as $FL_IMAGE_ROLE" >/opt/made-by-script\n')
    const good = await step(machine, 'provision', { FL_IMAGE_ROLE: 'node' })
    expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining('bytes') as string })
    expect(await contentOf(machine, '/opt/made-by-script')).toBe('as node\n')
    const other = await machineWith({}, '#!/bin/sh\nexit 4\n')
    expect((await step(other, 'provision')).code).toBe(4)
  })

  it('grant users access by their keys, and remove everything specific to this machine', async () => {
    const machine = await machineWith({})
    await step(machine, 'open')
    expect(await contentOf(machine, '/root/.ssh/authorized_keys')).toContain(`AAAA ${PEOPLE_MARK}`)
    await machine.run(['sh', '-c', 'mkdir -p /etc/munge; echo key >/etc/munge/munge.key'])
    await machine.run(['sh', '-c', 'echo id >/etc/machine-id; echo k >/etc/ssh/ssh_host_x_key'])
    const { code, stdout, stderr } = await step(machine, 'finish')
    expect(code, stdout + stderr).toBe(0)
    expect(await contentOf(machine, '/root/.ssh/authorized_keys')).not.toContain(PEOPLE_MARK)
    expect(await contentOf(machine, '/etc/machine-id')).toBe('')
    const left = ['/etc/munge/munge.key', '/etc/ssh/ssh_host_x_key', '/etc/flotilla', build]
    const found = await machine.run(['sh', '-c', `ls -d ${left.join(' ')} 2>/dev/null`])
    expect(found.stdout).toBe('')
    expect(await contentOf(machine, '/var/log/stand-ins')).toContain('-deprovision+user')
  })

  it('do not capture an image without its resource manager', async () => {
    const { code, stderr } = await step(await machineWith({ manager: 'torque' }), 'finish')
    expect(code).not.toBe(0)
    expect(stderr).toContain('The image has no torque')
  })
})
