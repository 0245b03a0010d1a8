import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import type { Plugin, Rolldown } from 'vite'
// By path: Node reads this file and does not resolve the workspace's TypeScript.
import { RuntimeConfig } from '../../packages/contract/src/site/config'
import { license } from '../../packages/contract/src/site/license'
import { LICENSE_DELAY_MS } from '../../packages/contract/src/limits'

const server = process.env.FLOTILLA_SERVER ?? 'http://127.0.0.1:12345'

/** What index.html needs before any script runs; each is defined once, in the contract or its own file. */
const pageConstants = (): Plugin => ({
  name: 'page-constants',
  transformIndexHtml: {
    order: 'post',
    handler: async (html, { bundle = {}, chunk }) => {
      const member = chunksBehind(
        bundle,
        ['shell/shell.tsx', 'login/auth-calls.ts', 'table/data-table.tsx'],
        chunk?.fileName,
      )
      // Inlined: an image this small is not worth a request.
      const favicon = await readFile(new URL('public/favicon.svg', import.meta.url), 'utf8')
      return {
        html: html
          .replace('%NAME%', RuntimeConfig.parse({}).branding.name)
          .replace('%LICENSE_DELAY_MS%', String(LICENSE_DELAY_MS))
          .replace('%LICENSE_PATH%', license.view.path)
          .replace('%MEMBER_CHUNKS%', member.join(' ')),
        tags: [
          {
            tag: 'link',
            attrs: {
              rel: 'icon',
              type: 'image/svg+xml',
              href: `data:image/svg+xml,${encodeURIComponent(favicon.trim())}`,
            },
            injectTo: 'head',
          },
        ],
      }
    },
  },
})

/** The chunks that these modules need in addition to the entry's: public/boot.js preloads them. */
function chunksBehind(bundle: Rolldown.OutputBundle, modules: string[], entry = ''): string[] {
  const imports = (file: string, seen = new Set<string>()): Set<string> => {
    const chunk = bundle[file]
    if (seen.has(file) || chunk?.type !== 'chunk') return seen
    seen.add(file)
    for (const next of chunk.imports) imports(next, seen)
    return seen
  }
  const first = imports(entry)
  const needed = Object.values(bundle)
    .filter((chunk) => chunk.type === 'chunk')
    .filter(({ moduleIds }) => modules.some((module) => moduleIds.some((id) => id.endsWith(module))))
    .flatMap(({ fileName }) => [...imports(fileName)])
  return [...new Set(needed)].filter((file) => !first.has(file)).map((file) => `/${file}`)
}

/**
 * The bundler's few helpers come as a chunk of their own, which would be one more request of every page: they are moved
 * into the entry, which every other chunk imports anyway.
 */
const helpersInEntry = (): Plugin => ({
  name: 'helpers-in-entry',
  apply: 'build',
  generateBundle: {
    order: 'pre',
    handler: (_options, bundle) => {
      const chunkList = Object.values(bundle).filter((file) => file.type === 'chunk')
      const helpers = chunkList.find(({ name }) => name === 'rolldown-runtime')
      const entry = chunkList.find(({ name }) => name === 'app')
      // The component gallery has a different entry, and its load time does not matter.
      if (!entry) return
      const [, body, exported] = /^(.*)export\s*\{([^}]*)\};?\s*$/s.exec(helpers?.code ?? '') ?? []
      if (!helpers || body === undefined || exported === undefined)
        throw new Error('The chunk of helpers no longer looks as it did')
      const pairs = (list: string) => list.split(',').map((one) => one.trim().split(' as '))
      const all = pairs(exported).map(([local, name = local]) => ({ local, name, ours: `$helper_${name}` }))
      const from = new RegExp(`import\\s*\\{([^}]*)\\}\\s*from\\s*"\\./${basename(helpers.fileName)}";?`)
      for (const chunk of chunkList) {
        const imported = pairs(from.exec(chunk.code)?.[1] ?? '').filter(([name]) => name)
        const bindings = imported.map(([name, local = name]) => [`$helper_${name}`, local])
        const line =
          chunk === entry
            ? `var{${all.map(({ name, ours }) => `${name}:${ours}`).join()}}=(()=>{${body}return{${all.map(({ name, local }) => `${name}:${local}`).join()}}})(),` +
              `${bindings.map(([ours, local]) => `${local}=${ours}`).join()};`
            : `import{${bindings.map(([ours, local]) => `${ours} as ${local}`).join()}}from"./${basename(entry.fileName)}";`
        chunk.code = chunk.code.replace(from, () => line)
        if (chunk === entry) chunk.code += `export{${all.map(({ ours }) => ours).join()}};`
        chunk.imports = chunk.imports.filter((file) => file !== helpers.fileName)
      }
      delete bundle[helpers.fileName]
    },
  },
})

/** Puts our own function around every `import()`, instead of Vite's helper, which gives up after one failed request. */
const patientImports = (): Plugin => ({
  name: 'patient-imports',
  enforce: 'pre',
  apply: 'build',
  load: {
    filter: { id: /^\0vite\/preload-helper\.js$/ },
    handler: () => `export { loadPart as __vitePreload } from '/src/load-part'`,
  },
})

/** Below this size, compression saves no packet. */
const WORTH_IT_BYTES = 1024

/** Each text file also as .br and .gz: the server sends what the browser accepts and compresses nothing itself. */
const compressed = (): Plugin => {
  let folder = ''
  return {
    name: 'compressed',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = resolve(root, build.outDir)
    },
    closeBundle: async () => {
      const files = await readdir(folder, { recursive: true })
      await Promise.all(
        files.filter((file) => /\.(js|css|html|svg)$/.test(file)).map((file) => compress(join(folder, file))),
      )
    },
  }
}

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file)
  if (bytes.length < WORTH_IT_BYTES) return
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    promisify(gzip)(bytes, { level: 9 }),
  ])
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)])
}

/**
 * What is loaded together, so that a page needs few requests: guests get the entry with React, the router, the gates
 * and the login page; logged-in users also get `calls` (the contract's schemas) and `behind-login` (shell, queries,
 * tables), and `kit` with the first page that has more than a list. The cluster list, where most visits begin, is one chunk, and the bundler splits everything else by
 * page. The earlier of two groups wins, and includes its modules' dependencies.
 */
const chunks = [
  { name: 'app', test: /web.index\.html/ },
  {
    name: 'calls',
    test: /node_modules.zod.|web.src.(api.call|guest.by-schema|ui.(button.button|feedback.callout))\.tsx?|client.src.(client|request|error-reply)\.ts|contract.src.(people.(auth|users|ldap)|site.(config|ui)|endpoint|lists)\.ts/,
  },
  {
    name: 'behind-login',
    test: /web.src.(api.(?!io|license|growing-log)|session.(?!use-leave-guard)|shell.shell\.tsx|table.(?!list-page|server-table|export-menu|rows.use-server-rows|selection.use-kept-selection|state.(state-chips|table-query))|ui.(?!log.|feedback.(test-steps|progress-bar)|form.(radio-cards|combobox|switch|secret-textarea|use-debounced)|layout.(split-pane|link-tabs|use-wide)|overlay.(confirm-dialog|error-dialog)|status.(accent|resource-kinds)))/,
  },
  {
    name: 'kit',
    test: /web.src.(session.use-leave-guard|table.|ui.(feedback.progress-bar|form.(switch|use-debounced)|layout.(link-tabs|use-wide)|overlay.(confirm-dialog|error-dialog)))/,
  },
  {
    name: 'clusters',
    test: /web.src.pages.clusters.(clusters\.tsx|list.(?!first-run|use-run-example|run-example))/,
  },
  { name: 'icons', test: /lucide-react.dist.esm.icons/, minShareCount: 2 },
].map((group, at, all) => ({ ...group, priority: all.length - at }))

export default defineConfig({
  // React has had this hook since version 18: the router's shim for older versions need not be shipped.
  resolve: {
    alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' },
  },
  plugins: [react(), tailwindcss(), patientImports(), helpersInEntry(), pageConstants(), compressed()],
  build: {
    target: 'es2022',
    assetsDir: 'static', // /assets is the runtime configuration, which the server serves
    manifest: true,
    // boot.js preloads the first chunks, and hovering a link the next ones: a list of them in every page would only add
    // size.
    modulePreload: false,
    rolldownOptions: { output: { codeSplitting: { groups: chunks } } },
    // Everything as separate files: the content security policy allows no data: scripts or styles.
    assetsInlineLimit: 0,
  },
  server: {
    host: '127.0.0.1',
    proxy: {
      '/api': { target: server, ws: true },
      '/assets': server,
      '/socket.io': { target: server, ws: true },
    },
  },
})
