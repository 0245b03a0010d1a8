// @ts-check
// Imports inside a module: which room may import which. scripts/rules/layers.mjs has the rules between folders;
// scripts/rules/imports.mjs checks both.
import { posix } from 'node:path'

/**
 * Modules with rooms, from the lowest up: each room with those it may import in addition to itself and `ground`, which
 * are the files in the module's own folder that every room may use. `top` assembles the module and may import
 * everything; `files` are all other files of its own folder.
 * @type {Record<string, { top: string[], ground: string[], rooms: Record<string, string[]> }>}
 */
export const modulesWithRooms = {
  'apps/server/src/modules/clusters': {
    top: ['open.ts', 'routes.ts'],
    ground: ['store.ts', 'stored-cluster.ts', 'wanted-nodes.ts', 'notify.ts'],
    rooms: {
      commands: [],
      accounts: ['commands'],
      connection: ['commands', 'accounts'],
      watch: ['commands', 'connection'],
      runs: ['commands', 'connection', 'watch'],
      vpn: ['connection'],
      sharing: [],
      views: ['connection'],
      saving: ['connection', 'runs', 'sharing'],
      files: ['commands', 'connection', 'watch', 'runs', 'sharing', 'views', 'saving'],
      'head-node': ['commands', 'connection', 'watch', 'files'],
      'cloud/workspace': [],
      'cloud/machines': ['commands', 'accounts', 'connection', 'runs', 'vpn', 'cloud/workspace'],
      'cloud/deploy': ['runs', 'cloud/workspace', 'cloud/machines'],
      cloud: ['runs', 'vpn', 'saving', 'files', 'cloud/workspace', 'cloud/deploy'],
      burst: ['commands', 'connection', 'runs', 'cloud/machines'],
    },
  },
  'apps/server/src/modules/users': {
    top: ['open.ts', 'routes.ts'],
    ground: ['store.ts', 'notify.ts', 'mails.ts'],
    rooms: {
      passwords: [],
      kinds: [],
      ending: [],
      files: ['passwords', 'kinds', 'ending'],
    },
  },
  'apps/server/src/modules/trainings': {
    top: ['open.ts', 'routes.ts'],
    ground: ['store.ts', 'notify.ts'],
    rooms: {
      seats: [],
      registrations: [],
      files: ['seats', 'registrations'],
      participants: ['seats', 'registrations', 'files'],
      preparation: ['seats', 'registrations', 'files', 'participants'],
    },
  },
  'apps/server/src/modules/jobs': {
    top: ['open.ts', 'routes.ts'],
    ground: ['store.ts'],
    rooms: { files: [], tracking: ['files'] },
  },
  'apps/server/src/modules/usage': {
    top: ['open.ts', 'routes.ts'],
    ground: ['ranges.ts'],
    rooms: {
      sums: [],
      'job-figures': ['sums'],
      'machine-figures': ['sums'],
      records: ['job-figures'],
      files: ['job-figures', 'machine-figures', 'records'],
    },
  },
  'apps/server/src/modules/courses': {
    top: ['open.ts', 'routes.ts'],
    ground: [],
    rooms: { progress: [], files: ['progress'] },
  },
  'apps/server/src/modules/apps': {
    top: ['open.ts', 'routes.ts'],
    ground: ['store.ts'],
    rooms: { files: [], sessions: ['files'], gateway: ['sessions'] },
  },
  'apps/server/src/modules/desktops': {
    top: ['open.ts', 'routes.ts'],
    ground: [],
    rooms: { vnc: [], files: ['vnc'] },
  },
  'apps/server/src/modules/snapshots': {
    top: ['open.ts'],
    ground: [],
    rooms: { pages: [], files: ['pages'] },
  },
}

const modules = 'apps/server/src/modules/'
/** @param {string} file */
const placeInModule = (file) => {
  const [name = '', ...inside] = file.startsWith(modules) ? file.slice(modules.length).split('/') : []
  return { module: modules + name, hasRoom: inside.length > 1 }
}

/**
 * The rule that an import between two rooms of a module violates, if any.
 * @param {string} from
 * @param {string} to
 * @returns {string | undefined}
 */
export function roomBreach(from, to) {
  for (const [module, { top, ground, rooms }] of Object.entries(modulesWithRooms)) {
    if (!from.startsWith(`${module}/`) || !to.startsWith(`${module}/`)) continue
    const roomOf = (/** @type {string} */ file) => {
      const inside = file.slice(module.length + 1)
      if (top.includes(inside)) return 'top'
      if (ground.includes(inside)) return 'ground'
      return inside.includes('/') ? posix.dirname(inside) : 'files'
    }
    const [here, there] = [roomOf(from), roomOf(to)]
    if (here === 'top' || here === there) return undefined
    const may = here === 'ground' ? [] : rooms[here]
    if (may === undefined) return `${here} is missing from the table in scripts/rules/rooms.mjs`
    if (there !== 'ground' && !may.includes(there))
      return `may import only ${[...new Set([here, 'ground', ...may])].join(', ')}`
    return undefined
  }
  const [here, there] = [placeInModule(from), placeInModule(to)]
  return here.module === there.module && (here.hasRoom || there.hasRoom)
    ? `${here.module} has rooms that have no place in the table of scripts/rules/rooms.mjs`
    : undefined
}
