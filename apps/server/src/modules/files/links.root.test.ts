import { api } from '@flotilla/contract/api'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Console, type Person } from '../../../test/support/console/console'
import { personFiles } from '../../../test/support/console/person-files'
import { soakIt } from '../../../test/support/soak'

// A folder outside all homes and outside /tmp, because every user has a private /tmp.
let scratch: string
let server: Console
let machine: string
let ada: Person
let bob: Person
let home: string

const list = (folder: string, { token } = ada) =>
  server.must(api.files.list, { cluster: machine, query: { path: folder } }, { token })
const listRefused = (folder: string, { token } = ada) =>
  server.refused(api.files.list, { cluster: machine, query: { path: folder } }, { token })
const { read, write, rename, remove, setPermissions } = personFiles(() => ({
  server,
  cluster: machine,
  token: ada.token,
}))
const setPlaces = (places: string[], token = server.admin) =>
  server.answer(api.clusters.places, { body: { id: machine, places } }, { token })

beforeAll(async () => {
  server = await Console.start()
  machine = await server.thisMachine()
  ada = await server.person('adalove')
  bob = await server.person('bobby')
  scratch = await mkdtemp('/srv/flotilla-test-scratch-')
  await chmod(scratch, 0o755)
  for (const person of [ada, bob]) {
    const { area } = await list('', person)
    const { uid, gid } = await stat(area)
    const own = `${scratch}/${area.split('/').at(-1)}`
    await mkdir(own, { mode: 0o700 })
    await writeFile(`${own}/result.txt`, `of ${area}`)
    for (const made of [own, `${own}/result.txt`]) await chown(made, uid, gid)
    await symlink(own, `${area}/scratch`)
  }
  home = (await list('')).area
})
afterAll(async () => {
  await server.stop()
  await rm(scratch, { recursive: true, force: true })
})

const own = () => `${scratch}/${home.split('/').at(-1)}`

it('a link to scratch is followed for reading and writing, as the account', async () => {
  expect((await list('')).entries).toContainEqual(
    expect.objectContaining({ name: 'scratch', type: 'link', target: 'folder' }),
  )
  expect((await list('')).linksBlockedReason).toBeNull()
  expect((await list('scratch')).entries.map(({ name }) => name)).toEqual(['result.txt'])
  expect((await read('scratch/result.txt')).json.text).toBe(`of ${home}`)
  expect((await write('scratch/new.txt', 'new')).status).toBe(200)
  expect(await readFile(`${own()}/new.txt`, 'utf8')).toBe('new')
  expect((await stat(`${own()}/new.txt`)).uid).toBe((await stat(home)).uid)
  expect((await remove(['scratch/new.txt'])).status).toBe(200)
  // The link is removed, not its target.
  await symlink(own(), `${home}/again`)
  expect((await remove(['again'])).status).toBe(200)
  expect(await readFile(`${own()}/result.txt`, 'utf8')).toBe(`of ${home}`)
})

it('files of another account or of the server cannot be read', async () => {
  const { area: bobs } = await list('', bob)
  const theirs = `${scratch}/${bobs.split('/').at(-1)}`
  await writeFile(`${scratch}/of-root`, 'secret', { mode: 0o600 })
  const wanted = [bobs, theirs, `${scratch}/of-root`, server.dataDir, '/etc/shadow', '/root', '/proc/1/root']
  for (const [at, target] of wanted.entries()) await symlink(target, `${home}/steal${at}`)
  for (const [at, target] of wanted.entries()) {
    for (const path of [`steal${at}`, `steal${at}/result.txt`, `steal${at}/master.key`]) {
      const { status, json } = await read(path)
      expect([404, 409], target).toContain(status)
      expect(json.text, target).toBeUndefined()
    }
    const { status } = await write(`steal${at}/x`, 'x')
    expect([404, 409], target).toContain(status)
  }
  const { entries } = await list('')
  expect(entries.find(({ name }) => name === 'steal1')?.target).toBe('folder')
  expect(await listRefused('steal1')).toMatchObject({
    status: 409,
    reason: 'denied',
    message: expect.stringContaining('not accessible to this account'),
  })
  // A folder that is swapped for a link while it is read gives access only to what the account may read.
  await mkdir(`${home}/race`)
  const { uid, gid } = await stat(home)
  await chown(`${home}/race`, uid, gid)
  const swapping = (async () => {
    for (let turn = 0; turn < 200; turn++) {
      await rm(`${home}/race`, { recursive: true })
      await (turn % 2 === 0 ? symlink(theirs, `${home}/race`) : mkdir(`${home}/race`))
    }
  })()
  const answers = await Promise.all(Array.from({ length: 50 }, () => read('race/result.txt')))
  await swapping
  for (const { json } of answers) expect(json.text).toBeUndefined()
})

it('places that the owner has set are accessible with the permissions of the account', async () => {
  expect(await listRefused(scratch)).toMatchObject({
    status: 400,
    fields: { path: expect.stringContaining('home') },
  })
  expect((await setPlaces([scratch], ada.token)).status).toBe(403)
  for (const wrong of ['scratch', '/', '/a/../b', '/a//b', '/a/', '/a\nb', `/${'x'.repeat(300)}`])
    expect(await setPlaces([wrong]), wrong).toMatchObject({
      status: 400,
      json: { fields: { 'places.0': expect.any(String) } },
    })
  expect((await setPlaces([scratch, scratch])).status).toBe(400)
  expect((await setPlaces([scratch])).status).toBe(200)
  expect((await server.cluster(machine, ada.token)).places).toEqual([scratch])
  const name = home.split('/').at(-1) ?? ''
  expect((await list(scratch)).entries.map((one) => one.name)).toContain(name)
  expect((await read(`${own()}/result.txt`)).json.text).toBe(`of ${home}`)
  // On most sites, the place is on a different file system than the home; here it is the same.
  await write('moved.txt', 'moved')
  expect((await rename('moved.txt', `${own()}/moved.txt`)).status).toBeOneOf([200, 409])
  for (const path of [`${scratch}x`, '/etc/passwd', `${scratch}/../etc/passwd`, '/'])
    expect((await listRefused(path)).status, path).toBe(400)
  expect((await remove([scratch])).status).toBe(409)
  expect((await rename(scratch, 'mine')).status).toBe(409)
  expect((await setPermissions([`${scratch}/`], 0o777)).status).toBe(409)
  expect((await listRefused(own(), bob)).status).toBe(409)
})

soakIt('a folder with very many files is listed in part and can be removed', async () => {
  const many = `${own()}/many`
  const { uid, gid } = await stat(home)
  await mkdir(many)
  await chown(many, uid, gid)
  for (let from = 0; from < 12_000; from += 500)
    await Promise.all(Array.from({ length: 500 }, (_, at) => writeFile(`${many}/f${from + at}`, '')))
  const { entries, truncated } = await list('scratch/many')
  expect([entries.length, truncated]).toEqual([10_000, true])
  expect((await remove(['scratch/many'])).status).toBe(200)
  expect((await list('scratch')).entries.map(({ name }) => name)).not.toContain('many')
})
