import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes the operator's config.json, which the server reloads when it changes. */
export async function writeConfig(dataDir: string, config: object | string): Promise<void> {
  const folder = join(dataDir, 'assets')
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, 'config.json'),
    typeof config === 'string' ? config : JSON.stringify(config, null, 2),
  )
}
