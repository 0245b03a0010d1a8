import { TransportError } from '../error'

/**
 * The only place where a command becomes text for a shell. The shell is the account's own on the far side, which at
 * many sites is tcsh: the text means the same to sh, bash, zsh, tcsh and fish. Single quotes hold everything but
 * the quote itself, tcsh's history sign and fish's backslash; those stand outside them, each behind a backslash.
 */
export function quote(word: string): string {
  if (/^[\w./:,@+-]+$/.test(word)) return word
  return `'${word.replaceAll(/['!\\]/g, (sign) => `'\\${sign}'`)}'`
}

/** Single quotes cannot hold a line break for tcsh, so such a command travels with its odd signs as numbers. */
const asNumbers = (line: string) =>
  line.replaceAll(/['!\\\n\r]/g, (sign) => `\\0${sign.charCodeAt(0).toString(8).padStart(3, '0')}`)

/** A command for `/bin/sh` on the far side, whatever the account's own shell is. */
export function commandLine(argv: readonly string[]): string {
  const line = argv.map(quote).join(' ')
  if (!/[\n\r]/.test(line)) return `exec ${line}`
  return `exec /bin/sh -c 'eval "exec $(printf %b "$1")"' sh '${asNumbers(line)}'`
}

export interface RemoteCommand {
  argv: readonly string[]
  cwd?: string
  env?: Readonly<Record<string, string>>
  /** Run it as this account, by a sudo that asks for no password. */
  sudoAs?: string
}

export const noFolder = 97

/**
 * The command inside a small shell that first writes a mark to both outputs, and its process number beside one of
 * them. What stands before the mark is chatter of shell profiles and is dropped; a command without a mark was never
 * reached (no shell, no sudo, no folder); the number is what gets killed when time is up.
 */
export function marked({ argv, cwd, env = {}, sudoAs }: RemoteCommand, mark: string): string {
  const settings = Object.entries(env).map(([name, value]) => {
    if (!/^[A-Za-z_]\w*$/.test(name) || value.includes('\0'))
      throw new TransportError('run command', 'bad name', `"${name}" cannot be set as a variable.`)
    return `export ${name}=${quote(value)}; `
  })
  const folder =
    cwd !== undefined ? `cd ${quote(cwd)} || exit ${noFolder}; ` : sudoAs ? 'cd 2>/dev/null || cd /; ' : ''
  const script = `${folder}${settings.join('')}echo ${mark}; echo ${mark} $$ >&2; exec "$@"`
  return commandLine([...become(sudoAs), '/bin/sh', '-c', script, 'sh', ...argv])
}

const WHOLE =
  'x=$(cat; printf .); x=${x%.}; [ "$(printf %s "$x" | wc -c)" -eq "$1" ] || exit 98; shift; ' +
  '{ printf %s "$x"; } 2>/dev/null | "$@"'
/**
 * A command that is started when all of its input has come: when the connection breaks on the way, nothing is ever run
 * with half of it.
 */
export const withWholeInput = (argv: readonly string[], input: string): string[] => [
  '/bin/sh',
  '-c',
  WHOLE,
  'sh',
  String(Buffer.byteLength(input)),
  ...argv,
]

const become = (sudoAs: string | undefined): string[] =>
  sudoAs === undefined ? [] : ['sudo', '-n', '-H', '-u', sudoAs, '--']

/** The SFTP server is in another place on each system; sudo cannot ask sshd for it. */
export const sftpServer = [
  '/bin/sh',
  '-c',
  'for f in /usr/lib/openssh /usr/libexec/openssh /usr/lib/ssh /usr/libexec /usr/lib64/ssh; do ' +
    '[ -x "$f/sftp-server" ] && exec "$f/sftp-server"; done; exec sftp-server',
]

/**
 * Ends the tree under a process of ours: itself, what descends from it, and its session; gracefully, and after two
 * seconds for good. It ends when they have ended. Read from /proc's status files, in which a process cannot write what
 * it likes.
 */
const killScript = `
tree() {
  grep -s -E '^(State|PPid|NSsid):' /proc/[0-9]*/status | awk -F '[/:\\t]+' -v root="$1" '
    $5 == "State" { gone[$3] = ($6 ~ /^[ZX]/) }
    $5 == "PPid" { parent[$3] = $6 }
    $5 == "NSsid" { session[$3] = $6 }
    END {
      in_tree[root] = 1
      for (found = 1; found;) {
        found = 0
        for (p in parent) if (!(p in in_tree) && ((parent[p] in in_tree) || session[p] == root)) in_tree[p] = found = 1
      }
      for (p in in_tree) if ((p in parent) && !gone[p]) print p
    }'
}
if [ ! -e /proc/self/status ]; then kill -TERM -- "-$1"; sleep 2; kill -KILL -- "-$1"; exit; fi
# Leaves in $left what of these still lives after two seconds.
await_end() {
  for i in 1 2 3 4 5 6 7 8 9 10; do
    left=
    for p in "$@"; do grep -q -s '^State:.[^ZX]' "/proc/$p/status" && left="$left $p"; done
    [ -z "$left" ] && break
    sleep 0.2
  done
}
all=$(tree "$1")
for p in $all; do kill -TERM "$p"; done
await_end $all
all="$left $(tree "$1")"
for p in $all; do kill -KILL "$p"; done
await_end $all
`

export const killLine = (pid: number, sudoAs?: string): string =>
  commandLine([...become(sudoAs), '/bin/sh', '-c', `{ ${killScript} } 2>/dev/null`, 'sh', String(pid)])
