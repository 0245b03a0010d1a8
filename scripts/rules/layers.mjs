// @ts-check
// Which folder may import which: edit this table when the architecture changes deliberately. scripts/rules/imports.mjs
// checks it.

export const everything = ['*']
const infrastructure = ['files', 'db', 'queue', 'live', 'runtime', 'secrets', 'mail']

/**
 * The folders of a root, each with those it may import in addition to itself, the contract and npm packages. `top`
 * lists prefixes of the files that wire everything together; `files` are all other files outside of folders.
 * `alsoAllowed` lists paths outside the root that it may import, `packages` the only npm packages that it may import.
 * @type {Record<string, { top: string[], alsoAllowed?: string[], packages?: string[], layers: Record<string, string[]> }>}
 */
export const roots = {
  'packages/contract/src': {
    top: ['api.ts'],
    packages: ['zod'],
    alsoAllowed: ['package.json'],
    layers: {
      files: [],
      site: ['files'],
      people: ['files', 'site'],
      clouds: ['files', 'site'],
      clusters: ['files', 'site', 'clouds'],
      jobs: ['files', 'clusters'],
      apps: ['files', 'jobs'],
      stacks: ['files', 'site', 'clouds', 'clusters'],
      desktops: ['files'],
      trainings: ['files', 'site', 'people', 'clusters', 'stacks'],
      courses: ['files', 'stacks'],
    },
  },
  'packages/client/src': { top: [], packages: [], layers: { files: [] } },
  'packages/system/src': { top: [], layers: { files: [] } },
  'packages/simulated-cloud/src': {
    alsoAllowed: ['packages/system/src/'],
    top: ['commands.ts', 'run.ts', 'packer.ts'],
    layers: {
      language: [],
      files: ['language'],
      clouds: ['language'],
      module: ['language'],
      state: ['language'],
      world: ['language'],
      plan: ['language', 'clouds', 'module', 'state'],
      apply: ['files', 'language', 'clouds', 'module', 'state', 'world', 'plan'],
    },
  },
  'apps/server/src': {
    // The demo calls the server like any other client.
    alsoAllowed: ['packages/client/src/', 'packages/system/src/', 'packages/simulated-cloud/src/'],
    top: ['main.ts', 'server.ts', 'app.ts', 'open-modules.ts', 'first-admin.ts', 'sweep.ts', 'cli/'],
    layers: {
      files: [],
      disk: [],
      network: [],
      timing: [],
      db: ['files'],
      queue: ['files', 'db'],
      live: ['files', 'db'],
      runtime: ['files', 'disk'],
      secrets: ['files', 'db'],
      mail: ['files', 'db', 'queue', 'secrets'],
      backup: ['files', 'disk', 'db', 'queue', 'secrets'],
      http: [...infrastructure, 'disk'],
      transports: ['files', 'network'],
      executor: ['files', 'disk', 'network'],
      schedulers: ['files', 'transports', 'executor'],
      engines: ['files'],
      providers: ['files', 'network', 'timing', 'cloud-init', 'engines'],
      // Simulates the providers.
      simulated: ['files', 'providers'],
      'cloud-init': ['files'],
      burst: ['files', 'transports'],
      doctor: ['files', 'engines'],
      modules: [
        ...infrastructure,
        'disk',
        'network',
        'timing',
        'http',
        'providers',
        'simulated',
        'engines',
        'cloud-init',
        'burst',
        'doctor',
        'backup',
        'executor',
        'schedulers',
        'transports',
      ],
    },
  },
  'apps/web/src': {
    alsoAllowed: ['packages/client/src/'],
    // The gallery shows the UI components to developers and is not part of the product.
    top: ['main.tsx', 'router.tsx', 'routes.tsx', 'gallery.tsx', 'gallery/'],
    layers: {
      files: [],
      ui: [],
      table: ['ui'],
      forms: ['ui'],
      session: ['files', 'ui'],
      api: ['files', 'session', 'ui'],
      login: ['files', 'api', 'session', 'ui'],
      guest: ['files', 'api', 'session', 'ui', 'forms'],
      account: ['files', 'api', 'login', 'session', 'ui', 'forms', 'table'],
      editor: ['ui'],
      course: ['api', 'ui'],
      sharing: ['files', 'account', 'api', 'session', 'ui', 'forms'],
      submit: ['files', 'api', 'session', 'ui', 'forms'],
      clouds: ['api', 'ui', 'forms'],
      shell: [
        'files',
        'submit',
        'apps',
        'api',
        'login',
        'session',
        'guest',
        'account',
        'ui',
        'forms',
        'table',
      ],
      usage: ['files', 'api', 'shell', 'ui', 'table'],
      // Apps are shown on their own page, on cluster pages and to participants.
      apps: ['files', 'account', 'api', 'session', 'sharing', 'submit', 'ui', 'forms'],
      desktop: ['files', 'api', 'session', 'ui'],
      terminal: ['files', 'api', 'shell', 'ui'],
      pages: [
        'files',
        'apps',
        'usage',
        'desktop',
        'editor',
        'course',
        'terminal',
        'sharing',
        'submit',
        'clouds',
        'api',
        'login',
        'session',
        'shell',
        'guest',
        'account',
        'ui',
        'forms',
        'table',
      ],
    },
  },
  // Browser tests start the same real parts as server tests.
  e2e: {
    top: [''],
    alsoAllowed: [
      'scripts/',
      'apps/server/test/',
      'packages/client/src/',
      'packages/system/src/',
      'packages/simulated-cloud/src/',
    ],
    layers: {},
  },
}

/**
 * Folders whose subfolders import each other only through their entry points, `<name>.ts` and `open.ts`, or not at all.
 * All of them may import `shared`.
 * @type {{ folder: string, entryPoints: boolean, shared?: string[] }[]}
 */
export const siblings = [
  { folder: 'apps/server/src/modules', entryPoints: true },
  {
    folder: 'apps/server/src/providers',
    entryPoints: false,
    shared: ['fields', 'module', 'image', 'quota'],
  },
  { folder: 'apps/web/src/pages', entryPoints: false },
]

/** Where SQL is allowed. */
export const sqlPackages = ['kysely', 'pg']
export const sqlPlaces = [
  /^apps\/server\/src\/(db|queue|live)\//,
  /^apps\/server\/src\/modules\/.+\/store\.ts$/,
  // The demo's made-up history.
  /^apps\/server\/src\/cli\/demo\/store\.ts$/,
  // Site states that cannot be produced through the API.
  /^e2e\/support\/by-hand\.ts$/,
]
export const sqlCalls = /\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(/
