import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import pino from 'pino'
import { expect, it } from 'vitest'
import { strictestConfig } from '@flotilla/contract/site/config'
import { openRuntimeConfig } from './runtime'

const SERVER_UID = 65_534

/** Runs `work` with the rights of a server that does not run as root. */
async function withoutRoot<T>(work: () => Promise<T>): Promise<T> {
  process.seteuid?.(SERVER_UID)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}

it('keeps the last good settings while the file, or the folder around it, cannot be read', async () => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-config-'))
  try {
    const assets = path.join(dataDir, 'assets')
    const file = path.join(assets, 'config.json')
    await mkdir(assets)
    for (const folder of [dataDir, assets]) await chown(folder, SERVER_UID, SERVER_UID)
    const started = () => openRuntimeConfig(dataDir, pino({ level: 'silent' }))
    const read = () =>
      withoutRoot(async () => ({ ...(await started().config()), problems: await started().problems() }))

    await writeFile(file, '{"register":false,"idleTimer":300}', { mode: 0o600 })
    // The file is root's, and the server has never been able to read it.
    expect(await read()).toMatchObject(strictestConfig)
    await chmod(file, 0o644)
    expect(await read()).toMatchObject({ register: false, idleTimer: 300, problems: [] })

    for (const spoil of [
      () => chmod(file, 0o600),
      () => chown(assets, 0, 0).then(() => chmod(assets, 0o700)),
    ]) {
      await spoil()
      const { problems, ...config } = await read()
      expect(config).toMatchObject({ register: false, idleTimer: 300 })
      expect(problems[0]).toBe('config.json cannot be read (EACCES)')
      expect(problems[1]).toContain('the last valid values')
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
