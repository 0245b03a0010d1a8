import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { expect, test } from 'vitest'
import { testSite, testTarget } from '../../test/support/database/backup'
import { newDatabase } from '../../test/support/database/database'
import { testFolder } from '../../test/support/folder'
import { newHeader, seal } from './container'
import { openBackup, verify } from './read-backup'
import { record } from './records'

const PASSPHRASE = 'correct horse battery staple'

const copied = async (bytes: Buffer): Promise<string> => {
  const file = path.join(await testFolder(), 'changed.backup')
  await writeFile(file, bytes)
  return file
}

/** Verifies a backup, as a restore does before it checks its target. */
const verified = async (file: string, passphrase?: string) => verify(await openBackup(file, passphrase))

let plain: Buffer
let encrypted: Buffer
test('an encrypted backup opens only with its passphrase and hides its content', async () => {
  const site = await testSite()
  // Random text barely compresses, so there are several chunks.
  const secret = `a line that must not be seen ${randomBytes(150_000).toString('hex')}`
  await mkdir(path.join(site.dataDir, 'assets'))
  await writeFile(path.join(site.dataDir, 'assets/intro.html'), secret)
  const made = await site.backup({ passphrase: PASSPHRASE })
  expect(made.encrypted).toBe(true)
  encrypted = await readFile(made.file)
  plain = await readFile((await site.backup()).file)
  const key = (await readFile(site.masterKeyFile, 'utf8')).trim()
  for (const hidden of [PASSPHRASE, key, 'a line that must']) expect(encrypted.includes(hidden)).toBe(false)
  await verified(made.file, PASSPHRASE)
  const target = await testTarget()
  await expect(target.restore(made.file)).rejects.toThrow('This backup is encrypted. Set BACKUP_PASSPHRASE')
  await expect(target.restore(made.file, { passphrase: 'wrong' })).rejects.toThrow('is not the one')
  await expect(readdir(target.dataDir)).rejects.toThrow('ENOENT')
  await target.restore(made.file, { passphrase: PASSPHRASE })
  expect(await readFile(path.join(target.dataDir, 'assets/intro.html'), 'utf8')).toBe(secret)
})

/** Positions in the header lines, in the first chunk, in the middle, and in the last chunk with its tag. */
const places = (bytes: Buffer) => {
  let header = 0
  for (let line = 0; line < 3; line++) header = bytes.indexOf('\n', header) + 1
  const last = bytes.length
  return {
    magic: 3,
    header: bytes.indexOf('"salt"') + 12,
    checksum: header - 5,
    'length of a chunk': header,
    'first chunk': header + 20,
    middle: Math.floor((header + last) / 2),
    'last chunk': last - 40,
    'last tag': last - 3,
    'last byte': last - 1,
  }
}

test('a byte changed anywhere is detected before anything is restored', async () => {
  // Deriving the key of an encrypted backup is slow, so only two of its positions are tried.
  for (const [bytes, some] of [
    [plain, Object.entries(places(plain))],
    [encrypted, Object.entries(places(encrypted)).slice(5, 7)],
  ] as const)
    for (const [name, at] of some) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      const file = await copied(changed)
      await expect(verified(file, PASSPHRASE), name).rejects.toThrow(/damaged|not a Flotilla backup/)
    }
  const target = await testTarget()
  const changed = Buffer.from(plain)
  changed[plain.length - 1] = (changed[plain.length - 1] ?? 0) ^ 1
  await expect(target.restore(await copied(changed))).rejects.toThrow('damaged')
  await expect(readdir(target.dataDir)).rejects.toThrow('ENOENT')
})

test('a file that is truncated or followed by more bytes is rejected', async () => {
  const { 'length of a chunk': first, middle } = places(plain)
  for (const end of [0, 10, first - 1, first, first + 2, middle, plain.length - 17, plain.length - 1])
    await expect(verified(await copied(plain.subarray(0, end))), String(end)).rejects.toThrow(
      /damaged|not a Flotilla backup/,
    )
  for (const more of [Buffer.from('x'), plain.subarray(first)])
    await expect(verified(await copied(Buffer.concat([plain, more])))).rejects.toThrow('damaged')
})

test('a file with chunks dropped, swapped or repeated is rejected', async () => {
  const { 'length of a chunk': start } = places(plain)
  const chunks: Buffer[] = []
  for (let at = start; at < plain.length;) {
    const end = at + 4 + plain.readUInt32BE(at) + 16
    chunks.push(plain.subarray(at, end))
    at = end
  }
  const [lines, first = lines, second = lines] = [plain.subarray(0, start), ...chunks]
  if (chunks.length < 2) throw new Error('the backup of this test is too small')
  for (const order of [[second, first], [first], [first, first, second], [second]])
    await expect(
      verified(await copied(Buffer.concat([lines, ...order, ...chunks.slice(2)]))),
    ).rejects.toThrow('damaged')
})

/** An undamaged file with forged content. */
async function forged(...files: { path: string; kind: 'file' | 'folder' }[]): Promise<string> {
  const file = path.join(await testFolder(), 'forged.backup')
  const records = async function* () {
    yield* record({ kind: 'manifest', migrations: [], masterKeyMark: null, homes: '/' })
    for (const one of files) yield* record({ ...one, root: 'data', mode: 0o600, modifiedAt: 0 })
  }
  const sealer = await newHeader(undefined, { version: '1', createdAt: 0 })
  await pipeline(Readable.from(records()), createGzip(), seal(sealer), createWriteStream(file))
  return file
}

test.each(['../x', '/x', 'a/../../x', 'nowhere/x', '', 'a//b'])(
  'a file at "%s" is rejected',
  async (name) => {
    const file = await forged({ path: 'a', kind: 'folder' }, { path: name, kind: 'file' })
    await expect(verified(file)).rejects.toThrow('outside of its folder')
  },
)

test('a backup with too few records is rejected', async () => {
  await expect(verified(await forged())).rejects.toThrow('not in order')
})

test('a target that is not empty stays unchanged', async () => {
  const site = await testSite()
  const { file } = await site.backup()
  const target = await testTarget()
  await expect(target.restore('/nonexistent/file')).rejects.toThrow('cannot be read')

  await mkdir(target.dataDir)
  await writeFile(path.join(target.dataDir, 'precious'), 'precious')
  await expect(target.restore(file)).rejects.toThrow('is not empty (it has precious)')
  expect(await readdir(target.dataDir)).toEqual(['precious'])

  const elsewhere = { dataDir: path.join(await testFolder(), 'new') }
  const used = await newDatabase()
  await expect(target.restore(file, { ...elsewhere, databaseUrl: used.url })).rejects.toThrow('is not empty')
  await used.drop()
  const masterKeyFile = path.join(target.dataDir, 'precious')
  await expect(target.restore(file, { ...elsewhere, masterKeyFile })).rejects.toThrow('already exists')
  await expect(readdir(elsewhere.dataDir)).rejects.toThrow('ENOENT')
  expect(await readFile(masterKeyFile, 'utf8')).toBe('precious')
})
