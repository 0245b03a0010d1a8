import { recognize, SchedulerError, type KnownFailure } from '../error'
import type { CommandResult } from '../scheduler'

const known: KnownFailure[] = [
  [
    /Unable to contact slurm controller|Unable to connect to (the )?slurm|Connection refused|Socket timed out|Zero Bytes were transmitted|connection failure/i,
    'controller_down',
    "Slurm's controller (slurmctld) does not answer. Look whether it runs on the head node; the console tries again by itself.",
  ],
  [
    /munge|Protocol authentication error|Authentication failure/i,
    'controller_down',
    'Slurm could not prove who is asking: look whether the munge service runs on the head node and the clocks agree.',
  ],
  [
    /temporarily unable to accept job|Resource temporarily unavailable/i,
    'controller_down',
    'Slurm takes no more jobs at the moment, as its queue is full. Try again when some have ended.',
  ],
  [
    /already completing or completed|already finished|no longer pending/i,
    'unknown_job',
    'The job has already ended, so there is nothing left to do with it.',
  ],
  [
    /Invalid job id/i,
    'unknown_job',
    'Slurm knows no job with this id. It may have ended a while ago: look at the history.',
  ],
  [
    /invalid partition/i,
    'bad_queue',
    'The cluster has no such partition. Choose one that it has, or leave it empty for the default one.',
  ],
  [
    /Requested partition configuration not available|partition.*(is down|inactive|not available)/i,
    'bad_queue',
    'The partition takes no jobs now. Choose another one, or ask the administrator.',
  ],
  [
    /Requested node configuration is not available|Node count specification invalid|More processors requested|CPU count (per node )?can not be satisfied|Memory specification can not be satisfied|Requested reservation|Too many tasks requested/i,
    'infeasible',
    'No nodes of this cluster could ever run this. Ask for fewer nodes, cores or GPUs.',
  ],
  [
    /time limit is invalid|Requested time limit/i,
    'infeasible',
    'The wall time is longer than the partition allows. Ask for less.',
  ],
  [
    /violates accounting\/QOS policy/i,
    'infeasible',
    'The job goes beyond a limit of your account. Ask for less, or ask the administrator about the limits.',
  ],
  [
    /Invalid account/i,
    'not_permitted',
    'You may not submit under this account on this partition. Choose another account, or ask the administrator.',
  ],
  [
    /Access\/permission denied|Invalid user id|Permission denied|User not permitted|not permitted/i,
    'not_permitted',
    'Slurm does not allow this to the account in use. Only the owner of a job and Slurm administrators may.',
  ],
  [
    /Invalid node name|Node \S+ not found/i,
    'invalid',
    'The cluster has no node of this name. Look at its list of nodes.',
  ],
  [/Invalid node state/i, 'invalid', 'The node is not in a state that allows this. Look at its state first.'],
  [
    /Invalid (job )?array/i,
    'invalid',
    'Slurm does not take these task numbers. Use fewer tasks or smaller numbers.',
  ],
  [/--time/, 'invalid', 'Slurm does not take this wall time. Write it as HH:MM:SS or D-HH:MM:SS.'],
  [
    /gres|gpu/i,
    'infeasible',
    'This cluster has no GPUs of the kind that was asked for. Ask for none, or choose another cluster.',
  ],
  [
    /Unable to open file|batch script|DOS line breaks/i,
    'invalid',
    'Slurm does not take this script. Look at its first line.',
  ],
  [
    /accounting storage is disabled/i,
    'not_installed',
    'This cluster keeps no accounting, so it forgets how jobs ended after some minutes.',
  ],
  [/command not found|No such file or directory/i, 'not_installed', 'install'],
]

/** What went wrong, from everything that the command said; its code alone tells little. */
export function slurmError(program: string, result: CommandResult): SchedulerError {
  const said = `${result.stderr}\n${result.stdout}`.trim()
  const found = recognize(said, known)
  if (result.code === 127 || found?.message === 'install')
    return new SchedulerError(
      'not_installed',
      `The command ${program} is not there. Install Slurm's commands on this machine, or put their folder on the account's PATH.`,
      said,
    )
  return (
    found ??
    new SchedulerError(
      'unknown',
      `Slurm's ${program} failed${said ? ` and said: ${said.slice(0, 300)}` : ` with code ${result.code ?? 'none'}`}. Look at the log of slurmctld.`,
      said,
    )
  )
}

/** The output of a command that must have succeeded, whole. */
export function output(program: string, result: CommandResult): string {
  if (result.code !== 0) throw slurmError(program, result)
  if (result.truncated)
    throw new SchedulerError(
      'unknown',
      `Slurm's ${program} wrote more than can be read at once. Tell the administrator of this console.`,
    )
  return result.stdout
}
