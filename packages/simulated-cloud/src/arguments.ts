import { ModuleError } from './language/values'

/** The command line, which is that of the real engine. */
export interface Arguments {
  command: string
  /** What is no option. */
  rest: string[]
  /** `-out=x` as out: x, `-json` as json: 'true'; of several, the last. */
  options: Record<string, string>
  /** Of options that may be there several times. */
  all(name: string): string[]
}

const commands = new Set([
  'init',
  'validate',
  'plan',
  'apply',
  'destroy',
  'show',
  'output',
  'state',
  'force-unlock',
  'version',
])

export function parseArguments(argv: string[]): Arguments {
  const given = argv.filter((word) => word.startsWith('-')).map((word) => word.replace(/^--?/, ''))
  const [command = '', ...rest] = argv.filter((word) => !word.startsWith('-'))
  if (!commands.has(command)) {
    throw new ModuleError(`The simulated cloud supports ${[...commands].join(', ')}, but not “${command}”`)
  }
  const pairs = given.map((word): [string, string] => {
    const at = word.indexOf('=')
    return at < 0 ? [word, 'true'] : [word.slice(0, at), word.slice(at + 1)]
  })
  return {
    command,
    rest,
    options: Object.fromEntries(pairs),
    all: (name) => pairs.flatMap(([one, value]) => (one === name ? [value] : [])),
  }
}
