import { ModuleError } from './language/values'

/** The command line, which is the same as the real engine's. */
export interface Arguments {
  command: string
  /** The positional arguments after the command. */
  rest: string[]
  /** `-out=x` is `out: 'x'` and `-json` is `json: 'true'`; if repeated, the last one wins. */
  options: Record<string, string>
  /** All values of an option that may be repeated. */
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
