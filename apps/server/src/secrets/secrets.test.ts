import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { testFolder } from '../../test/support/folder'
import { openMasterKey } from './secrets'

const newKeyFile = async () => path.join(await testFolder(), 'keys', 'master.key')

test('creates a key that only its owner can read, and reads it the next time', async () => {
  const file = await newKeyFile()
  const sealed = (await openMasterKey(file)).seal('hello', 'a')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(path.dirname(file))).toEqual(['master.key'])
  expect((await openMasterKey(file)).open(sealed, 'a').toString()).toBe('hello')
})

test('servers that start at the same time share one key', async () => {
  const file = await newKeyFile()
  const all = await Promise.all(Array.from({ length: 20 }, () => openMasterKey(file)))
  expect(new Set(all.map((secrets) => secrets.deriveKey('x').toString('hex'))).size).toBe(1)
  expect(await readdir(path.dirname(file))).toEqual(['master.key'])
})

test('bytes and text of any length open unchanged', async () => {
  const secrets = await openMasterKey(await newKeyFile())
  for (const value of ['', 'pässwörd 🚢', 'x'.repeat(100_000)])
    expect(secrets.open(secrets.seal(value, 'a'), 'a').toString()).toBe(value)
  const bytes = Buffer.from([0, 255, 128, 10])
  expect(secrets.open(secrets.seal(bytes, 'a'), 'a')).toEqual(bytes)
})

test('sealing the same text again gives another value, and none contains the text', async () => {
  const secrets = await openMasterKey(await newKeyFile())
  const sealed = Array.from({ length: 50 }, () => secrets.seal('password', 'a'))
  expect(new Set(sealed).size).toBe(50)
  expect(sealed.join()).not.toContain('password')
})

test('a value with any byte changed cannot be decrypted', async () => {
  const secrets = await openMasterKey(await newKeyFile())
  const sealed = secrets.seal('password', 'a')
  const [version = '', text = ''] = sealed.split('.')
  const bytes = Buffer.from(text, 'base64url')
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes)
    changed[i] = (changed[i] ?? 0) ^ 1
    expect(() => secrets.open(`${version}.${changed.toString('base64url')}`, 'a')).toThrow(
      'cannot be decrypted',
    )
  }
  for (const broken of ['', 'v1', 'v1.', 'password', `v2.${text}`, `${sealed}.x`, `v1.${text.slice(0, 20)}`])
    expect(() => secrets.open(broken, 'a')).toThrow('has a format')
  expect(() => secrets.open(`v1.${text.slice(0, -8)}`, 'a')).toThrow('cannot be decrypted')
})

test('a value that was moved or belongs to another key cannot be decrypted', async () => {
  const secrets = await openMasterKey(await newKeyFile())
  const sealed = secrets.seal('password', 'users/1/ssh-key')
  expect(() => secrets.open(sealed, 'users/2/ssh-key')).toThrow('cannot be decrypted')
  const other = await openMasterKey(await newKeyFile())
  expect(() => other.open(sealed, 'users/1/ssh-key')).toThrow('another master key')
})

test('derived keys differ by purpose and are stable', async () => {
  const file = await newKeyFile()
  const secrets = await openMasterKey(file)
  expect(secrets.deriveKey('tokens')).toHaveLength(32)
  expect(secrets.deriveKey('tokens')).toEqual((await openMasterKey(file)).deriveKey('tokens'))
  expect(secrets.deriveKey('tokens')).not.toEqual(secrets.deriveKey('codes'))
  expect(secrets.deriveKey('tokens').toString('base64')).not.toBe((await readFile(file, 'utf8')).trim())
})

test('a key that others can read is rejected with instructions', async () => {
  const file = await newKeyFile()
  await openMasterKey(file)
  await chmod(file, 0o640)
  await expect(openMasterKey(file)).rejects.toThrow(/mode 640.*chmod 600/s)
  await chmod(file, 0o400)
  await openMasterKey(file)
})

test('a corrupted key is rejected and never replaced', async () => {
  const file = await newKeyFile()
  await openMasterKey(file)
  const good = await readFile(file, 'utf8')
  for (const bad of ['', 'c2hvcnQ=', `${good.trim()}AAAA`, good.replace(/^./, '!'), good.slice(0, 20)]) {
    await writeFile(file, bad)
    await expect(openMasterKey(file)).rejects.toThrow('corrupted')
    expect(await readFile(file, 'utf8')).toBe(bad)
  }
})
