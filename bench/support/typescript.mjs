// @ts-check
// The benchmarks run on plain Node, which cannot load TypeScript, so the server's and tests' modules are bundled for
// it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { root } from '../../scripts/running/child.mjs'

/** @param {string} file from the root of the repository */
async function load(file) {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-bench-code-'))
  try {
    const bundle = await rolldown({ input: join(root, file), platform: 'node', logLevel: 'silent' })
    await bundle.write({ file: join(folder, 'code.mjs'), format: 'esm', codeSplitting: false })
    await bundle.close()
    return await import(pathToFileURL(join(folder, 'code.mjs')).href)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * A private Slurm, like the one of the tests.
 * @param {{ nodes: number, cpus?: number, conf?: string }} options
 * @returns {Promise<{ env: { SLURM_CONF: string }, workdir: string, stop: () => Promise<void> }>}
 */
export const startSlurm = async (options) =>
  (await load('apps/server/test/support/schedulers/slurm.ts')).startSlurm(options)

/**
 * The typed client and its endpoints. Replies are not validated, because that would be part of the measurement.
 * @returns {Promise<{ connect: (url: string, more?: Record<string, string>) => Client, api: typeof import('@flotilla/contract/api').api }>}
 * @typedef {ReturnType<typeof import('@flotilla/client/client').createCalls>} Client
 */
export const loadClient = async () => {
  const files = ['packages/client/src/client.ts', 'packages/contract/src/api.ts'].map(load)
  const [{ createCalls, createSend }, { api }] = await Promise.all(files)
  /** @param {string} url @param {Record<string, string>} [more] headers of every call */
  const connect = (url, more = {}) =>
    createCalls(
      createSend((/** @type {string} */ path, /** @type {RequestInit} */ init) => {
        const headers = new Headers(init.headers)
        for (const [name, value] of Object.entries(more)) headers.set(name, value)
        return fetch(url + path, { ...init, headers })
      }),
      { validate: false },
    )
  return { connect, api }
}

/** The server's own module that runs OpenTofu. */
export const loadEngines = async () => {
  const files = [
    'apps/server/src/engines/tofu/tofu.ts',
    'apps/server/src/engines/tofu/find.ts',
    'apps/server/src/engines/process/environment.ts',
  ].map(load)
  const [{ createTofu }, { findTofu, simulatedProgram }, { engineEnvironment }] = await Promise.all(files)
  return { createTofu, findTofu, simulatedProgram, engineEnvironment }
}

/** The server's own functions that sign audit records. */
export const loadAudit = async () => {
  const files = ['apps/server/src/modules/activities/records.ts', 'apps/server/src/secrets/secrets.ts'].map(
    load,
  )
  const [{ makeSign, signed }, { openMasterKey }] = await Promise.all(files)
  return { makeSign, signed, openMasterKey }
}

/** The server's own modules that connect browsers to desktops. */
export const loadDesktops = async () => {
  const files = [
    'apps/server/src/modules/desktops/bridge.ts',
    'apps/server/src/modules/desktops/host.ts',
    'apps/server/src/modules/desktops/vnc/auth.ts',
  ].map(load)
  const [{ bridge }, { makeDesktopHost }, { isRightAnswer, newChallenge }] = await Promise.all(files)
  const { localTransport } = await load('apps/server/src/transports/local/local.ts')
  return { bridge, makeDesktopHost, isRightAnswer, newChallenge, localTransport }
}
