// @ts-check
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { defineConfig } from 'rolldown'

const source = join(import.meta.dirname, 'src')

/** The server and every command of cli/; a `*-worker.ts`, which runs as a process of its own, comes out beside main.js. */
function entries() {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  const commands = files.filter((file) => /^cli\/[^./]+\.ts$/.test(file))
  const workers = files.filter((file) => file.endsWith('-worker.ts'))
  return Object.fromEntries([
    ['main', join(source, 'main.ts')],
    ...commands.map((file) => [file.slice(0, -'.ts'.length), join(source, file)]),
    ...workers.map((file) => [basename(file, '.ts'), join(source, file)]),
  ])
}

export default defineConfig({
  input: entries(),
  platform: 'node',
  // npm packages stay where npm put them; our own packages are TypeScript and are built in. So is the little that we
  // use of zod: to load all of it costs more than everything else in a command that runs for a moment.
  external: (id) => /^[a-z@]/i.test(id) && !/^(@flotilla|zod)\//.test(id),
  output: {
    dir: join(import.meta.dirname, 'dist'),
    format: 'esm',
    sourcemap: true,
    cleanDir: true,
    // Beside main.js, so that a path taken from import.meta.dirname means the same wherever the code ends up.
    chunkFileNames: '[name]-[hash].js',
  },
})
