import { WAITS_FOR_CORES } from '../placement'

/** Why a job waits: the text for users, and whether it waits for something other than its turn. */
export interface Reason {
  text: string
  blocked: boolean
}

const waits = (text: string): Reason => ({ text, blocked: false })
const blocked = (text: string): Reason => ({ text, blocked: true })

const known = new Map<string, Reason>(
  Object.entries({
    None: waits('Waiting for the scheduler to consider it'),
    WaitingForScheduling: waits('Waiting for the scheduler to consider it'),
    Priority: waits('Waiting for higher-priority jobs'),
    Resources: waits(WAITS_FOR_CORES),
    Prolog: waits('Its nodes are being prepared'),
    Cleaning: waits('Its last run is being cleaned up before it starts again'),
    Licenses: waits('Waiting for a software license that is in use'),
    Reservation: waits('Waiting for its reservation to start'),
    ReqNodeNotAvail: waits('A node it needs is in use, reserved, drained or down'),
    // Slurm's own sentence continues after a comma.
    'Nodes required for job are DOWN': waits('The nodes it needs are down, drained or reserved for others'),
    JobArrayTaskLimit: waits('Waiting for other tasks of its array: only a limited number can run at a time'),
    BurstBufferResources: waits('Waiting for room in the burst buffer'),
    BurstBufferStageIn: waits('Its files are being copied to the burst buffer'),
    PowerNotAvail: waits('Waiting for power: the cluster is at its power limit'),
    PowerReserved: waits('Waiting for power that is reserved for others'),
    FedJobLock: waits('Waiting for the other clusters of the federation to agree where it runs'),
    FrontEndDown: waits('Waiting for the front-end node, which is down'),
    NodeDown: waits('Waiting for a node that is down'),
    ResumeFailure: waits('A node did not start. Waiting for another one.'),
    MaxPowerSavingNodes: waits(
      'Waiting because the maximum number of nodes are already starting or stopping',
    ),

    JobHeldUser: blocked('Held by its owner. Release it to let it start.'),
    JobHeldAdmin: blocked('Held by an administrator, who has to release it'),
    JobHoldMaxRequeue: blocked(
      'Held because it was requeued too many times. Check its output, then release it.',
    ),
    RequeueExitHold: blocked('Held because of its exit code. Release it to run it again.'),
    SpecialExit: blocked('Held because of its exit code. Release it to run it again.'),
    JobHeldSpecialExit: blocked('Held because of its exit code. Release it to run it again.'),
    launch_failed_requeued_held: blocked('Held because it could not be started. Release it to try again.'),
    job_requeued_in_held_state: blocked('Held after it was requeued. Release it to let it start.'),
    ReservationDeleted: blocked(
      'Held because its reservation was deleted. Choose another one and release it.',
    ),
    Dependency: blocked('Waiting for another job to end'),
    DependencyNeverSatisfied: blocked('Cannot start: its dependency can never be satisfied. Cancel it.'),
    BeginTime: blocked('Waiting for its requested start time'),
    DeadLine: blocked('Cannot start: it would not finish before its deadline'),
    BadConstraints: blocked('Cannot start: no node of the cluster has what it requests'),
    InvalidAccount: blocked('Cannot start: its account is invalid. Submit it with another one.'),
    InvalidQOS: blocked('Cannot start: its quality of service is invalid. Submit it with another one.'),
    AccountNotAllowed: blocked('Cannot start: its account cannot use this partition'),
    QOSNotAllowed: blocked(
      'Cannot start: its quality of service cannot be used in this partition or by this account',
    ),
    AccountingPolicy: blocked('Waiting because of a limit of its account'),
    AssociationJobLimit: blocked('Waiting because its account has reached its job limit'),
    AssociationResourceLimit: blocked('Waiting because its account has reached its resource limit'),
    AssociationTimeLimit: blocked('Waiting because its account has used up its time'),
    QOSJobLimit: blocked('Waiting because its quality of service has reached its job limit'),
    QOSResourceLimit: blocked('Waiting because its quality of service has reached its resource limit'),
    QOSTimeLimit: blocked('Waiting because its quality of service has used up its time'),
    QOSUsageThreshold: blocked('Waiting because its quality of service has exceeded its recent usage limit'),
    PartitionDown: blocked('The partition is down: it accepts jobs but does not start them'),
    PartitionInactive: blocked('The partition is inactive and does not start jobs'),
    PartitionNodeLimit: blocked('Requests more or fewer nodes than the partition allows or has available'),
    PartitionTimeLimit: blocked('Requests a longer wall time than the partition allows'),
    PartitionConfig: blocked('Requests more resources per node than any node of the partition has'),
    RequiresReservation: blocked('The partition accepts only jobs with a reservation'),
    ReqResv: blocked('The partition accepts only jobs with a reservation'),
    BurstBufferOperation: blocked('The burst buffer failed. An administrator has to check it.'),
    MaxMemPerLimit: blocked('Requests more memory than a job can have'),
    TooManyNodes: blocked('Requests more nodes than the cluster has'),

    NonZeroExitCode: waits('Ended with a nonzero exit code'),
    TimeLimit: waits('Stopped because it exceeded its wall time'),
    InactiveLimit: waits('Stopped because it was inactive for too long'),
    OutOfMemory: waits('Ended because it used more memory than requested'),
    JobLaunchFailure: waits('Could not be started on its node, or was terminated there by a signal'),
    RaisedSignal: waits('Ended by a signal'),
    SystemFailure: waits('Ended because Slurm, the network or a file system failed'),
    BootFailure: waits('Ended because a node did not start'),
  }),
)

/** Extracts the code, which Slurm may also write as `(ReqNodeNotAvail, UnavailableNodes:n1)`. */
const spelling = (code: string) =>
  code
    .replace(/^\(|\)$/g, '')
    .replace(/,.*$/s, '')
    .trim()

const resources: Record<string, string> = {
  BB: 'burst buffer space',
  Billing: 'billed resources',
  Cpu: 'cores',
  CPU: 'cores',
  Energy: 'energy',
  GRES: 'GPUs or other special hardware',
  Jobs: 'running jobs',
  Job: 'jobs',
  SubmitJobs: 'submitted jobs',
  SubmitJob: 'submitted jobs',
  License: 'licenses',
  Mem: 'memory',
  Memory: 'memory',
  Node: 'nodes',
  Wall: 'wall time',
  WallDuration: 'wall time',
  Unknown: 'a resource',
}

/** Slurm composes most limits from parts: the owner, the kind, the resource and the scope. */
const limit =
  /^(QOS|Assoc)?(Grp|Max|Min)(BB|Billing|Cpu|CPU|Energy|GRES|SubmitJobs?|Jobs?|License|Memory|Mem|Node|WallDuration|Wall|Unknown)(RunMinutes|Minutes)?(PerJob|PerNode|PerUser|PerAccount)?(?:Limit|NotSatisfied)?$/

function limitReason(code: string): Reason | undefined {
  const [, owner, kind, resource = '', minutes, per] = limit.exec(code) ?? []
  if (!kind) return undefined
  const what = `${resources[resource]}${minutes ? ' multiplied by run time' : ''}`
  const whose = owner === 'QOS' ? 'its quality of service' : 'its account'
  if (kind === 'Min') return blocked(`Requests less than the minimum of ${what} for ${whose}`)
  if (kind === 'Grp') return blocked(`Waiting because ${whose} has reached its limit on ${what}`)
  if (per === 'PerUser' || per === 'PerAccount' || /Job/.test(resource)) {
    const who = per === 'PerAccount' || owner === 'Assoc' ? 'its account' : 'its owner'
    return blocked(`Waiting because ${who} has reached the limit on ${what}`)
  }
  return blocked(`Requests more ${what} ${per === 'PerNode' ? 'per node' : 'per job'} than ${whose} allows`)
}

/** Unknown codes are shown unchanged. */
export function explain(code: string): Reason {
  const found = known.get(code)
  if (found) return found
  const name = spelling(code)
  return known.get(name) ?? limitReason(name) ?? waits(`Reason reported by Slurm: ${JSON.stringify(code)}`)
}
