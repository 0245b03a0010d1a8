export const NOBODY = 65534
const isRoot = process.getuid?.() === 0

/**
 * How a console can be started, with the command that starts its program. With root, every user has an account of their
 * own; without, all share one and namespaces isolate them.
 */
export const rootModes: [string, string[]][] = isRoot
  ? [
      ['under root', []],
      ['without root', ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--']],
    ]
  : [['without root', []]]
