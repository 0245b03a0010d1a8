import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The operator's config.json; the server reads it anew when it changed. */
export async function writeConfig(dataDir: string, config: object | string): Promise<void> {
  const folder = join(dataDir, 'assets')
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, 'config.json'),
    typeof config === 'string' ? config : JSON.stringify(config, null, 2),
  )
}
