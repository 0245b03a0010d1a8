import type { App } from '@flotilla/contract/apps/apps'

/** The file in the submission's folder with the app's address and token. Dotfiles do not count as output. */
export const ADDRESS_FILE = '.flotilla-app'
export type AppAddress = { host: string; port: number; token: string }

const quoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`

/**
 * The script of a session's job: chooses a free port and a token, writes both to a file that only the account can read,
 * and continues with the script of the app. Jobs of the built-in executor have their own network, and jobs on the head
 * node are reached over its loopback; others listen on the address of their node.
 */
export function launchScript(app: App, values: Record<string, string>, baseUrl: string): string {
  const fields = app.fields.map(
    ({ name }) => `export APP_${name.toUpperCase()}=${quoted(values[name] ?? '')}`,
  )
  return `#!/bin/bash
# ${app.name}, started from the console.
HOST=127.0.0.1
on=\${SLURM_SUBMIT_HOST:-$PBS_O_HOST}
if [ -z "$FLOTILLA_JOB_ID" ] && [ "\${on%%.*}" != "$(hostname -s)" ]; then
  read -r HOST _ <<<"$(hostname -I)"
  HOST=\${HOST:-127.0.0.1}
fi
tries=0
while PORT=$((20000 + (RANDOM * 32768 + RANDOM) % 40000)); (exec 3<>"/dev/tcp/$HOST/$PORT") 2>/dev/null; do
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || { echo 'No free port was found.' >&2; exit 1; }
done
TOKEN=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \\n')
[ "\${#TOKEN}" = 48 ] || { echo 'A token could not be generated.' >&2; exit 1; }
BASE_URL=${quoted(baseUrl)}
export HOST PORT TOKEN BASE_URL
${fields.join('\n')}
(umask 077 && printf '%s %s %s\\n' "$HOST" "$PORT" "$TOKEN" >${ADDRESS_FILE}.new) &&
  mv ${ADDRESS_FILE}.new ${ADDRESS_FILE} || exit
cd "$HOME" || exit

${app.script}
`
}

/** Parses the file that the job wrote. Returns null if it does not exist yet or has another content. */
export function readAddress(text: string): AppAddress | null {
  const [, host = '', port = '', token = ''] =
    /^([\da-f.:]{2,45}) (\d{1,5}) ([\da-f]{48})\n$/.exec(text) ?? []
  const number = Number(port)
  return number >= 1024 && number <= 65_535 ? { host, port: number, token } : null
}
