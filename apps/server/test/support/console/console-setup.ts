import { rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown, type RolldownOptions } from 'rolldown'
import { loadConfig } from 'rolldown/config'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    consoleFolder: string
  }
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** Builds the server with all its commands, once for the whole test run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The folder is inside the package, so that the built program finds its dependencies.
  const dir = path.join(here('../../../.cache/test'), `console-${process.pid}`)
  const config = await loadConfig(here('../../../rolldown.config.mjs'))
  for (const { output, ...input } of [config].flat() as RolldownOptions[]) {
    const [{ file, ...how } = {}] = [output].flat()
    const bundle = await rolldown(input)
    const place = file === undefined ? { dir } : { file: path.join(dir, path.basename(file)), dir: undefined }
    await bundle.write({ ...how, ...place, sourcemap: false })
    await bundle.close()
  }
  project.provide('consoleFolder', dir)
  return () => rm(dir, { recursive: true, force: true })
}
