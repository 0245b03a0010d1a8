import { recognize, SchedulerError, type KnownFailure } from '../error'
import type { CommandResult } from '../scheduler'

const CONTROLLER_DOWN =
  'Slurm’s controller (slurmctld) does not respond. Check that it is running on the head node. The console retries automatically.'

const known: KnownFailure[] = [
  // Slurm distinguishes a connection that failed from one that was lost.
  [
    /Unable to contact slurm controller \(connect failure\)|Connection refused/i,
    'controller_down',
    CONTROLLER_DOWN,
    true,
  ],
  [
    /Unable to contact slurm controller|Unable to connect to (the )?slurm|Socket timed out|Zero Bytes were transmitted|connection failure/i,
    'controller_down',
    CONTROLLER_DOWN,
  ],
  [
    /munge|Protocol authentication error|Authentication failure/i,
    'controller_down',
    'Slurm could not authenticate the request. Check that munge is running on the head node and that the clocks agree.',
  ],
  [
    /temporarily unable to accept job|Resource temporarily unavailable/i,
    'controller_down',
    'Slurm’s queue is full. Try again when some jobs have ended.',
  ],
  [
    /already completing or completed|already finished|no longer pending/i,
    'unknown_job',
    'The job has already ended.',
  ],
  [
    /Invalid job id/i,
    'unknown_job',
    'Slurm has no job with this id. It may have ended a while ago; check the history.',
  ],
  [
    /invalid partition/i,
    'bad_queue',
    'The cluster has no such partition. Choose an existing one, or leave it empty for the default.',
  ],
  [
    /Requested partition configuration not available|partition.*(is down|inactive|not available)/i,
    'bad_queue',
    'The partition does not accept jobs right now. Choose another one, or ask the administrator.',
  ],
  [
    /Requested node configuration is not available|Node count specification invalid|More processors requested|CPU count (per node )?can not be satisfied|Memory specification can not be satisfied|Requested reservation|Too many tasks requested/i,
    'infeasible',
    'No nodes of this cluster can run this job. Request fewer nodes, cores or GPUs.',
  ],
  [
    /time limit is invalid|Requested time limit/i,
    'infeasible',
    'The wall time is longer than the partition allows. Request less.',
  ],
  [
    /violates accounting\/QOS policy/i,
    'infeasible',
    'The job exceeds a limit of your account. Request less, or ask the administrator about the limits.',
  ],
  [
    /Invalid account/i,
    'not_permitted',
    'You cannot submit under this account on this partition. Choose another account, or ask the administrator.',
  ],
  [
    /Access\/permission denied|Invalid user id|Permission denied|User not permitted|not permitted/i,
    'not_permitted',
    'Slurm does not allow this for the current account. Only the owner of a job and Slurm administrators can do it.',
  ],
  [
    /Invalid node name|Node \S+ not found/i,
    'invalid',
    'The cluster has no node with this name. Check its list of nodes.',
  ],
  [/Invalid node state/i, 'invalid', 'The node’s state does not allow this. Check its state first.'],
  [
    /Invalid (job )?array/i,
    'invalid',
    'Slurm does not accept these task numbers. Use fewer tasks or smaller numbers.',
  ],
  [/--time/, 'invalid', 'Slurm does not accept this wall time. Enter it as HH:MM:SS or D-HH:MM:SS.'],
  [
    /gres|gpu/i,
    'infeasible',
    'This cluster has no GPUs of the requested type. Request none, or choose another cluster.',
  ],
  [
    /Unable to open file|batch script|DOS line breaks/i,
    'invalid',
    'Slurm does not accept this script. Check its first line.',
  ],
  [
    /accounting storage is disabled/i,
    'not_installed',
    'This cluster has no accounting, so it forgets how jobs ended after a few minutes.',
  ],
  [/command not found|No such file or directory/i, 'not_installed', 'install'],
]

/** The error for all of the command's output, because its exit code alone is ambiguous. */
export function slurmError(program: string, result: CommandResult): SchedulerError {
  const printed = `${result.stderr}\n${result.stdout}`.trim()
  const found = recognize(printed, known)
  if (result.code === 127 || found?.message === 'install')
    return new SchedulerError(
      'not_installed',
      `The command ${program} was not found. Install Slurm’s commands on this machine, or add their folder to the account’s PATH.`,
      printed,
    )
  return (
    found ??
    new SchedulerError(
      'unknown',
      `Slurm’s ${program} failed${printed ? `: ${printed.slice(0, 300)}` : ` with code ${result.code ?? 'none'}`}. See the slurmctld log.`,
      printed,
    )
  )
}

/** The complete output of a command that must have succeeded. */
export function output(program: string, result: CommandResult): string {
  if (result.code !== 0) throw slurmError(program, result)
  if (result.truncated)
    throw new SchedulerError(
      'unknown',
      `The output of Slurm’s ${program} is too large. Tell the administrator of this console.`,
    )
  return result.stdout
}
