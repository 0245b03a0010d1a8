import { torqueValues } from '@flotilla/contract/jobs/directives'
import path from 'node:path'
import { runnable, walltimeSeconds } from '../request'
import type { JobRequest } from '../scheduler'
import { clearEnd, writeEnd } from './end-files'

/** The file for output of Torque and the account's profile, and for all output if the job's file cannot be written. */
export const MESSAGES = 'torque-messages.txt'
export const messagesPath = (job: JobRequest): string =>
  path.posix.join(path.posix.dirname(job.stdoutPath), MESSAGES)

/** Quotes a word for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/**
 * A wrapper that runs the script. Torque keeps a job's output on the node until the job ends; the wrapper writes it to
 * its file as it is printed, and records the job's end next to it, because Torque may forget that immediately. It is in
 * bash, because other shells lose functions that a login exports. The script itself is unchanged, so that the line
 * numbers in its messages are correct.
 */
export function wrapped(job: JobRequest, mark: string): string {
  const script = runnable(job.script)
  const [first = '', ...lines] = script.split('\n')
  const command = lines.findIndex((line) => /^\s*[^#\s]/.test(line))
  // Parsed as the kernel does: everything after the interpreter is one argument. A script without an interpreter line
  // is run by the shell that it requests.
  const [, named = '/bin/sh', argument = ''] = /^#!\s*(\S+)[ \t]*(.*?)\s*$/.exec(first) ?? []
  const [shell = named] = job.script.startsWith('#!') ? [] : torqueValues(script, 'S')
  const interpreter = /^\/[^@,\s]+/.exec(shell)?.[0] ?? named
  const end = `END-${mark}`
  const folder = quoted(job.workdir)
  return `#!/bin/bash
${lines.slice(0, command === -1 ? 0 : command).join('\n')}
# The block is read completely before it runs, for sites that pass the script to the shell's stdin.
{
task=\${PBS_ARRAYID:+-$PBS_ARRAYID}
output=${quoted(job.stdoutPath)}$task
script=${folder}/.flotilla-script$task
began=$(date +%s) stopped=
${clearEnd(folder)}
( : >>"$output" ) 2>/dev/null && exec >>"$output" 2>${job.stderrPath ? `>${quoted(job.stderrPath)}$task` : '&1'}
( umask 077; cat >"$script" ) <<'${end}' || exit
${script}${end}
# Torque signals every process of the job. This shell ignores the signals and waits for the script.
trap : HUP INT USR1 USR2 XCPU
trap stopped=yes TERM
${quoted(interpreter)} ${argument && `${quoted(argument)} `}"$script" </dev/null
code=$?
${writeEnd(folder, walltimeSeconds(job.walltime))}
# Ends by the same signal as the script, so that Torque sees that it was stopped.
[ "$stopped$code" != yes143 ] || { trap - TERM; kill -TERM $$; }
exit "$code"
}
`
}
