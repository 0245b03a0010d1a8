// @ts-check
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'rolldown'

const source = join(import.meta.dirname, 'src')

/** The server, and every command in cli/. */
function entries() {
  const folder = join(source, 'cli')
  const commands = existsSync(folder) ? readdirSync(folder).filter((name) => /^[^.]+\.ts$/.test(name)) : []
  return Object.fromEntries([
    ['main', join(source, 'main.ts')],
    ...commands.map((name) => [`cli/${name.slice(0, -'.ts'.length)}`, join(folder, name)]),
  ])
}

export default defineConfig({
  input: entries(),
  platform: 'node',
  // npm packages stay where npm put them; our own packages are TypeScript and are built in.
  external: (id) => /^[a-z@]/i.test(id) && !id.startsWith('@flotilla/'),
  output: {
    dir: join(import.meta.dirname, 'dist'),
    format: 'esm',
    sourcemap: true,
    cleanDir: true,
    // Beside main.js, so that a path taken from import.meta.dirname means the same wherever the code ends up.
    chunkFileNames: '[name]-[hash].js',
  },
})
