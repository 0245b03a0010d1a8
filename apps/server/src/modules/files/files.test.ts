import { api } from '@flotilla/contract/api'
import { randomBytes } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Console, type Person } from '../../../test/support/console/console'
import { personFiles } from '../../../test/support/console/person-files'

let server: Console
let machine: string
let ada: Person
let bob: Person
let area: string
beforeAll(async () => {
  server = await Console.start()
  machine = await server.thisMachine()
  ada = await server.person('adalove')
  bob = await server.person('bobby')
  area = (await list('')).area
})
afterAll(() => server.stop())

const files = personFiles(() => ({ server, cluster: machine, token: ada.token }))
const { url: at, list, names, write, read, makeFolder, rename, remove, setPermissions } = files
const { upload, received, fetched, download } = files
/** Runs a job, for files that only a job can create. */
const run = async (script: string) => {
  const submitted = await server.submit(machine, { script: `cd\n${script}` }, ada.token)
  expect(await server.ended(submitted.id, ada.token)).toMatchObject({ state: 'completed' })
}

describe("a user's files", () => {
  it('are saved, shown with their permissions, renamed, moved and deleted', async () => {
    expect((await write('note.txt', 'eins\n', null)).json).toMatchObject({ size: 5 })
    expect(await write('note.txt', 'zwei', null)).toMatchObject({ status: 409, json: { reason: 'exists' } })
    expect((await makeFolder('deep')).status).toBe(201)
    expect(await makeFolder('deep')).toMatchObject({
      status: 409,
      json: { reason: 'exists', fields: { path: expect.any(String) } },
    })
    expect((await rename('note.txt', 'deep/moved.txt')).status).toBe(200)
    const [entry] = (await list('deep')).entries
    expect(entry).toMatchObject({
      name: 'moved.txt',
      type: 'file',
      size: 5,
      permissions: expect.stringMatching(/^rw-[r-]-+/),
    })
    expect(entry?.modifiedAt).toBeGreaterThan(Date.now() - 60 * 60_000)
    expect((await write('taken', 'x')).status).toBe(200)
    expect(await rename('taken', 'deep/moved.txt')).toMatchObject({
      status: 409,
      json: { reason: 'exists' },
    })
    expect((await read('deep/moved.txt')).json).toMatchObject({ text: 'eins\n' })
    expect((await remove(['deep', 'taken'])).status).toBe(200)
    expect(await names('')).not.toContain('deep')
    for (const gone of [read('deep/moved.txt'), remove(['deep']), rename('deep', 'x')])
      expect((await gone).status).toBe(404)
  })

  it('are not overwritten if another session saved them in the meantime', async () => {
    const { json: first } = await write('shared.txt', 'mine')
    const { json: second } = await write('shared.txt', 'theirs', first.modifiedAt)
    expect(second.size).toBe(6)
    expect(await write('shared.txt', 'mine again', first.modifiedAt)).toMatchObject({
      status: 409,
      json: { reason: 'changed', message: expect.stringContaining('since you opened it') },
    })
    expect((await read('shared.txt')).json.text).toBe('theirs')
    expect((await write('gone.txt', 'x', 12345)).status).toBe(404)
  })

  it('are not opened in the editor when they are binary or too long', async () => {
    await upload('bytes', Buffer.from([1, 0, 255]), { offset: '0', final: 'true' })
    await upload('latin1', Buffer.from('Häme', 'latin1'), { offset: '0', final: 'true' })
    await upload('long', Buffer.alloc(1024 * 1024 + 1, 97), { offset: '0', final: 'true' })
    expect((await read('bytes')).json.binary).toBe(true)
    expect((await read('latin1')).json.binary).toBe(true)
    expect(await read('long')).toMatchObject({ status: 409, json: { reason: 'too long' } })
    expect((await write('utf8', 'Hämeenlinna 🐧')).status).toBe(200)
    expect((await read('utf8')).json).toMatchObject({ text: 'Hämeenlinna 🐧', binary: false })
    expect((await read('')).status).toBe(400)
    await makeFolder('folder')
    expect(await read('folder')).toMatchObject({ status: 409, json: { reason: 'not a file' } })
  })

  it('may have any name that the system allows', async () => {
    const odd = [
      'name with spaces',
      'it\'s "quoted"',
      'Ääkköset 文件 🐧',
      'line\nbreak',
      '-rf',
      '$(touch x)',
      '%2e%2e',
      'a\\b',
      '.hidden',
      'x'.repeat(200),
    ]
    await makeFolder('odd')
    for (const name of odd) expect((await write(`odd/${name}`, name, null)).status, name).toBe(200)
    expect(await names('odd')).toEqual(odd.toSorted())
    for (const name of odd) {
      expect((await read(`odd/${name}`)).json.text).toBe(name)
      expect((await download(`odd/${name}`)).toString()).toBe(name)
    }
    const named = await fetched('odd/Ääkköset 文件 🐧')
    const [, encoded = ''] =
      /filename\*=UTF-8''(\S+)$/.exec(named.headers.get('content-disposition') ?? '') ?? []
    expect(decodeURIComponent(encoded)).toBe('Ääkköset 文件 🐧')
    await named.arrayBuffer()
    expect((await remove(odd.map((name) => `odd/${name}`))).status).toBe(200)
    expect(await names('odd')).toEqual([])
    expect((await write(`odd/${'x'.repeat(300)}`, '')).status).toBe(409)
  })
})

describe('a file that is too long for an editor', () => {
  const page = (file: string, number: number) =>
    server.must(
      api.files.readPage,
      { cluster: machine, query: { path: file, page: number } },
      { token: ada.token },
    )
  it.each([
    ['lines', 'Ääkköset 文件 🐧 in a line\n'.repeat(30_000)],
    ['one line', '文🐧'.repeat(150_000)],
    ['both', `${'x'.repeat(700_000)}\n${'short\n'.repeat(80_000)}`],
  ])('is read in pages that together make up the whole file: %s', async (name, text) => {
    await upload(name, Buffer.from(text), { offset: '0', final: 'true' })
    const { pages, size } = await page(name, 0)
    expect(size).toBe(Buffer.byteLength(text))
    expect(pages).toBeGreaterThan(1)
    const all = await Promise.all(Array.from({ length: pages }, (_, number) => page(name, number)))
    expect(all.map((one) => one.text).join('')).toBe(text)
    expect(all.every(({ binary }) => !binary)).toBe(true)
    if (name === 'lines') expect(all.every((one) => one.text.endsWith('line\n'))).toBe(true)
    expect(await page(name, pages + 5)).toMatchObject({ text: '' })
  })

  it('is reported as binary when it is not text', async () => {
    await upload('zeros', Buffer.alloc(1024 * 1024 + 1), { offset: '0', final: 'true' })
    expect(await page('zeros', 1)).toMatchObject({ binary: true })
  })
})

it('permissions of files and folders can be changed', async () => {
  await write('script.sh', 'echo hello')
  await makeFolder('closed')
  expect((await setPermissions(['script.sh', 'closed'], 0o750)).status).toBe(200)
  const shown = Object.fromEntries((await list('')).entries.map((one) => [one.name, one.permissions]))
  expect(shown).toMatchObject({ 'script.sh': 'rwxr-x---', closed: 'rwxr-x---' })
  expect((await setPermissions(['nosuch'], 0o750)).status).toBe(404)
  const refused = { status: 400, json: { fields: { permissions: expect.any(String) } } }
  for (const permissions of [-1, 0o10000, 1.5])
    expect(await setPermissions(['script.sh'], permissions)).toMatchObject(refused)
  const body = { paths: ['script.sh'], permissions: '755' }
  expect(await server.call('POST', at(api.files.setPermissions), { as: ada.token, body })).toMatchObject(
    refused,
  )
})

describe('a file outside the home', () => {
  it('is accessible only through links, with the permissions of the account', async () => {
    const { area: bobs } = await list('', bob.token)
    await run(
      `ln -s ${bobs} bobs; ln -s /etc/passwd passwd; ln -s /etc etc; ln -s ../../.. up; ln -s nowhere dangling; mkdir -p in; ln -s in fine`,
    )
    const refused = (endpoint: typeof api.files.list | typeof api.files.download, place: string) =>
      server.refused(endpoint, { cluster: machine, query: { path: place } }, { token: ada.token })
    for (const wrong of ['../x', '/etc/passwd', 'a/../../x', '..', 'in/../..'])
      for (const [status] of [
        [(await read(wrong)).status],
        [(await write(wrong, 'x')).status],
        [(await makeFolder(wrong)).status],
        [(await remove([wrong])).status],
        [(await rename('shared.txt', wrong)).status],
        [(await upload(wrong, Buffer.from('x'), { offset: '0', final: 'true' })).status],
        [(await refused(api.files.list, wrong)).status],
        [(await refused(api.files.download, wrong)).status],
      ])
        expect(status, wrong).toBe(400)
    // With the permissions of the account: files that it may read are read, files of others are not changed.
    const { entries } = await list('')
    const targets = Object.fromEntries(entries.map(({ name, target }) => [name, target]))
    expect(targets).toMatchObject({
      passwd: 'file',
      etc: 'folder',
      up: 'folder',
      dangling: 'missing',
      bobs: expect.stringMatching(/missing|denied/),
    })
    expect((await read('passwd')).json.text).toContain('root:')
    for (const link of ['passwd', 'etc/passwd', 'etc/shadow', 'bobs/x', 'bobs']) {
      for (const [status, what] of [
        [(await write(link, 'x')).status, 'write'],
        [(await setPermissions([link], 0o777)).status, 'permissions'],
        [(await makeFolder(`${link}/made`)).status, 'folder'],
      ] as const)
        expect([409, 404], `${what} ${link}`).toContain(status)
    }
    for (const link of ['etc/shadow', 'bobs/x', 'bobs', 'up/../bobs'])
      expect([400, 409, 404], link).toContain((await read(link)).status)
    expect((await upload('etc/x', Buffer.from('x'), { offset: '0', final: 'true' })).status).toBe(409)
    expect((await rename('shared.txt', 'etc/shared')).status).toBe(409)
    // A link within the home is followed, and removing a link does not remove its target.
    await write('in/kept', 'kept')
    expect((await read('fine/kept')).json.text).toBe('kept')
    expect((await remove(['fine', 'etc', 'passwd', 'bobs', 'up', 'dangling'])).status).toBe(200)
    expect((await read('in/kept')).json.text).toBe('kept')
  })

  it('is not included in an archive of a folder, where links are packed as links', async () => {
    await run(
      'mkdir -p packed/sub; echo one > packed/one; echo two > packed/sub/two; ln -s /etc/passwd packed/link; ln -s packed packed/sub/circle',
    )
    const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-archive-'))
    await writeFile(path.join(folder, 'a.tar.gz'), await download('packed'))
    const listed = execFileSync('tar', ['-tvzf', path.join(folder, 'a.tar.gz')], { encoding: 'utf8' })
    expect(listed).toMatch(/\.?\/?packed\/sub\/two/)
    expect(listed).toMatch(/^l.*link -> \/etc\/passwd$/m)
    await rm(folder, { recursive: true })
    const whole = await fetched('')
    expect(whole.headers.get('content-disposition')).toContain('files.tar.gz')
    await whole.arrayBuffer()
  })

  it("is not another user's area: every user has their own, and participants have none", async () => {
    const { area: bobs, entries } = await list('', bob.token)
    expect(bobs).not.toBe(area)
    expect(entries).toEqual([])
    const pupil = await server.participant('pupil')
    const here = { cluster: machine }
    expect((await server.refused(api.files.list, here, { token: pupil.token })).status).toBe(403)
    expect(
      (await server.refused(api.files.list, { cluster: 'nosuchcluster' }, { token: ada.token })).status,
    ).toBe(404)
  })
})

describe('an upload', () => {
  it('is sent in pieces, resumes where it was interrupted, and appears once it is complete', async () => {
    const bytes = randomBytes(3_000_000)
    expect(await received('big.bin')).toBe(0)
    expect((await upload('big.bin', bytes.subarray(0, 1_000_000), { offset: '0' })).json.received).toBe(
      1_000_000,
    )
    expect(await names('')).not.toContain('big.bin')
    expect(await received('big.bin')).toBe(1_000_000)
    // A piece beyond the end would leave a gap.
    expect(await upload('big.bin', bytes.subarray(2_000_000), { offset: '2000000' })).toMatchObject({
      status: 409,
      json: { reason: 'wrong offset' },
    })
    // A piece whose reply was lost is sent again.
    await upload('big.bin', bytes.subarray(500_000, 1_500_000), { offset: '500000' })
    expect(
      (await upload('big.bin', bytes.subarray(1_500_000), { offset: '1500000', final: 'true' })).json
        .received,
    ).toBe(3_000_000)
    expect((await download('big.bin')).equals(bytes)).toBe(true)
    expect(await names('')).not.toContain('.big.bin.part')
    expect(await received('big.bin')).toBe(0)
  })

  it('replaces another file only on request, and creates an empty file when it has no bytes', async () => {
    await upload('one.txt', Buffer.from('first'), { offset: '0', final: 'true' })
    expect(await upload('one.txt', Buffer.from('second'), { offset: '0', final: 'true' })).toMatchObject({
      status: 409,
      json: { reason: 'exists' },
    })
    expect((await read('one.txt')).json.text).toBe('first')
    // After the user has agreed to replace the file, its bytes need not be sent again.
    expect(
      (await upload('one.txt', new Uint8Array(), { offset: '6', final: 'true', replace: 'true' })).status,
    ).toBe(200)
    expect((await read('one.txt')).json.text).toBe('second')
    expect((await upload('empty', new Uint8Array(), { offset: '0', final: 'true' })).json).toEqual({
      received: 0,
    })
    expect((await read('empty')).json).toMatchObject({ text: '', size: 0 })
  })

  it('is rejected if its folder is missing, if it is too large or if its body is not bytes', async () => {
    expect((await upload('none/x', Buffer.from('x'), { offset: '0', final: 'true' })).status).toBe(404)
    expect((await upload('huge', Buffer.alloc(8 * 1024 * 1024 + 1), { offset: '0' })).status).toBe(413)
    const json = await server.call('PUT', at(api.files.upload, { path: 'j', offset: '0' }), {
      as: ada.token,
      body: { a: 1 },
    })
    expect(json.status).toBe(415)
    expect((await upload('x', Buffer.from('x'), { offset: '-1' })).status).toBe(400)
  })
})
