import { recognize, SchedulerError, type KnownFailure } from '../error'
import type { CommandResult } from '../scheduler'

const known: KnownFailure[] = [
  [
    /can ?not be run as root/i,
    'not_permitted',
    'Torque takes no jobs from root. Submit it as a person with an account on the cluster, not as admin.',
  ],
  [
    /cannot connect to server|Connection refused|Could not connect|Unable to communicate|trqauthd|shutting down|Server busy|Unable to get connection|No server specified|Time out/i,
    'controller_down',
    "Torque's server (pbs_server) does not answer. Look whether it and trqauthd run on the head node; the console tries again by itself.",
  ],
  [
    /Unknown Job Id|nonexistent job id|Unknown Array|Job not found|illegally formed job identifier/i,
    'unknown_job',
    'Torque knows no job with this id. It may have ended a while ago: look at the history.',
  ],
  [
    /state of job.*COMPLETE|already in exit state/is,
    'unknown_job',
    'The job has already ended, so there is nothing left to do with it.',
  ],
  [
    /state of job|while job running/i,
    'invalid',
    'The job is not in a state that allows this. Look at its state first.',
  ],
  [
    /Unknown queue|No default queue|Queue is not enabled|Queue is currently not available|Access to queue is denied/i,
    'bad_queue',
    'The cluster has no such queue, or it takes no jobs from you now. Choose another one, or leave it empty for the default one.',
  ],
  [
    /exceeds queue resource limits|cannot locate feasible nodes|Resource limit exceeds|rejected by all possible destinations/i,
    'infeasible',
    'No nodes of this cluster could ever run this. Ask for fewer nodes, cores or GPUs, or less wall time.',
  ],
  [
    /Maximum number of jobs/i,
    'infeasible',
    'The queue holds as many jobs as it may. Try again when some have ended.',
  ],
  [
    /Unauthorized|insufficient permission|Bad UID|Bad GID|Access from host|not allowed|Invalid credential|ruserok/i,
    'not_permitted',
    'Torque does not allow this to the account in use. Only the owner of a job and operators of Torque may.',
  ],
  [
    /Invalid Account/i,
    'not_permitted',
    'You may not submit under this account. Choose another one, or ask the administrator.',
  ],
  [
    /Unknown node|cannot locate specified node/i,
    'invalid',
    'The cluster has no node of this name. Look at its list of nodes.',
  ],
  [
    /Array Request|illegal -t|job arrays/i,
    'invalid',
    'Torque does not take these task numbers. Use fewer tasks or smaller numbers.',
  ],
  [
    /Illegal attribute|Unknown resource|illegal -\w|usage: qsub|cannot be loaded/i,
    'invalid',
    'Torque does not take this job as it is. Look at its name, wall time and script.',
  ],
]

/** Torque's commands end with the last byte of its own error number. */
const byCode: Record<number, string> = {
  153: 'Unknown Job Id',
  159: 'Unauthorized Request',
  172: 'Unknown queue',
  190: 'Job exceeds queue resource limits',
}

export function torqueError(program: string, result: CommandResult): SchedulerError {
  const said = `${result.stderr}\n${result.stdout}`.trim()
  if (result.code === 127)
    return new SchedulerError(
      'not_installed',
      `The command ${program} is not there. Install Torque's commands on this machine, or put their folder on the account's PATH.`,
      said,
    )
  return (
    recognize(said, known) ??
    recognize(byCode[result.code ?? 0] ?? '', known) ??
    new SchedulerError(
      'unknown',
      `Torque's ${program} failed${said ? ` and said: ${said.slice(0, 300)}` : ` with code ${result.code ?? 'none'}`}. Look at the log of pbs_server.`,
      said,
    )
  )
}

/** The output of a command that must have succeeded, whole. */
export function output(program: string, result: CommandResult): string {
  if (result.code !== 0) throw torqueError(program, result)
  if (result.truncated)
    throw new SchedulerError(
      'unknown',
      `Torque's ${program} wrote more than can be read at once. Tell the administrator of this console.`,
    )
  return result.stdout
}
