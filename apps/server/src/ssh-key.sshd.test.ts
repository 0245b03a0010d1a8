import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import ssh2 from 'ssh2'
import { expect, test } from 'vitest'
import { makeSshKey, publicKeyIn } from './ssh-key'

test('ssh-keygen reads the same public key and comment from the private key', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-'))
  const { publicKey, privateKey } = makeSshKey('anna@flotilla')
  const file = path.join(folder, 'key')
  await writeFile(file, privateKey, { mode: 0o600 })
  expect(execFileSync('ssh-keygen', ['-y', '-f', file], { encoding: 'utf8' }).trim()).toBe(publicKey)
  expect(`${publicKeyIn(privateKey)} anna@flotilla`).toBe(publicKey)
  await rm(folder, { recursive: true })
})

test('every generated pair can be parsed', () => {
  // The library cannot parse one in 256 of the pairs that it generates.
  const unreadable = Array.from({ length: 2_000 }, () => makeSshKey('x')).filter(
    ({ publicKey, privateKey }) =>
      ssh2.utils.parseKey(publicKey) instanceof Error || ssh2.utils.parseKey(privateKey) instanceof Error,
  )
  expect(unreadable).toEqual([])
})
