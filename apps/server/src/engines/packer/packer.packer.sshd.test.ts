import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/folder'
import { startSshd, type TestSshd } from '../../../test/support/machines/sshd'
import { until } from '../../../test/support/until'
import { soakIt } from '../../../test/support/soak'
import { imageScripts } from '../../cloud-init/image'
import type { ImageBuilder } from '../../providers/image/image'
import { imageTemplate, machineSecrets } from '../../providers/image/image-template'
import { EngineError } from '../engine'
import { findPacker } from './find'
import { createPacker, pauseForManualChanges, type BuildFiles } from './packer'

// Runs the product's own template over a real sshd, with a builder that creates no machine, and scripts that are
// harmless.

const SECRET = 'a-secret-of-red-hat-1234'
const packer = createPacker({
  program: () => findPacker({ packerBin: process.env.PACKER_BIN, env: process.env }),
  atOnce: 4,
})

let sshd: TestSshd
beforeAll(async () => {
  sshd = await startSshd()
})
afterAll(() => sshd.remove())

/** The template's folder on the built machine, which here is this machine, where other builds may be running. */
const place = () => path.join(sshd.home, 'machine')
afterEach(() => rm(place(), { recursive: true, force: true }))

const builder: ImageBuilder = {
  builder: () => ({ type: 'null', ssh_host: '127.0.0.1', ssh_port: sshd.port }),
  secrets: {},
  environment: () => ({}),
  imageIn: (id) => ({ id, region: '' }),
  username: () => sshd.username,
  publicImage: () => null,
}

type Wish = { customize?: boolean; provision?: string; install?: string }
function filesOf({ customize = false, provision, install = 'echo installing' }: Wish): BuildFiles {
  const build = {
    role: 'node' as const,
    name: 'one',
    description: '',
    data: {} as never,
    buildTags: {},
    imageTags: {},
    sshPublicKey: '',
  }
  const made = imageTemplate({
    builder,
    builds: [build],
    provisioned: provision === undefined ? [] : ['node'],
    pauseForManualChanges: customize ? pauseForManualChanges : null,
    username: sshd.username,
  })
  return {
    variables: made.variables,
    // Only this path differs.
    template: JSON.parse(
      JSON.stringify(made.template).replaceAll('/tmp/flotilla-build', place()),
    ) as typeof made.template,
    files: [
      { path: 'ssh-key', data: sshd.privateKey },
      { path: 'common/people.keys', data: '' },
      { path: 'own-node/data/one.txt', data: 'bytes of a file\n' },
      { path: 'own-node/provision', data: provision ?? '' },
      { path: imageScripts.install, data: `${install}\n` },
      {
        path: imageScripts.provision,
        data: `cd ${place()}/own/data && echo "as $FL_IMAGE_ROLE" && sh ../provision\n`,
      },
      { path: imageScripts.open, data: 'true\n' },
      { path: imageScripts.finish, data: 'echo finishing\n' },
    ],
  }
}

async function buildOf(wish: Wish, folder: string) {
  const build = packer.build({
    folder,
    environment: {
      [machineSecrets.rhel_key]: SECRET,
      [machineSecrets.rhel_organization]: 'org',
      [machineSecrets.proxy]: "http://it's:odd@proxy:1",
    },
    secrets: [],
  })
  if (!(await build.inProgress())) await build.write(filesOf(wish))
  return build
}
const listen = () => {
  const output: { text: string; position: number }[] = []
  return {
    onEvent: ({ text, position }: { text: string; position: number }) => void output.push({ text, position }),
    log: () => output.map(({ text }) => text).join('\n'),
    last: () => output.at(-1)?.position ?? 0,
  }
}

describe('a build', () => {
  it('copies scripts, data and secrets to the machine, and prints no secret', async () => {
    const { onEvent, log } = listen()
    const build = await buildOf(
      {
        install: 'echo "key $FL_RHEL_KEY through $FL_PROXY"',
        provision: 'cat one.txt; echo "a, comma"',
      },
      await testFolder(),
    )
    expect(await build.run({ onEvent })).toMatchObject({ ended: 'done', artifacts: [{ builder: 'node' }] })
    expect(log()).toContain('node: bytes of a file')
    expect(log()).toContain('node: as node')
    expect(log()).toContain('node: a, comma')
    expect(log()).toContain('finishing')
    expect(log()).toMatch(/key \S+ through/)
    expect(log()).not.toContain(SECRET)
  })

  it('keeps secrets out of every file of its own', async () => {
    const folder = await testFolder()
    await buildOf({}, folder)
    for (const name of ['template.json', 'variables.json'])
      expect(await readFile(path.join(folder, name), 'utf8')).not.toContain(SECRET)
  })

  it('that fails reports the script’s own error', async () => {
    const build = await buildOf({ provision: 'echo "no such package" >&2; exit 3' }, await testFolder())
    const { onEvent, log } = listen()
    const failure = await build.run({ onEvent }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(EngineError)
    expect(failure).toMatchObject({
      code: 'failed',
      details: [
        '==> node: no such package',
        expect.stringMatching(/^Script exited with non-zero exit status: 3/),
      ],
    })
    expect(log()).toContain('no such package')
    expect(log()).toMatch(/exit status: 3/)
  })

  soakIt('continues when it is not followed, and is resumed without repeating a line', async () => {
    const folder = await testFolder()
    const first = listen()
    const detach = new AbortController()
    const build = await buildOf({ provision: 'echo begun; sleep 2; echo over' }, folder)
    const left = build.run({ ...first, detach: detach.signal }).catch((error: unknown) => error)
    await until(() => first.log().includes('begun'))
    detach.abort()
    expect(await left).toMatchObject({ code: 'detached' })
    const second = listen()
    const again = await buildOf({}, folder)
    expect(await again.inProgress()).toEqual({ alive: true })
    expect(await again.run({ ...second, from: first.last() })).toMatchObject({ ended: 'done' })
    expect(`${first.log()}\n${second.log()}`.split('begun')).toHaveLength(2)
    expect(second.log()).toContain('over')
  })

  it('that is canceled ends', async () => {
    const cancel = new AbortController()
    const { onEvent, log } = listen()
    const build = await buildOf({ provision: 'echo begun; sleep 600' }, await testFolder())
    const ended = build.run({ onEvent, cancel: cancel.signal }).catch((error: unknown) => error)
    await until(() => log().includes('begun'))
    cancel.abort()
    expect(await ended).toMatchObject({ code: 'canceled' })
    expect(await build.inProgress()).toEqual({ alive: false })
  })

  it('that was killed is reported as such', async () => {
    const { onEvent, log } = listen()
    const folder = await testFolder()
    const build = await buildOf({ provision: 'echo begun; sleep 600' }, folder)
    const ended = build.run({ onEvent }).catch((error: unknown) => error)
    await until(() => log().includes('begun'))
    const [outer] = (await readFile(path.join(folder, 'runs/1/births'), 'latin1')).split(' ')
    expect(Number(outer)).toBeGreaterThan(1)
    // Including all its child processes.
    process.kill(-Number(outer), 'SIGKILL')
    expect(await ended).toMatchObject({ code: 'killed' })
  })
})

describe('a build for manual changes', () => {
  it('reports where to log in, waits until the changes are finished, and then captures the image', async () => {
    const folder = await testFolder()
    const wish = { customize: true, provision: 'echo provisioned' }
    const first = listen()
    const build = await buildOf(wish, folder)
    const open = await build.run(first)
    expect(open).toEqual({
      ended: 'open',
      machines: [{ builder: 'node', host: '127.0.0.1', username: sshd.username }],
    })
    expect(first.log()).toContain('provisioned')
    expect(first.log()).not.toContain('finishing')
    expect(await build.inProgress()).toEqual({ alive: true })
    // Polling before the manual changes are finished returns the same.
    expect(await (await buildOf(wish, folder)).run({})).toEqual(open)
    await build.finalize()
    const second = listen()
    expect(await build.run({ ...second, from: first.last() })).toMatchObject({ ended: 'done' })
    expect(second.log()).toContain('finishing')
    expect(second.log()).not.toContain('provisioned')
  })

  soakIt('can be canceled without leaving a waiting process', async () => {
    const cancel = new AbortController()
    const build = await buildOf({ customize: true }, await testFolder())
    await build.run({})
    cancel.abort()
    await expect(build.run({ cancel: cancel.signal })).rejects.toMatchObject({ code: 'canceled' })
    expect(await build.inProgress()).toEqual({ alive: false })
  })
})
