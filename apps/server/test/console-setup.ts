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

/** The server with all its commands, as the build makes it, once for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Inside the package, so that the built program finds its dependencies.
  const dir = path.join(here('../.cache/test'), `console-${process.pid}`)
  const config = await loadConfig(here('../rolldown.config.mjs'))
  // The build has one configuration with one output.
  const [{ output, ...input } = {}] = [config].flat() as RolldownOptions[]
  const bundle = await rolldown(input)
  await bundle.write({ ...[output].flat()[0], dir, sourcemap: false })
  await bundle.close()
  project.provide('consoleFolder', dir)
  return () => rm(dir, { recursive: true, force: true })
}
