// @ts-check
// The benches run on plain Node, which reads no TypeScript; what the tests have written is made readable for it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** @param {string} file from the root of the repository */
async function load(file) {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-bench-code-'))
  try {
    const bundle = await rolldown({ input: join(root, file), platform: 'node', logLevel: 'silent' })
    await bundle.write({ file: join(folder, 'code.mjs'), format: 'esm' })
    await bundle.close()
    return await import(pathToFileURL(join(folder, 'code.mjs')).href)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * A private Slurm, as the tests have it.
 * @param {{ nodes: number, cpus?: number, conf?: string }} options
 * @returns {Promise<{ env: { SLURM_CONF: string }, workdir: string, stop: () => Promise<void> }>}
 */
export const startSlurm = async (options) =>
  (await load('apps/server/test/support/schedulers/slurm.ts')).startSlurm(options)

/**
 * The typed client and the calls it can make. Replies are not validated: that would be measured too.
 * @returns {Promise<{ connect: (url: string) => Client, api: typeof import('@flotilla/contract/api').api }>}
 * @typedef {ReturnType<typeof import('@flotilla/client/client').createCalls>} Client
 */
export const loadClient = async () => {
  const files = ['client/src/client.ts', 'contract/src/api.ts'].map((file) => load(`packages/${file}`))
  const [{ createCalls, createSend }, { api }] = await Promise.all(files)
  /** @param {string} url */
  const connect = (url) =>
    createCalls(
      createSend((/** @type {string} */ path, /** @type {RequestInit} */ init) => fetch(url + path, init)),
      { validate: false },
    )
  return { connect, api }
}

/** What drives OpenTofu, as the server has it. */
export const loadEngines = async () => {
  const files = ['tofu', 'find', 'environment'].map((name) => load(`apps/server/src/engines/${name}.ts`))
  const [{ createTofu }, { findTofu, simulatedProgram }, { engineEnvironment }] = await Promise.all(files)
  return { createTofu, findTofu, simulatedProgram, engineEnvironment }
}

/** How the server signs records of the audit trail. */
export const loadAudit = async () => {
  const files = ['modules/activities/records', 'secrets/secrets'].map((name) =>
    load(`apps/server/src/${name}.ts`),
  )
  const [{ makeSign, signed }, { openMasterKey }] = await Promise.all(files)
  return { makeSign, signed, openMasterKey }
}

/** What connects browsers with desktops, as the server has it. */
export const loadDesktops = async () => {
  const files = ['bridge', 'host', 'vnc-auth'].map((name) =>
    load(`apps/server/src/modules/desktops/${name}.ts`),
  )
  const [{ bridge }, { makeDesktopHost }, { isRightAnswer, newChallenge }] = await Promise.all(files)
  const { localTransport } = await load('apps/server/src/transports/local/local.ts')
  return { bridge, makeDesktopHost, isRightAnswer, newChallenge, localTransport }
}
