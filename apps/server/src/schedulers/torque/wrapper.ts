import { torqueValues } from '@flotilla/contract/jobs/directives'
import path from 'node:path'
import { runnable, walltimeSeconds } from '../request'
import type { JobRequest } from '../scheduler'
import { clearEnd, writeEnd } from './end-files'

/** What Torque itself and the account's profile print, and all output where the job's own file cannot be written. */
export const MESSAGES = 'torque-messages.txt'
export const messagesPath = (job: JobRequest): string =>
  path.posix.join(path.posix.dirname(job.stdoutPath), MESSAGES)

/** A word of a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/**
 * The script inside one that runs it. Torque keeps what a job prints on its node until the job ends; this one writes it
 * to its place as it comes, and how it ended beside it, as Torque may forget that at once. In bash, as other shells lose
 * the functions that a login exports. The script itself stays as it is, so that its own line numbers are those of its messages.
 */
export function wrapped(job: JobRequest, mark: string): string {
  const script = runnable(job.script)
  const [first = '', ...lines] = script.split('\n')
  const command = lines.findIndex((line) => /^\s*[^#\s]/.test(line))
  // As the kernel reads it: all behind the interpreter is one argument. A script without one is run by the shell that it asks for.
  const [, named = '/bin/sh', argument = ''] = /^#!\s*(\S+)[ \t]*(.*?)\s*$/.exec(first) ?? []
  const [shell = named] = job.script.startsWith('#!') ? [] : torqueValues(script, 'S')
  const interpreter = /^\/[^@,\s]+/.exec(shell)?.[0] ?? named
  const end = `END-${mark}`
  const folder = quoted(job.workdir)
  return `#!/bin/bash
${lines.slice(0, command === -1 ? 0 : command).join('\n')}
# Read as a whole before anything runs, for sites that give the script to the shell as its input.
{
task=\${PBS_ARRAYID:+-$PBS_ARRAYID}
output=${quoted(job.stdoutPath)}$task
script=${folder}/.flotilla-script$task
began=$(date +%s) stopped=
${clearEnd(folder)}
( : >>"$output" ) 2>/dev/null && exec >>"$output" 2>${job.stderrPath ? `>${quoted(job.stderrPath)}$task` : '&1'}
( umask 077; cat >"$script" ) <<'${end}' || exit
${script}${end}
# Torque signals every process of the job: this one waits for the script, which may catch it.
trap : HUP INT USR1 USR2 XCPU
trap stopped=yes TERM
${quoted(interpreter)} ${argument && `${quoted(argument)} `}"$script" </dev/null
code=$?
${writeEnd(folder, walltimeSeconds(job.walltime))}
# As the script itself ended, so that Torque sees it was stopped.
[ "$stopped$code" != yes143 ] || { trap - TERM; kill -TERM $$; }
exit "$code"
}
`
}
