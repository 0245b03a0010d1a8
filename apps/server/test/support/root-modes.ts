export const NOBODY = 65534
const isRoot = process.getuid?.() === 0

/**
 * How a console can be started, with the words before its program. Under root everyone has an account of their own;
 * without, all share one and are kept apart by namespaces.
 */
export const rootModes: [string, string[]][] = isRoot
  ? [
      ['under root', []],
      ['without root', ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--']],
    ]
  : [['without root', []]]
