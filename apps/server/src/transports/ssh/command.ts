import { TransportError } from '../error'

/**
 * The only place where a command becomes text for a shell: the account's login shell on the remote host, which is tcsh
 * at many sites. The text means the same in sh, bash, zsh, tcsh and fish. Single quotes protect everything except the
 * quote itself, tcsh's history character and fish's backslash, which are escaped outside the quotes.
 */
export function quote(word: string): string {
  if (/^[\w./:,@+-]+$/.test(word)) return word
  return `'${word.replaceAll(/['!\\]/g, (sign) => `'\\${sign}'`)}'`
}

/** In tcsh, single quotes cannot contain line breaks, so their special characters are sent as octal codes. */
const asNumbers = (line: string) =>
  line.replaceAll(/['!\\\n\r]/g, (sign) => `\\0${sign.charCodeAt(0).toString(8).padStart(3, '0')}`)

/** A command for `/bin/sh` on the remote host, whatever the account's own shell is. */
export function commandLine(argv: readonly string[]): string {
  const line = argv.map(quote).join(' ')
  if (!/[\n\r]/.test(line)) return `exec ${line}`
  return `exec /bin/sh -c 'eval "exec $(printf %b "$1")"' sh '${asNumbers(line)}'`
}

export interface RemoteCommand {
  argv: readonly string[]
  cwd?: string
  env?: Readonly<Record<string, string>>
  /** Runs the command as this account with passwordless sudo. */
  sudoAs?: string
}

export const noFolder = 97

/**
 * The command in a small shell that first writes a mark to both outputs, with its process id after one of them. Output
 * before the mark comes from shell profiles and is dropped. Without a mark the command was never reached (no shell, no
 * sudo, no folder). The process id is needed to kill the command.
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
 * Starts the command only when all of its input has arrived, so that it never runs with partial input if the connection
 * is lost.
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

/** Finds the SFTP server, whose path differs between systems; under sudo the subsystem of sshd is not available. */
export const sftpServer = [
  '/bin/sh',
  '-c',
  'for f in /usr/lib/openssh /usr/libexec/openssh /usr/lib/ssh /usr/libexec /usr/lib64/ssh; do ' +
    '[ -x "$f/sftp-server" ] && exec "$f/sftp-server"; done; exec sftp-server',
]

/**
 * Ends the tree of one of our processes: the process, its descendants and its session; first gracefully, and after two
 * seconds with SIGKILL. The script exits when they have ended. It reads the status files in /proc, whose fields a
 * process cannot forge.
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
# Sets $left to those of these processes that are still alive after two seconds.
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
