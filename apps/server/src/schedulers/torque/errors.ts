import { recognize, SchedulerError, type KnownFailure } from '../error'
import type { CommandResult } from '../scheduler'

const SERVER_DOWN =
  'Torque’s server (pbs_server) does not respond. Check that it and trqauthd are running on the head node. The console retries automatically.'

const known: KnownFailure[] = [
  [
    /can ?not be run as root/i,
    'not_permitted',
    'Torque does not accept jobs from root. Submit it as a user with an account on the cluster, not as admin.',
  ],
  [
    /could not connect to MOM/i,
    'node_down',
    'The node that runs the job does not respond, so Torque cannot end the job there. It can be ended when the node is back, or purged by an admin.',
  ],
  [
    // These errors occur before anything is sent, even a timeout while connecting; a busy server accepts nothing.
    /Connection refused|trqauthd|cannot connect to server|Server busy|too busy|Server shutting down/i,
    'controller_down',
    SERVER_DOWN,
    true,
  ],
  [
    // The connection was lost. During a submit it is unknown whether the job arrived.
    /Could not connect|establish connection|resolve host|Unable to communicate|Unable to get connection|No free connections|No server specified|Time(d )? ?out|End of File|Communication failure|Premature end|protocol error|DIS based|Connection reset|Broken pipe|Socket close|(from|to) socket|socket select/i,
    'controller_down',
    SERVER_DOWN,
  ],
  [
    /must be a terminal|interactive job/i,
    'invalid',
    'Interactive jobs cannot be submitted here. Remove -I from the script, or run qsub -I in a terminal on the cluster.',
  ],
  [
    /Unknown Job Id|nonexistent job id|Unknown Array|Job not found|illegally formed job identifier/i,
    'unknown_job',
    'Torque has no job with this id. It may have ended a while ago; check the history.',
  ],
  [/state of job.*COMPLETE|already in exit state/is, 'unknown_job', 'The job has already ended.'],
  [
    /state of job|while job running/i,
    'invalid',
    'The job’s state does not allow this. Check its state first.',
  ],
  [
    /Unknown queue|No default queue|Queue is not enabled|Queue is currently not available|Access to queue is denied/i,
    'bad_queue',
    'The cluster has no such queue, or it does not accept your jobs right now. Choose another one, or leave it empty for the default.',
  ],
  [
    /exceeds queue resource limits|cannot locate feasible nodes|Resource limit exceeds|rejected by all possible destinations/i,
    'infeasible',
    'No nodes of this cluster can run this job. Request fewer nodes, cores or GPUs, or less wall time.',
  ],
  [/Maximum number of jobs/i, 'infeasible', 'The queue is full. Try again when some jobs have ended.'],
  [
    /PERM_OPorMGR|setting note attribute.*Unauthorized/i,
    'not_permitted',
    'Torque lets only its operators change nodes. To allow it, a site admin can run: qmgr -c "set server operators += account@host"',
  ],
  [
    /Unauthorized|insufficient permission|Bad UID|Bad GID|Access from host|not allowed|Invalid credential|ruserok/i,
    'not_permitted',
    'Torque does not allow this for the current account. Only the owner of a job and Torque operators can do it.',
  ],
  [
    /Invalid Account/i,
    'not_permitted',
    'You cannot submit under this account. Choose another one, or ask the administrator.',
  ],
  [
    /Unknown node|cannot locate specified node/i,
    'invalid',
    'The cluster has no node with this name. Check its list of nodes.',
  ],
  [
    /Array Request|illegal -t|job arrays/i,
    'invalid',
    'Torque does not accept these task numbers. Use fewer tasks or smaller numbers.',
  ],
  [
    /Illegal attribute|Unknown resource|illegal -\w|usage: qsub|cannot be loaded/i,
    'invalid',
    'Torque rejected this job. Check its name, wall time and script.',
  ],
]

/** Torque's commands exit with the lowest byte of its own error number. */
const byCode: Record<number, string> = {
  153: 'Unknown Job Id',
  159: 'Unauthorized Request',
  172: 'Unknown queue',
  190: 'Job exceeds queue resource limits',
  224: 'Server could not connect to MOM',
}

export function torqueError(program: string, result: CommandResult): SchedulerError {
  const printed = `${result.stderr}\n${result.stdout}`.trim()
  if (result.code === 127)
    return new SchedulerError(
      'not_installed',
      `The command ${program} was not found. Install Torque’s commands on this machine, or add their folder to the account’s PATH.`,
      printed,
    )
  return (
    recognize(printed, known) ??
    recognize(byCode[result.code ?? 0] ?? '', known) ??
    new SchedulerError(
      'unknown',
      `Torque’s ${program} failed${printed ? `: ${printed.slice(0, 300)}` : ` with code ${result.code ?? 'none'}`}. See the pbs_server log.`,
      printed,
    )
  )
}

/** The complete output of a command that must have succeeded. */
export function output(program: string, result: CommandResult): string {
  if (result.code !== 0) throw torqueError(program, result)
  if (result.truncated)
    throw new SchedulerError(
      'unknown',
      `The output of Torque’s ${program} is too large. Tell the administrator of this console.`,
    )
  return result.stdout
}
